package dashboard

import (
	"net/http"
	"time"
)

// profileView is what a user sets about themselves.
type profileView struct {
	frame
	Name     field
	Email    string
	Role     string // text key
	Since    time.Time
	HasTOTP  bool
	Left     int // recovery codes
	Sessions []sessionRow
}

// Template names the page.
func (profileView) Template() string { return "profile" }

func (f *face) profileView(w http.ResponseWriter, r *http.Request, v visitor) (profileView, error) {
	view := profileView{
		frame: f.settingsFrame(w, r, v, sectionProfile),
		Name:  field{Name: "name", Label: "access.name", Hint: "profile.nameHint", Autocomplete: "name", Optional: true, Value: v.User.Name},
		Email: v.User.Email, Role: roleNames[v.User.Role], HasTOTP: v.User.HasTOTP,
	}
	list, err := f.Store.SessionsOf(r.Context(), v.Account.ID, v.User.ID)
	if err != nil {
		return view, err
	}
	view.Sessions = sessionRows(list, v.Session, f.now())
	if view.HasTOTP {
		view.Left, err = f.Store.RecoveryCodesLeft(r.Context(), v.Account.ID, v.User.ID)
	}
	return view, err
}

func (f *face) profile(w http.ResponseWriter, r *http.Request, v visitor) error {
	view, err := f.profileView(w, r, v)
	if err != nil {
		return err
	}
	return f.render(w, v, http.StatusOK, view)
}

func (f *face) saveProfile(w http.ResponseWriter, r *http.Request, v visitor) error {
	err := f.Access.RenameUser(r.Context(), v.User, r.PostFormValue("name"), v.actor(r))
	if err == nil {
		return f.done(w, r, v, profilePath, f.say(v, "profile.saved"))
	}
	view, viewErr := f.profileView(w, r, v)
	if viewErr != nil {
		return viewErr
	}
	fill(r, &view.Name)
	if !f.blame(&view.frame, v, err, &view.Name) {
		return err
	}
	return f.render(w, v, http.StatusUnprocessableEntity, view)
}

// profileCrumbs leads from the pages below the profile back to it.
func profileCrumbs() []crumb { return []crumb{{Label: "shell.profile", Path: profilePath}} }

// changePasswordView changes one's own password.
type changePasswordView struct {
	frame
	Present, New field
}

// Template names the page.
func (changePasswordView) Template() string { return "profilepassword" }

func (f *face) changePasswordView(w http.ResponseWriter, r *http.Request, v visitor) changePasswordView {
	view := changePasswordView{f.settingsFrame(w, r, v, sectionProfile), presentPassword(), newPasswordField("new_password")}
	view.Crumbs, view.Present.First = profileCrumbs(), true
	return view
}

func (f *face) passwordPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	return f.render(w, v, http.StatusOK, f.changePasswordView(w, r, v))
}

func (f *face) changePassword(w http.ResponseWriter, r *http.Request, v visitor) error {
	in, err := f.Access.ChangePassword(r.Context(), v.Session, v.User, v.Account.Name,
		r.PostFormValue("password"), r.PostFormValue("new_password"), v.actor(r))
	if err == nil {
		f.keep(w, in)
		return f.done(w, r, v, profilePath, f.say(v, "profile.passwordChanged"))
	}
	view := f.changePasswordView(w, r, v)
	if f.blamePassword(&view.frame, v, err, &view.New) {
		return f.render(w, v, http.StatusUnprocessableEntity, view)
	}
	status, said, err := f.refusal(w, v, err, "profile.wrongPassword")
	if err != nil {
		return err
	}
	view.Present.Fault = said
	f.sum(&view.frame, v, &view.Present, &view.New)
	return f.render(w, v, status, view)
}

// changeEmailView asks for a new address.
type changeEmailView struct {
	frame
	Now             string
	Email, Password field
	Mail            bool
}

// Template names the page.
func (changeEmailView) Template() string { return "profileemail" }

func (f *face) changeEmailView(w http.ResponseWriter, r *http.Request, v visitor) changeEmailView {
	view := changeEmailView{
		frame: f.settingsFrame(w, r, v, sectionProfile), Now: v.User.Email, Password: presentPassword(), Mail: f.Mail,
		Email: field{Name: "email", Label: "profile.newEmail", Type: "email", Autocomplete: "email"},
	}
	view.Crumbs = profileCrumbs()
	return view
}

func (f *face) emailPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	return f.render(w, v, http.StatusOK, f.changeEmailView(w, r, v))
}

func (f *face) changeEmail(w http.ResponseWriter, r *http.Request, v visitor) error {
	err := f.Access.ChangeEmail(r.Context(), v.Session, v.User, r.PostFormValue("email"), r.PostFormValue("password"), v.actor(r))
	if err == nil {
		return f.done(w, r, v, profilePath, f.say(v, "profile.emailSent"))
	}
	view := f.changeEmailView(w, r, v)
	fill(r, &view.Email, &view.Password)
	if f.blame(&view.frame, v, err, &view.Email, &view.Password) {
		return f.render(w, v, http.StatusUnprocessableEntity, view)
	}
	status, said, err := f.refusal(w, v, err, "profile.wrongPassword")
	if err != nil {
		return err
	}
	view.Password.Fault = said
	f.sum(&view.frame, v, &view.Email, &view.Password)
	return f.render(w, v, status, view)
}
