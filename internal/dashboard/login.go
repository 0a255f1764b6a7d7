package dashboard

import (
	"context"
	"net/http"
)

// loginView asks for address and password.
type loginView struct {
	frame
	Email, Password field
	Back            string // where to go afterwards, "" for the candidates
	SignUp          bool   // offer to make an account
	Setup           bool   // there is no account yet; say how the first one is made
}

// Commands make the first account and its owner on the server.
func (loginView) Commands() string {
	return "typus account create --name \"Muster GmbH\"\ntypus user create --account 1 \\\n  --email name@example.com"
}

// Template names the page.
func (loginView) Template() string { return "login" }

func (f *face) loginView(w http.ResponseWriter, r *http.Request, v visitor) loginView {
	fr := f.frame(w, r, v, "")
	return loginView{
		frame:    fr,
		Email:    field{Name: "email", Label: "access.email", Type: "email", Autocomplete: "username", First: fr.Flash.Text == ""},
		Password: field{Name: "password", Label: "access.password", Type: "password", Autocomplete: "current-password"},
		Back:     ownPath(r.FormValue("weiter")), SignUp: f.SignUp && f.Mail,
	}
}

func (f *face) loginPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	if v.known() {
		return f.goOn(w, r, "")
	}
	view := f.loginView(w, r, v)
	var err error
	if view.Setup, err = f.unfounded(r.Context()); err != nil {
		return err
	}
	return f.render(w, v, http.StatusOK, view)
}

// unfounded reports whether there is no account yet. Accounts stay, so nobody is
// asked again once there is one.
func (f *face) unfounded(ctx context.Context) (bool, error) {
	if f.founded.Load() {
		return false, nil
	}
	any, err := f.Store.AnyAccount(ctx)
	if any {
		f.founded.Store(true)
	}
	return err == nil && !any, err
}

func (f *face) login(w http.ResponseWriter, r *http.Request, v visitor) error {
	in, err := f.Access.LogIn(r.Context(), r.PostFormValue("email"), r.PostFormValue("password"), f.device(r))
	if err == nil {
		return f.enter(w, r, v, in)
	}
	view := f.loginView(w, r, v)
	fill(r, &view.Email, &view.Password)
	status, said, err := f.refusal(w, v, err, "access.wrong")
	if err != nil {
		return err
	}
	view.alert(said, &view.Email)
	return f.render(w, v, status, view)
}

// codeView asks for the second factor.
type codeView struct {
	frame
	Code field
	Back string
}

// Template names the page.
func (codeView) Template() string { return "code" }

func (f *face) codeView(w http.ResponseWriter, r *http.Request, v visitor) codeView {
	view := codeView{
		frame: f.frame(w, r, v, ""),
		Code:  codeField(),
		Back:  ownPath(r.FormValue("weiter")),
	}
	view.Code.First = view.Flash.Text == ""
	return view
}

// half reports whether the password was right and the second factor is to come.
func (v visitor) half() bool { return v.User.ID != 0 && !v.Verified }

func (f *face) codePage(w http.ResponseWriter, r *http.Request, v visitor) error {
	switch {
	case v.known():
		return f.goOn(w, r, ownPath(r.FormValue("weiter")))
	case !v.half():
		return f.goOn(w, r, withBack("/anmelden", ownPath(r.FormValue("weiter"))))
	}
	return f.render(w, v, http.StatusOK, f.codeView(w, r, v))
}

func (f *face) enterCode(w http.ResponseWriter, r *http.Request, v visitor) error {
	if v.User.ID == 0 { // the wait for the code is over
		return f.goOn(w, r, tooLate(withBack("/anmelden", ownPath(r.FormValue("weiter"))), "code"))
	}
	if !v.half() {
		return f.codePage(w, r, v)
	}
	in, err := f.Access.EnterCode(r.Context(), v.Session, r.PostFormValue("code"), f.device(r))
	if err == nil {
		f.keep(w, in)
		return f.goOn(w, r, ownPath(r.FormValue("weiter")))
	}
	view := f.codeView(w, r, v)
	status, said, err := f.refusal(w, v, err, "access.wrongCode")
	if err != nil {
		return err
	}
	view.Code.Fault = said
	f.sum(&view.frame, v, &view.Code)
	return f.render(w, v, status, view)
}
