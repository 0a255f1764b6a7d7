package dashboard

import (
	"errors"
	"net/http"

	"typus"
	"typus/internal/auth"
	"typus/internal/page"
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

// deadLinkView says that a one-time link is of no use.
type deadLinkView struct {
	frame
	Mail bool
}

// Template names the page.
func (deadLinkView) Template() string { return "dead" }

func (f *face) deadLink(w http.ResponseWriter, r *http.Request, v visitor) error {
	view := deadLinkView{frame: f.frame(w, r, v, ""), Mail: f.Mail}
	view.Switch.None = r.Method != http.MethodGet
	view.Me = nil
	return f.render(w, v, http.StatusNotFound, view)
}

// spoken is the visitor in the language of whom a link belongs to.
func (v visitor) spoken(r *http.Request, o store.LinkOwner) visitor {
	v.lang = page.Language(r, o.User.Language, o.Account.Language)
	return v
}

func (f *face) setPasswordView(w http.ResponseWriter, r *http.Request, v visitor, o store.LinkOwner) setPasswordView {
	view := setPasswordView{
		frame: f.frame(w, r, v, ""), Email: o.User.Email, Account: o.Account.Name, Invited: !o.User.HasPassword,
		Name:     field{Name: "name", Label: "access.name", Autocomplete: "name", Optional: true, Value: o.User.Name},
		Password: newPasswordField("password"),
		Action:   "/passwort/" + r.PathValue("token"),
	}
	view.Me = nil // the link speaks for its user, whoever is logged in here
	view.Name.First = view.Invited
	view.Password.First = !view.Invited
	return view
}

func newPasswordField(name string) field {
	return field{Name: name, Label: "access.newPassword", Hint: "access.passwordHint", Type: "password", Autocomplete: "new-password"}
}

func (f *face) setPasswordPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	o, err := f.Steps.LinkOf(r.Context(), r.PathValue("token"), typus.LinkPassword)
	if err != nil {
		return f.orDeadLink(w, r, v, err)
	}
	v = v.spoken(r, o)
	return f.render(w, v, http.StatusOK, f.setPasswordView(w, r, v, o))
}

// orDeadLink shows the page of useless links for an error that says so.
func (f *face) orDeadLink(w http.ResponseWriter, r *http.Request, v visitor, err error) error {
	if typus.Is(err, typus.NotFound) {
		return f.deadLink(w, r, v)
	}
	return err
}

func (f *face) setPassword(w http.ResponseWriter, r *http.Request, v visitor) error {
	token := r.PathValue("token")
	o, err := f.Steps.LinkOf(r.Context(), token, typus.LinkPassword)
	if err != nil {
		return f.orDeadLink(w, r, v, err)
	}
	in, err := f.Steps.SetPasswordByLink(r.Context(), token, r.PostFormValue("name"), r.PostFormValue("password"), f.device(r))
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

// passwordFaults are the words of auth.PasswordFault in the reader's language.
var passwordFaults = map[string]string{
	auth.PasswordTooShort:  "access.passwordTooShort",
	auth.PasswordTooLong:   "access.passwordTooLong",
	auth.PasswordPersonal:  "access.passwordPersonal",
	auth.PasswordCommon:    "access.passwordCommon",
	auth.PasswordMalformed: "access.passwordMalformed",
}

// blamePassword is blame that says in particular what is wrong with a new
// password.
func (f *face) blamePassword(fr *frame, v visitor, err error, password *field, others ...*field) bool {
	e, ok := errors.AsType[*typus.Error](err)
	if !ok || e.Kind != typus.Invalid {
		return false
	}
	rest := *e
	rest.Fields = nil
	for _, fault := range e.Fields {
		if key := passwordFaults[fault.Msg]; fault.Name == password.Name && key != "" {
			password.Fault = f.say(v, key)
			continue
		}
		rest.Fields = append(rest.Fields, fault)
	}
	if len(rest.Fields) == 0 {
		f.sum(fr, v, append(others, password)...)
		return true
	}
	return f.blame(fr, v, &rest, append(others, password)...)
}
