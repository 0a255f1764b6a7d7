package testpage

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/web"
)

// The buttons of an item besides "Next".
const (
	actionBack = "zurueck"
	actionSkip = "auslassen"
)

// itemView is one statement of the test.
type itemView struct {
	frame
	Number   int // from 1
	Block    int // from 1
	Blocks   int
	Progress progress
	Item     itemForm
	Skipped  bool   // was left out before
	Held     int    // the saved answer that the page shows, see value
	Newer    bool   // it was saved elsewhere while an older page was open here
	Shown    int64  // when the page was made, unix milliseconds
	Return   string // "abgabe" when the reader came from there and goes back there
	Complete bool   // every item has been dealt with; the end can be reached from here
	Section  section
}

// Template names the page.
func (itemView) Template() string { return "item" }

func (f *face) item(w http.ResponseWriter, r *http.Request, v visit) error {
	position, ok := v.position(r)
	if !ok {
		return typus.Errorf(typus.NotFound, "there is no such statement")
	}
	if position > v.reach() {
		return v.redirect(w, r, v.next())
	}
	return f.showItem(w, v, f.itemView(v, position, r.FormValue("ziel")), http.StatusOK)
}

// answer saves the chosen answer and goes on. An answer to an item that is out of reach
// is not saved, because its page was never shown.
func (f *face) answer(w http.ResponseWriter, r *http.Request, v visit) error {
	position, ok := v.position(r)
	if !ok {
		return typus.Errorf(typus.NotFound, "there is no such statement")
	}
	if position > v.reach() {
		return v.redirect(w, r, v.next())
	}
	reply := v.reply(r)
	if reply.untouched {
		return f.passOn(w, r, v, position, reply)
	}
	given := assess.Given{ItemID: v.items()[position].ID, Value: reply.value, ActiveMS: f.active(r, v)}
	switch before := v.Sheet.Answers[position]; {
	case reply.action == actionSkip:
		given.Value, given.Skip = 0, true
	case given.Value == 0 && (reply.action == actionBack || before.Skipped):
		return v.redirect(w, r, f.after(v, position, reply.action, r.FormValue("ziel")))
	case given.Value == 0:
		return f.askAgain(w, r, v, position)
	}
	saved, err := f.steps.Answer(r.Context(), v.token, []assess.Given{given})
	if err != nil {
		return err
	}
	saved.Account, v.Test = v.Account, saved
	return v.redirect(w, r, f.after(v, position, reply.action, r.FormValue("ziel")))
}

// passOn goes on from an item whose form came back as it was. That saves nothing, so a page
// that has been open for long cannot overwrite what was saved elsewhere since; who presses
// "Next" there is shown that first.
func (f *face) passOn(w http.ResponseWriter, r *http.Request, v visit, position int, reply reply) error {
	saved := value(v.Sheet.Answers[position])
	switch {
	case reply.action == actionBack:
	case saved != reply.held:
		view := f.itemView(v, position, r.FormValue("ziel"))
		view.Newer = true
		return f.showItem(w, v, view, http.StatusConflict)
	case saved == 0:
		return f.askAgain(w, r, v, position)
	}
	return v.redirect(w, r, f.after(v, position, reply.action, r.FormValue("ziel")))
}

// askAgain shows the item with the fault in words. The time it was first shown
// stays, so that the second look counts too.
func (f *face) askAgain(w http.ResponseWriter, r *http.Request, v visit, position int) error {
	view := f.itemView(v, position, r.FormValue("ziel"))
	view.Fault, view.Item.Missing = true, true
	view.Shown = f.shown(r, v).UnixMilli()
	return f.showItem(w, v, view, http.StatusUnprocessableEntity)
}

func (f *face) itemView(v visit, position int, returnTo string) itemView {
	it, given := v.items()[position], v.Sheet.Answers[position]
	view := itemView{
		frame: v.frame(), Number: position + 1, Block: it.Block, Blocks: v.Instrument.Blocks(),
		Progress: v.progress(), Skipped: given.Skipped, Held: value(given), Shown: f.clock.Now().UnixMilli(),
		Item:    v.itemForm(v.statement(it.ID), given.Value),
		Section: v.section(position),
	}
	if returnTo == "abgabe" {
		view.Return = returnTo
		view.Switch.Page += "?ziel=" + returnTo
	}
	view.Leave, view.Complete = true, v.Position >= len(v.items())
	return view
}

func (f *face) showItem(w http.ResponseWriter, v visit, view itemView, status int) error {
	w.Header().Set("Content-Security-Policy", web.WorkerPolicy) // its script registers the worker
	return f.pages.Render(w, status, v.lang, view)
}

// position reads the item's number from the address.
func (v visit) position(r *http.Request) (int, bool) {
	n, err := strconv.Atoi(r.PathValue("n"))
	return n - 1, err == nil && n >= 1 && n <= len(v.items())
}

// reach is the last position that may be shown: the end of the block in progress.
func (v visit) reach() int {
	if v.Position >= len(v.items()) {
		return len(v.items()) - 1
	}
	last := v.Position
	for last+1 < len(v.items()) && v.items()[last+1].Block == v.items()[v.Position].Block {
		last++
	}
	return last
}

// after is the page that follows an item: the one before it, the place the
// reader came from, a breather when this answer completed the block, or the next item.
func (f *face) after(v visit, position int, action, returnTo string) string {
	switch {
	case action == actionBack && position > 0:
		return itemPath(position - 1)
	case returnTo == "abgabe" && v.Position >= len(v.items()), position+1 == len(v.items()):
		return v.next()
	case position+1 == v.Position && v.items()[position].Block != v.items()[position+1].Block:
		return pausePath(v.items()[position].Block)
	case position+1 > v.reach():
		return v.next()
	}
	return itemPath(position + 1)
}

// maxActive is the longest time that counts as looking at one statement (our choice).
// Without a script the server cannot see that the reader has left. A longer time counts
// as a pause, and pauses are judged separately.
const maxActive = 2 * time.Minute

// active is how long the item was looked at, in milliseconds and at least 1: the time
// since its page was made.
//
// The form brings that time back from the browser, unsigned. A forged time could only
// change a remark on the speed of answering, which waiting would do as well, and a
// signature would not tell when a page was really read. The server limits it by what it
// knows: nobody began to look at an item before the last saved answer.
func (f *face) active(r *http.Request, v visit) int {
	looked := f.clock.Now().Sub(f.shown(r, v))
	return int(max(min(looked, maxActive), time.Millisecond).Milliseconds())
}

func (f *face) shown(r *http.Request, v visit) time.Time {
	earliest := v.SavedAt
	if earliest.IsZero() {
		earliest = v.Candidate.StartedAt
	}
	ms, err := strconv.ParseInt(r.PostFormValue("gezeigt"), 10, 64)
	claimed := time.UnixMilli(ms)
	if err != nil || claimed.Before(earliest) || claimed.After(f.clock.Now()) {
		return earliest
	}
	return claimed
}

// statement is the text of an item as a heading: its hyphens do not break, so that none of
// its words stands on two lines.
func (v visit) statement(itemID string) string {
	return strings.ReplaceAll(v.Instrument.Text(v.lang, itemID), "-", "\u2011")
}
