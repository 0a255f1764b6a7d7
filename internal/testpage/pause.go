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
	if err != nil || block < 1 || block >= f.instrument.Blocks() {
		return typus.Errorf(typus.NotFound, "there is no such section")
	}
	if v.Position < len(f.items) && f.items[v.Position].Block <= block {
		return v.redirect(w, r, f.next(v))
	}
	view := pauseView{
		frame: v.frame(), Block: block, Blocks: f.instrument.Blocks(), Half: 2*block == f.instrument.Blocks(),
		Progress: f.progress(v), Next: f.firstOf(block+1) + 1, Expires: v.Candidate.ExpiresAt,
	}
	view.Leave = true
	return f.pages.Render(w, http.StatusOK, v.lang, view)
}

// firstOf is the position of a block's first item.
func (f *face) firstOf(block int) int {
	for i, it := range f.items {
		if it.Block == block {
			return i
		}
	}
	return 0
}
