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
		Progress: v.progress(), Next: v.firstOf(block+1) + 1, Expires: v.Candidate.ExpiresAt,
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
