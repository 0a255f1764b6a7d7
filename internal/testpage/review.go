package testpage

import (
	"net/http"

	"typus"
)

// reviewView is the page before handing in. With items open it lists them and
// offers nothing else.
type reviewView struct {
	frame
	Open     []openItem
	Skipped  int // items left out that need no answer
	Progress progress
	Last     int  // number of the last item
	Refused  bool // "Hand in" was pressed with items open
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
	view := reviewView{frame: v.frame(), Progress: v.progress(), Last: len(v.items())}
	view.Leave = true
	for _, position := range v.Instrument.Open(v.Sheet) {
		view.Open = append(view.Open, openItem{
			Number: position + 1, Statement: v.statement(v.items()[position].ID),
		})
	}
	for _, a := range v.Sheet.Answers {
		if a.Skipped {
			view.Skipped++
		}
	}
	return view
}

// finish hands the test in. Handing in again changes nothing, so whoever presses twice,
// in two windows or on two devices, gets the same page.
func (f *face) finish(w http.ResponseWriter, r *http.Request, v visit) error {
	if v.Position < len(v.items()) {
		return v.redirect(w, r, v.next())
	}
	err := f.steps.Finish(r.Context(), v.token)
	if view := f.reviewView(v); typus.Is(err, typus.Conflict) && len(view.Open) > 0 {
		view.Fault, view.Refused = true, true
		return f.pages.Render(w, http.StatusUnprocessableEntity, v.lang, view)
	}
	if err != nil {
		return err
	}
	return v.redirect(w, r, "fertig")
}

// doneView is the last page.
type doneView struct {
	frame
	Name     string
	Doubtful bool // the result should not be interpreted: another test is offered
}

// Template names the page.
func (doneView) Template() string { return "done" }

func (f *face) done(w http.ResponseWriter, r *http.Request, v visit) error {
	if v.Stand != typus.StandFinished {
		return v.redirect(w, r, "abgabe")
	}
	view := doneView{frame: v.frame(), Name: v.Candidate.Name}
	view.Over = true
	view.Doubtful = v.Candidate.Scores != nil && v.Candidate.Scores.Doubtful()
	return f.pages.Render(w, http.StatusOK, v.lang, view)
}
