package dashboard

import (
	"net/http"

	"typus"
)

// open answers as if there were nothing while nobody may sign up.
func (f *face) open(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, v visitor) error {
		if !f.SignUp {
			return typus.Errorf(typus.NotFound, "nobody may sign up here")
		}
		return h(w, r, v)
	}
}

// signedUpView says that a letter is on its way.
type signedUpView struct {
	frame
	Mail bool
}

// Template names the page.
func (signedUpView) Template() string { return "signedup" }

func (f *face) signUpPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	if r.URL.Query().Has("gesendet") {
		view := signedUpView{f.frame(w, r, v, ""), f.Mail}
		view.Me = nil
		return f.render(w, v, http.StatusOK, view)
	}
	view := f.foundView(w, r, v)
	view.Action = "/registrieren"
	return f.render(w, v, http.StatusOK, view)
}

// signUp answers the same whether or not the address is a login already.
func (f *face) signUp(w http.ResponseWriter, r *http.Request, v visitor) error {
	err := f.Steps.SignUp(r.Context(), founding(r), f.device(r))
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
		view.Fault, view.Alert = true, said
	}
	return f.render(w, v, status, view)
}
