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

func (f *face) loginView(v *visit) loginView {
	fr := f.frame(v, "")
	return loginView{
		frame:    fr,
		Email:    field{Name: "email", Label: "access.email", Type: "email", Autocomplete: "username", First: fr.Flash.Text == ""},
		Password: field{Name: "password", Label: "access.password", Type: "password", Autocomplete: "current-password"},
		Back:     ownPath(v.FormValue("weiter")), SignUp: f.SignUp && f.Mail,
	}
}

func (f *face) loginPage(v *visit) error {
	if v.known() {
		return f.goOn(v, ownPath(v.URL.Query().Get("weiter")))
	}
	view := f.loginView(v)
	var err error
	if view.Setup, err = f.unfounded(v.Context()); err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// unfounded reports whether there is no account yet. Accounts stay, so once there is
// one the database is not asked again.
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

func (f *face) login(v *visit) error {
	in, err := f.Access.LogIn(v.Context(), v.PostFormValue("email"), v.PostFormValue("password"), f.device(v))
	if err == nil {
		return f.enter(v, in)
	}
	view := f.loginView(v)
	fill(v, &view.Email, &view.Password)
	status, said, err := f.denied(v, err, "access.wrong")
	if err != nil {
		return err
	}
	view.alert(said, &view.Email)
	return f.render(v, status, view)
}

// codeView asks for the second factor.
type codeView struct {
	frame
	Code field
	Back string
}

// Template names the page.
func (codeView) Template() string { return "code" }

func (f *face) codeView(v *visit) codeView {
	view := codeView{
		frame: f.frame(v, ""),
		Code:  codeField(),
		Back:  ownPath(v.FormValue("weiter")),
	}
	view.Code.First = view.Flash.Text == ""
	return view
}

// half reports whether the password was right and the second factor is to come.
func (v visitor) half() bool { return v.User.ID != 0 && !v.Verified }

func (f *face) codePage(v *visit) error {
	switch {
	case v.known():
		return f.goOn(v, ownPath(v.FormValue("weiter")))
	case !v.half():
		return f.goOn(v, withBack(loginPath, ownPath(v.FormValue("weiter"))))
	}
	return f.render(v, http.StatusOK, f.codeView(v))
}

func (f *face) enterCode(v *visit) error {
	if v.User.ID == 0 { // the wait for the code is over
		return f.goOn(v, tooLate(withBack(loginPath, ownPath(v.FormValue("weiter"))), "code"))
	}
	if !v.half() {
		return f.codePage(v)
	}
	in, err := f.Access.EnterCode(v.Context(), v.Session, v.PostFormValue("code"), f.device(v))
	if err == nil {
		f.keep(v, in)
		return f.goOn(v, ownPath(v.FormValue("weiter")))
	}
	view := f.codeView(v)
	status, err := f.refusalAt(&view.frame, v, err, "access.wrongCode", &view.Code)
	if err != nil {
		return err
	}
	return f.render(v, status, view)
}
