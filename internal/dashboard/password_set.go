package dashboard

import (
	"net/http"

	"typus"
	"typus/internal/store"
)

// setPasswordView sets a password by a one-time link: of an invitation, or of a
// forgotten password.
type setPasswordView struct {
	frame
	Email, Account string
	Invited        bool // the first password
	Name, Password field
	Action         string
}

// Template names the page.
func (setPasswordView) Template() string { return "password" }

func (f *face) setPasswordView(v *visit, o store.LinkOwner) setPasswordView {
	view := setPasswordView{
		frame: f.frame(v, ""), Email: o.User.Email, Account: o.Account.Name, Invited: !o.User.HasPassword,
		Name:     field{Name: "name", Label: "access.name", Autocomplete: "name", Optional: true, Value: o.User.Name},
		Password: newPasswordField("password"),
		Action:   typus.Links{}.Password(v.PathValue("token")),
	}
	view.Me = nil // the link speaks for its user, whoever is logged in here
	view.Name.First = view.Invited
	view.Password.First = !view.Invited
	return view
}

func (f *face) setPasswordPage(v *visit) error {
	o, err := f.Access.LinkOf(v.Context(), v.PathValue("token"), typus.LinkPassword)
	if err != nil {
		return f.orDeadLink(v, err)
	}
	v = v.spoken(o)
	return f.render(v, http.StatusOK, f.setPasswordView(v, o))
}

func (f *face) setPassword(v *visit) error {
	token := v.PathValue("token")
	o, err := f.Access.LinkOf(v.Context(), token, typus.LinkPassword)
	if err != nil {
		return f.orDeadLink(v, err)
	}
	in, err := f.Access.SetPasswordByLink(v.Context(), token, v.PostFormValue("name"), v.PostFormValue("password"), f.device(v))
	if err == nil {
		return f.enter(v, in)
	}
	v = v.spoken(o)
	view := f.setPasswordView(v, o)
	fill(v, &view.Name, &view.Password)
	view.Switch.None = true
	switch {
	case f.blamePassword(&view.frame, v, err, &view.Password, &view.Name):
	case typus.Is(err, typus.Conflict):
		view.alert(f.say(v, "access.addressTaken"), &view.Name, &view.Password)
	default:
		return f.orDeadLink(v, err)
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}
