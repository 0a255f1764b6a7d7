package dashboard

import (
	"net/http"

	"typus"
	"typus/internal/access"
)

// confirmView asks whoever opened a letter to confirm an address with a button: a
// GET changes nothing, since scanners of mail open links.
type confirmView struct {
	frame
	Email  string
	SignUp bool // makes an account; otherwise the address of a user changes
	Action string
	Taken  bool

	Login    *field // by which the user logs in so far: a letter to a mistyped address must not tell it; nil: nobody asks
	Password *field // that was chosen at the sign-up, or of the user; nil: whose address changes is logged in
}

// Template names the page.
func (confirmView) Template() string { return "confirm" }

// confirmation finds out what a link confirms. NotFound: nothing.
func (f *face) confirmation(w http.ResponseWriter, r *http.Request, v visitor) (confirmView, error) {
	token := r.PathValue("token")
	view := confirmView{frame: f.frame(w, r, v, ""), Action: typus.Links{}.Confirm(token)}
	view.Me = nil
	o, err := f.Access.LinkOf(r.Context(), token, typus.LinkEmail)
	if err == nil {
		view.Email = o.Link.Detail
		if !access.Owns(v.Session, o.User) {
			view.Login, view.Password = presentLogin()
		}
		return view, nil
	}
	if !typus.Is(err, typus.NotFound) || !f.SignUp {
		return view, err
	}
	waiting, err := f.Access.SignUpOf(r.Context(), token)
	view.Email, view.SignUp = waiting.Email, true
	view.Password = &field{Name: "password", Label: "access.chosenPassword", Type: "password", Autocomplete: "current-password"}
	return view, err
}

// presentLogin asks for the address and the password of a login.
func presentLogin() (email, password *field) {
	email = &field{Name: "email", Label: "access.confirmLogin", Hint: "access.confirmLoginHint", Type: "email", Autocomplete: "username"}
	return email, &field{Name: "password", Label: "access.confirmPassword", Type: "password", Autocomplete: "current-password"}
}

func (f *face) confirmPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	view, err := f.confirmation(w, r, v)
	if err != nil {
		return f.orDeadLink(w, r, v, err)
	}
	return f.render(w, v, http.StatusOK, view)
}

func (f *face) confirm(w http.ResponseWriter, r *http.Request, v visitor) error {
	view, err := f.confirmation(w, r, v)
	if err != nil {
		return f.orDeadLink(w, r, v, err)
	}
	if view.SignUp {
		in, err := f.Access.ConfirmSignUp(r.Context(), r.PathValue("token"), r.PostFormValue("password"), f.StarterCredits, f.device(r))
		if err == nil {
			if err := f.begin(w, r, v, in); err != nil {
				return err
			}
			return f.goOn(w, r, "/dashboard/willkommen")
		}
		return f.confirmFailed(w, r, v, view, err)
	}
	_, err = f.Access.ConfirmEmail(r.Context(), r.PathValue("token"), v.Session, r.PostFormValue("email"), r.PostFormValue("password"), f.device(r))
	if err != nil {
		return f.confirmFailed(w, r, v, view, err)
	}
	return f.done(w, r, v, "/dashboard/einstellungen/profil", f.say(v, "access.emailConfirmed", "Email", view.Email))
}

func (f *face) confirmFailed(w http.ResponseWriter, r *http.Request, v visitor, view confirmView, err error) error {
	if view.Password != nil && (typus.Is(err, typus.Unauthorized) || typus.Is(err, typus.TooMany)) {
		return f.confirmRefused(w, r, v, view, err)
	}
	if !typus.Is(err, typus.Conflict) {
		return f.orDeadLink(w, r, v, err)
	}
	view.Fault, view.Taken, view.Alert, view.Switch.None = true, true, f.say(v, "access.addressTaken"), true
	return f.render(w, v, http.StatusConflict, view)
}

// confirmRefused shows the form again. Of a login it does not say which of the two is
// wrong.
func (f *face) confirmRefused(w http.ResponseWriter, r *http.Request, v visitor, view confirmView, err error) error {
	wrong := "access.wrong"
	if view.SignUp {
		wrong = "access.wrongChosenPassword"
	}
	status, said, err := f.refusal(w, v, err, wrong)
	if err != nil {
		return err
	}
	if view.Login != nil {
		fill(r, view.Login)
		view.alert(said, view.Login)
	} else {
		view.Password.Fault = said
		f.sum(&view.frame, v, view.Password)
	}
	return f.render(w, v, status, view)
}
