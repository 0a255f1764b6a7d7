package dashboard

import (
	"net/http"

	"typus"
)

// open answers as if there were nothing while nobody may sign up, and says so
// where nobody can: without a mail server nothing brings the link that makes the
// account.
func (f *face) open(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, v visitor) error {
		switch {
		case !f.SignUp:
			return typus.Errorf(typus.NotFound, "nobody may sign up here")
		case f.Mail:
			return h(w, r, v)
		case r.Method == http.MethodPost:
			return f.goOn(w, r, "/registrieren")
		}
		view := noSignUpView{f.frame(w, r, v, "")}
		view.Me = nil
		return f.render(w, v, http.StatusOK, view)
	}
}

// noSignUpView says that nobody can sign up yet.
type noSignUpView struct{ frame }

// Template names the page.
func (noSignUpView) Template() string { return "nosignup" }

// signedUpView says that a letter is on its way.
type signedUpView struct{ frame }

// Template names the page.
func (signedUpView) Template() string { return "signedup" }

func (f *face) signUpPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	if r.URL.Query().Has("gesendet") {
		view := signedUpView{f.frame(w, r, v, "")}
		view.Me = nil
		return f.render(w, v, http.StatusOK, view)
	}
	view := f.foundView(w, r, v)
	view.Action = "/registrieren"
	return f.render(w, v, http.StatusOK, view)
}

// signUp answers the same whether or not the address is a login already.
func (f *face) signUp(w http.ResponseWriter, r *http.Request, v visitor) error {
	err := f.Access.SignUp(r.Context(), founding(r), f.device(r))
	if err == nil {
		return f.goOn(w, r, "/registrieren?gesendet")
	}
	view := f.foundView(w, r, v)
	view.Action = "/registrieren"
	fill(r, view.fields()...)
	view.Switch.None = true
	status := http.StatusUnprocessableEntity
	if !f.blamePassword(&view.frame, v, err, &view.Password, &view.Company, &view.Language, &view.Name, &view.Email) {
		var said string
		if status, said, err = f.refusal(w, v, err, "access.wrong"); err != nil {
			return err
		}
		view.alert(said, view.fields()...)
	}
	return f.render(w, v, status, view)
}
