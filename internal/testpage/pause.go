package testpage

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"typus"
)

// pauseView is the breather between two blocks.
type pauseView struct {
	frame
	Block    int // the one just completed, from 1
	Blocks   int
	Half     bool
	Progress progress
	Next     int // number of the item that follows
	Left     int // about how many minutes are left at the candidate's own pace, 0 where that is not known
	Expires  time.Time
}

// Template names the page.
func (pauseView) Template() string { return "pause" }

// pausePath is the breather after a block.
func pausePath(block int) string { return fmt.Sprintf("pause/%d", block) }

// pause shows the breather after a completed block, except the last one, which
// is followed by the end.
func (f *face) pause(w http.ResponseWriter, r *http.Request, v visit) error {
	block, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || block < 1 || block >= v.Instrument.Blocks() {
		return typus.Errorf(typus.NotFound, "there is no such section")
	}
	if v.Position < len(v.items()) && v.items()[v.Position].Block <= block {
		return v.redirect(w, r, v.next())
	}
	view := pauseView{
		frame: v.frame(), Block: block, Blocks: v.Instrument.Blocks(), Half: 2*block == v.Instrument.Blocks(),
		Progress: v.progress(), Next: v.firstOf(block+1) + 1, Left: v.minutesLeft(), Expires: v.Candidate.ExpiresAt,
	}
	view.Leave = true
	return f.pages.Render(w, http.StatusOK, v.lang, view)
}

// firstOf is the position of a block's first item.
func (v visit) firstOf(block int) int {
	for i, it := range v.items() {
		if it.Block == block {
			return i
		}
	}
	return 0
}

// knownPace is how many answers must have been timed before they say something of the pace, and
// that is most of them: an answer without a time was given where nothing could be measured.
const knownPace = 8

// minutesLeft is how long what is still open takes at the candidate's own pace: the mean time
// that an item was in view, whatever pauses lay between. 0 where the pace is not known.
func (v visit) minutesLeft() int {
	timed, answered, open := 0, 0, 0
	var spent time.Duration
	for _, a := range v.Sheet.Answers {
		switch {
		case a.Value == 0 && !a.Skipped:
			open++
			continue
		case a.ActiveMS > 0:
			timed++
			spent += min(time.Duration(a.ActiveMS)*time.Millisecond, maxActive)
		}
		answered++
	}
	if timed < knownPace || 2*timed < answered || open == 0 {
		return 0
	}
	left := spent / time.Duration(timed) * time.Duration(open)
	return max(1, int(left.Round(time.Minute)/time.Minute))
}
