package testpage

import (
	"crypto/rand"
	"net/http"

	"typus"
	"typus/internal/instrument"
)

// reviewView is the page before handing in. With items open it lists them and
// offers nothing else.
type reviewView struct {
	frame
	Open     []openItem
	Skipped  int  // items left out that need no answer
	Seen     bool // the account sees that items were left out
	Progress progress
	Last     int    // number of the last item
	Refused  bool   // "Hand in" was pressed with items open
	Form     string // names this page, see assess.HandIn
}

type openItem struct {
	Number    int
	Statement string
}

// Template names the page.
func (reviewView) Template() string { return "review" }

func (f *face) review(w http.ResponseWriter, r *http.Request, v visit) error {
	if v.Position < len(v.items()) {
		return v.redirect(w, r, v.next())
	}
	return f.pages.Render(w, http.StatusOK, v.lang, f.reviewView(v))
}

func (f *face) reviewView(v visit) reviewView {
	view := reviewView{frame: v.frame(), Progress: v.progress(), Last: len(v.items()), Form: rand.Text()}
	view.Leave = true
	for _, position := range v.Instrument.Open(v.Sheet) {
		view.Open = append(view.Open, openItem{
			Number: position + 1, Statement: v.statement(v.items()[position].ID),
		})
	}
	for i, a := range v.Sheet.Answers {
		if a.Skipped {
			view.Skipped++
			view.Seen = view.Seen || v.items()[i].Type != instrument.Hint
		}
	}
	return view
}

// finish hands the test in. Handing in again changes nothing, so whoever presses twice,
// in two windows or on two devices, gets to the last page.
func (f *face) finish(w http.ResponseWriter, r *http.Request, v visit) error {
	if v.Stand == typus.StandFinished {
		return f.handIn(w, r, v)
	}
	return f.ifBegun(f.handIn)(w, r, v)
}

func (f *face) handIn(w http.ResponseWriter, r *http.Request, v visit) error {
	if v.Position < len(v.items()) && v.Stand != typus.StandFinished {
		return v.redirect(w, r, v.next())
	}
	kept, err := f.steps.HandIn(r.Context(), v.token, r.PostFormValue("formular"), v.Test)
	if view := f.reviewView(v); typus.Is(err, typus.Conflict) && len(view.Open) > 0 {
		view.Fault, view.Refused = true, true
		return f.pages.Render(w, http.StatusUnprocessableEntity, v.lang, view)
	}
	if err != nil {
		return err
	}
	f.keepOwnResult(w, v, kept)
	return v.redirect(w, r, "fertig")
}
