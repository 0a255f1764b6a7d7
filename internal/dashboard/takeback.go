package dashboard

import (
	"net/http"

	"typus"
)

// takeBackView makes a former address the user's again, with a new password.
type takeBackView struct {
	frame
	Email    string
	Password field
	Action   string
}

// Template names the page.
func (takeBackView) Template() string { return "take_back" }

// formerAddress finds out which address a link brings back. NotFound: none.
func (f *face) formerAddress(v *visit) (takeBackView, *visit, error) {
	o, err := f.Access.LinkOf(v.Context(), v.PathValue("token"), typus.LinkRestore)
	if err != nil {
		return takeBackView{}, v, err
	}
	v = v.spoken(o)
	view := takeBackView{
		frame: f.frame(v, ""), Email: o.Link.Detail, Password: newPasswordField("password"), Action: typus.Links{}.TakeBack(v.PathValue("token")),
	}
	view.Me = nil // the link speaks for its user, whoever is logged in here
	return view, v, nil
}

func (f *face) takeBackPage(v *visit) error {
	view, v, err := f.formerAddress(v)
	if err != nil {
		return f.orDeadLink(v, err)
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) takeBack(v *visit) error {
	view, v, err := f.formerAddress(v)
	if err != nil {
		return f.orDeadLink(v, err)
	}
	in, err := f.Access.TakeBackEmail(v.Context(), v.PathValue("token"), v.PostFormValue("password"), f.device(v))
	if err == nil {
		return f.enter(v, in)
	}
	view.Switch.None = true
	switch {
	case f.blamePassword(&view.frame, v, err, &view.Password):
	case typus.Is(err, typus.Conflict):
		view.alert(f.say(v, "access.addressTaken"), &view.Password)
	default:
		return f.orDeadLink(v, err)
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}
