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

func (f *face) setPasswordView(w http.ResponseWriter, r *http.Request, v visitor, o store.LinkOwner) setPasswordView {
	view := setPasswordView{
		frame: f.frame(w, r, v, ""), Email: o.User.Email, Account: o.Account.Name, Invited: !o.User.HasPassword,
		Name:     field{Name: "name", Label: "access.name", Autocomplete: "name", Optional: true, Value: o.User.Name},
		Password: newPasswordField("password"),
		Action:   typus.Links{}.Password(r.PathValue("token")),
	}
	view.Me = nil // the link speaks for its user, whoever is logged in here
	view.Name.First = view.Invited
	view.Password.First = !view.Invited
	return view
}

func (f *face) setPasswordPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	o, err := f.Access.LinkOf(r.Context(), r.PathValue("token"), typus.LinkPassword)
	if err != nil {
		return f.orDeadLink(w, r, v, err)
	}
	v = v.spoken(r, o)
	return f.render(w, v, http.StatusOK, f.setPasswordView(w, r, v, o))
}

func (f *face) setPassword(w http.ResponseWriter, r *http.Request, v visitor) error {
	token := r.PathValue("token")
	o, err := f.Access.LinkOf(r.Context(), token, typus.LinkPassword)
	if err != nil {
		return f.orDeadLink(w, r, v, err)
	}
	in, err := f.Access.SetPasswordByLink(r.Context(), token, r.PostFormValue("name"), r.PostFormValue("password"), f.device(r))
	if err == nil {
		return f.enter(w, r, v, in)
	}
	v = v.spoken(r, o)
	view := f.setPasswordView(w, r, v, o)
	fill(r, &view.Name, &view.Password)
	view.Switch.None = true
	switch {
	case f.blamePassword(&view.frame, v, err, &view.Password, &view.Name):
	case typus.Is(err, typus.Conflict):
		view.alert(f.say(v, "access.addressTaken"), &view.Name, &view.Password)
	default:
		return f.orDeadLink(w, r, v, err)
	}
	return f.render(w, v, http.StatusUnprocessableEntity, view)
}
