package dashboard

import (
	"net/http"
	"time"

	"typus"
)

// profileView is what a user sets about themselves.
type profileView struct {
	frame
	Name     *field
	Email    string
	Role     string // text key
	Since    time.Time
	HasTOTP  bool
	Left     int // recovery codes
	Sessions []sessionRow
}

// Template names the page.
func (profileView) Template() string { return "profile" }

// nameField is what a user is called, as it is stored.
func nameField(u typus.User) *field {
	return &field{Name: "name", Label: "access.name", Hint: "profile.nameHint", Autocomplete: "name", Optional: true, Value: u.Name}
}

func (f *face) profileView(v *visit) (profileView, error) {
	view := profileView{
		frame: f.settingsFrame(v, sectionProfile),
		Name:  nameField(v.User),
		Email: v.User.Email, Role: roleNames[v.User.Role], HasTOTP: v.User.HasTOTP,
	}
	view.Seen = seen(view.Name)
	list, err := f.Store.SessionsOf(v.Context(), v.Account.ID, v.User.ID)
	if err != nil {
		return view, err
	}
	view.Sessions = sessionRows(list, v.Session, f.now())
	if view.HasTOTP {
		view.Left, err = f.Store.RecoveryCodesLeft(v.Context(), v.Account.ID, v.User.ID)
	}
	return view, err
}

func (f *face) profile(v *visit) error {
	view, err := f.profileView(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) saveProfile(v *visit) error {
	view, err := f.profileView(v)
	if err != nil {
		return err
	}
	late := false
	err = f.Access.RenameUser(v.Context(), v.User, v.PostFormValue("name"), v.actor(), func(now typus.User) bool {
		view.Name = nameField(now)
		view.Seen = seen(view.Name)
		late = overtaken(v, view.Name)
		return !late
	})
	if err == nil && late {
		f.compare(&view.frame, v, view.Name)
		return f.render(v, http.StatusConflict, view)
	}
	if err == nil {
		return f.done(v, profilePath, f.say(v, "profile.saved"))
	}
	fill(v, view.Name)
	view.Seen = v.PostFormValue(seenName)
	if !f.blame(&view.frame, v, err, view.Name) {
		return err
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// profileCrumbs leads from the pages below the profile back to it.
func profileCrumbs() []crumb { return []crumb{{Label: "shell.profile", Path: profilePath}} }

// changePasswordView changes one's own password.
type changePasswordView struct {
	frame
	Present, New field
}

// Template names the page.
func (changePasswordView) Template() string { return "profile_password" }

func (f *face) changePasswordView(v *visit) changePasswordView {
	view := changePasswordView{f.settingsFrame(v, sectionProfile), presentPassword(), newPasswordField("new_password")}
	view.Crumbs, view.Present.First = profileCrumbs(), true
	return view
}

func (f *face) passwordPage(v *visit) error {
	return f.render(v, http.StatusOK, f.changePasswordView(v))
}

func (f *face) changePassword(v *visit) error {
	in, err := f.Access.ChangePassword(v.Context(), v.Session, v.User, v.Account.Name,
		v.PostFormValue("password"), v.PostFormValue("new_password"), v.actor())
	if err == nil {
		f.keep(v, in)
		return f.done(v, profilePath, f.say(v, "profile.passwordChanged"))
	}
	view := f.changePasswordView(v)
	if f.blamePassword(&view.frame, v, err, &view.New) {
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	status, err := f.refusalAt(&view.frame, v, err, "profile.wrongPassword", &view.Present, &view.New)
	if err != nil {
		return err
	}
	return f.render(v, status, view)
}

// changeEmailView asks for a new address.
type changeEmailView struct {
	frame
	Now             string
	Email, Password field
	Mail            bool
}

// Template names the page.
func (changeEmailView) Template() string { return "profile_email" }

func (f *face) changeEmailView(v *visit) changeEmailView {
	view := changeEmailView{
		frame: f.settingsFrame(v, sectionProfile), Now: v.User.Email, Password: presentPassword(), Mail: f.Mail,
		Email: field{Name: "email", Label: "profile.newEmail", Type: "email", Autocomplete: "email"},
	}
	view.Crumbs = profileCrumbs()
	return view
}

func (f *face) emailPage(v *visit) error {
	return f.render(v, http.StatusOK, f.changeEmailView(v))
}

func (f *face) changeEmail(v *visit) error {
	err := f.Access.ChangeEmail(v.Context(), v.Session, v.User, v.PostFormValue("email"), v.PostFormValue("password"), v.actor())
	if err == nil {
		return f.done(v, profilePath, f.say(v, "profile.emailSent"))
	}
	view := f.changeEmailView(v)
	fill(v, &view.Email, &view.Password)
	if f.blame(&view.frame, v, err, &view.Email, &view.Password) {
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	status, err := f.refusalAt(&view.frame, v, err, "profile.wrongPassword", &view.Password, &view.Email)
	if err != nil {
		return err
	}
	return f.render(v, status, view)
}
