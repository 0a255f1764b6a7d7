package testpage

import (
	"net/http"
	"regexp"

	"typus"
	"typus/internal/page"
)

// ownPage is what the language switch may lead back to: a page of the same
// test that answers GET, never an address that the form could choose freely.
var ownPage = regexp.MustCompile(`^(probe|frage/[0-9]{1,3}(\?ziel=abgabe)?|pause/[0-9]{1,2}|abgabe|fertig|ergebnis(/code|/daten)?|absage|barrierefreiheit)$`)

// setLanguage stores the choice with the candidate, so that it holds on every
// device, and on this device for pages that know no candidate.
func (f *face) setLanguage(w http.ResponseWriter, r *http.Request, v visit) error {
	lang := r.PostFormValue("sprache")
	if !page.Speaks(lang) {
		return typus.Errorf(typus.Invalid, "there are no pages in this language")
	}
	if err := f.steps.SetLanguage(r.Context(), v.token, lang); err != nil {
		return err
	}
	page.RememberLanguage(w, lang, f.links.Secure())
	back := r.PostFormValue("seite")
	if !ownPage.MatchString(back) {
		back = ""
	}
	return v.redirect(w, r, back)
}
