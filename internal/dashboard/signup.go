package dashboard

import (
	"net/http"

	"typus"
)

// open guards the pages of the sign-up. While sign-up is closed it answers as if the
// page did not exist. Without a mail server it says that nobody can sign up, because
// nothing can bring the link that makes the account.
func (f *face) open(h handler) handler {
	return func(v *visit) error {
		switch {
		case !f.SignUp:
			return typus.Errorf(typus.NotFound, "nobody may sign up here")
		case f.Mail:
			return h(v)
		case v.Method == http.MethodPost:
			return f.goOn(v, signUpPath)
		}
		view := noSignUpView{f.frame(v, "")}
		view.Me = nil
		return f.render(v, http.StatusOK, view)
	}
}

// noSignUpView says that nobody can sign up yet.
type noSignUpView struct{ frame }

// Template names the page.
func (noSignUpView) Template() string { return "no_sign_up" }

// signedUpView says that a letter is on its way.
type signedUpView struct{ frame }

// Template names the page.
func (signedUpView) Template() string { return "signed_up" }

func (f *face) signUpPage(v *visit) error {
	if v.URL.Query().Has("gesendet") {
		view := signedUpView{f.frame(v, "")}
		view.Me = nil
		return f.render(v, http.StatusOK, view)
	}
	view := f.foundView(v)
	view.Action = signUpPath
	return f.render(v, http.StatusOK, view)
}

// signUp gives the same answer whether or not there is already a login with the
// address.
func (f *face) signUp(v *visit) error {
	err := f.Access.SignUp(v.Context(), founding(v), f.device(v))
	if err == nil {
		return f.goOn(v, signUpPath+"?gesendet")
	}
	view := f.foundView(v)
	view.Action = signUpPath
	fill(v, view.fields()...)
	view.Switch.None = true
	status := http.StatusUnprocessableEntity
	if !f.blamePassword(&view.frame, v, err, &view.Password, &view.Company, &view.Language, &view.Name, &view.Email, &view.Keep) {
		var said string
		if status, said, err = f.denied(v, err, "access.wrong"); err != nil {
			return err
		}
		view.alert(said, view.fields()...)
	}
	return f.render(v, status, view)
}
