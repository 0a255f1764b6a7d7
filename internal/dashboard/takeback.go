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
func (takeBackView) Template() string { return "takeback" }

// formerAddress finds out which address a link brings back. NotFound: none.
func (f *face) formerAddress(w http.ResponseWriter, r *http.Request, v visitor) (takeBackView, visitor, error) {
	o, err := f.Access.LinkOf(r.Context(), r.PathValue("token"), typus.LinkRestore)
	if err != nil {
		return takeBackView{}, v, err
	}
	v = v.spoken(r, o)
	view := takeBackView{
		frame: f.frame(w, r, v, ""), Email: o.Link.Detail, Password: newPasswordField("password"), Action: typus.Links{}.TakeBack(r.PathValue("token")),
	}
	view.Me = nil // the link speaks for its user, whoever is logged in here
	return view, v, nil
}

func (f *face) takeBackPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	view, v, err := f.formerAddress(w, r, v)
	if err != nil {
		return f.orDeadLink(w, r, v, err)
	}
	return f.render(w, v, http.StatusOK, view)
}

func (f *face) takeBack(w http.ResponseWriter, r *http.Request, v visitor) error {
	view, v, err := f.formerAddress(w, r, v)
	if err != nil {
		return f.orDeadLink(w, r, v, err)
	}
	in, err := f.Access.TakeBackEmail(r.Context(), r.PathValue("token"), r.PostFormValue("password"), f.device(r))
	if err == nil {
		return f.enter(w, r, v, in)
	}
	view.Switch.None = true
	switch {
	case f.blamePassword(&view.frame, v, err, &view.Password):
	case typus.Is(err, typus.Conflict):
		view.alert(f.say(v, "access.addressTaken"), &view.Password)
	default:
		return f.orDeadLink(w, r, v, err)
	}
	return f.render(w, v, http.StatusUnprocessableEntity, view)
}
