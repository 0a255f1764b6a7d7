package testpage

import (
	"net/http"
	"time"

	"typus"
	"typus/internal/assess"
)

// doneView is the last page.
type doneView struct {
	frame
	Name     string
	Own      bool // on the device that has handed in, which alone learns anything of the result
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
	if scores := f.ownResult(r, v); scores != nil {
		view.Own, view.Doubtful = true, scores.Doubtful()
	}
	return f.pages.Render(w, http.StatusOK, v.lang, view)
}

// ownResultCookie is what the device keeps that has handed a test in, or on
// which a code was entered. It goes to the pages
// of that test only; therefore its prefix cannot be __Host-, which wants the path /.
func (f *face) ownResultCookie() string {
	if f.links.Secure() {
		return "__Secure-typus-own-result"
	}
	return "typus-own-result"
}

// keepOwnResult leaves with the device what assess.HandIn returned, if anything.
func (f *face) keepOwnResult(w http.ResponseWriter, v visit, kept string) {
	if kept == "" {
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: f.ownResultCookie(), Value: kept, Path: v.base(), MaxAge: int(assess.OwnResultLife / time.Second),
		HttpOnly: true, Secure: f.links.Secure(), SameSite: http.SameSiteLaxMode,
	})
}

// forgetOwnResult makes the device forget what it keeps of a test.
func (f *face) forgetOwnResult(w http.ResponseWriter, v visit) {
	http.SetCookie(w, &http.Cookie{
		Name: f.ownResultCookie(), Path: v.base(), MaxAge: -1, HttpOnly: true, Secure: f.links.Secure(), SameSite: http.SameSiteLaxMode,
	})
}

// ownResult is the result for the device that has handed in, nil for any other: whoever
// only has the link learns nothing that depends on the answers.
func (f *face) ownResult(r *http.Request, v visit) *typus.Scores {
	cookie, err := r.Cookie(f.ownResultCookie())
	if err != nil {
		return nil
	}
	return f.steps.OwnResult(v.Test, cookie.Value)
}
