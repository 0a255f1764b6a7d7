package testpage

import (
	"net/http"

	"typus"
	"typus/internal/assess"
	"typus/internal/page"
	"typus/internal/web"
)

// confirmView asks whoever opened the letter to confirm the address with a button. Opening the
// link alone changes nothing, because mail scanners open links.
type confirmView struct {
	frame
	Name, Email string
	Action      string
}

// Template names the page.
func (confirmView) Template() string { return "enrol_confirm" }

// enrolled calls h for what was typed at a public link, named by the token of its letter.
func (f *face) enrolled(h func(w http.ResponseWriter, r *http.Request, e assess.Enrolled) error) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		e, err := f.steps.Enrolled(r.Context(), r.PathValue("token"))
		if typus.Is(err, typus.NotFound) {
			return f.unknown(w, r)
		}
		if err != nil {
			return err
		}
		return h(w, r, e)
	}
}

func (f *face) confirmPage(w http.ResponseWriter, r *http.Request, e assess.Enrolled) error {
	if e.CandidateID != 0 {
		return f.confirm(w, r, e) // which leads to the test, as before
	}
	lang := page.PersonsLanguage(r, e.Language, "")
	base := typus.GuestLinks{}.Enrolment(r.PathValue("token"))
	return f.pages.Render(w, http.StatusOK, lang, confirmView{
		frame: publicFrame(r, base, e.Link.Account), Name: e.Name, Email: e.Email, Action: base + "?lang=" + lang,
	})
}

// confirm leads to the test of whoever confirms.
func (f *face) confirm(w http.ResponseWriter, r *http.Request, e assess.Enrolled) error {
	token, err := f.steps.Confirm(r.Context(), r.PathValue("token"))
	switch stand := assess.Shut(err); {
	case stand != "":
		base := typus.GuestLinks{}.Enrolment(r.PathValue("token"))
		view := newShutView(publicFrame(r, base, e.Link.Account), stand, e.Link.EndsAt)
		view.Told = stand == typus.PublicUnpaid
		return f.pages.Render(w, http.StatusGone, page.PersonsLanguage(r, e.Language, ""), view)
	case typus.Is(err, typus.NotFound):
		return f.unknown(w, r)
	case err != nil:
		return err
	}
	http.Redirect(w, r, typus.GuestLinks{}.Test(token), http.StatusSeeOther)
	return nil
}

func (f *face) confirmLogo(w http.ResponseWriter, r *http.Request, e assess.Enrolled) error {
	return f.logoOf(w, r, e.Link.Account)
}
