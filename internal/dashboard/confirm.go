package dashboard

import (
	"net/http"

	"typus"
	"typus/internal/access"
)

// confirmView asks whoever opened a letter to confirm an address with a button. Opening
// the link alone changes nothing, because mail scanners open links.
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
func (f *face) confirmation(v *visit) (confirmView, error) {
	token := v.PathValue("token")
	view := confirmView{frame: f.frame(v, ""), Action: typus.Links{}.Confirm(token)}
	view.Me = nil
	o, err := f.Access.LinkOf(v.Context(), token, typus.LinkEmail)
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
	waiting, err := f.Access.SignUpOf(v.Context(), token)
	view.Email, view.SignUp = waiting.Email, true
	view.Password = &field{Name: "password", Label: "access.chosenPassword", Type: "password", Autocomplete: "current-password"}
	return view, err
}

// presentLogin asks for the address and the password of a login.
func presentLogin() (email, password *field) {
	email = &field{Name: "email", Label: "access.confirmLogin", Hint: "access.confirmLoginHint", Type: "email", Autocomplete: "username"}
	return email, &field{Name: "password", Label: "access.confirmPassword", Type: "password", Autocomplete: "current-password"}
}

func (f *face) confirmPage(v *visit) error {
	view, err := f.confirmation(v)
	if err != nil {
		return f.orDeadLink(v, err)
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) confirm(v *visit) error {
	view, err := f.confirmation(v)
	if err != nil {
		return f.orDeadLink(v, err)
	}
	if view.SignUp {
		in, err := f.Access.ConfirmSignUp(v.Context(), v.PathValue("token"), v.PostFormValue("password"), f.StarterCredits, f.device(v))
		if err == nil {
			if err := f.begin(v, in); err != nil {
				return err
			}
			return f.goOn(v, welcomePath)
		}
		return f.confirmFailed(v, view, err)
	}
	_, err = f.Access.ConfirmEmail(v.Context(), v.PathValue("token"), v.Session, v.PostFormValue("email"), v.PostFormValue("password"), f.device(v))
	if err != nil {
		return f.confirmFailed(v, view, err)
	}
	return f.done(v, profilePath, f.say(v, "access.emailConfirmed", "Email", view.Email))
}

func (f *face) confirmFailed(v *visit, view confirmView, err error) error {
	if view.Password != nil && (typus.Is(err, typus.Unauthorized) || typus.Is(err, typus.TooMany)) {
		return f.confirmRefused(v, view, err)
	}
	if !typus.Is(err, typus.Conflict) {
		return f.orDeadLink(v, err)
	}
	view.Fault, view.Taken, view.Alert, view.Switch.None = true, true, f.say(v, "access.addressTaken"), true
	return f.render(v, http.StatusConflict, view)
}

// confirmRefused shows the form again. It does not say whether the address or the
// password of a login is wrong.
func (f *face) confirmRefused(v *visit, view confirmView, err error) error {
	wrong := "access.wrong"
	if view.SignUp {
		wrong = "access.wrongChosenPassword"
	}
	status, said, err := f.denied(v, err, wrong)
	if err != nil {
		return err
	}
	if view.Login != nil {
		fill(v, view.Login)
		view.alert(said, view.Login)
	} else {
		view.Password.Fault = said
		f.sum(&view.frame, v, view.Password)
	}
	return f.render(v, status, view)
}
