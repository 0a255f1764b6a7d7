package dashboard

import (
	"net/http"
)

// forgotView asks whom to send a link that sets a new password.
type forgotView struct {
	frame
	Email field
	Mail  bool // without a mail server only the operator can help
	Sent  bool
}

// Command prints a link on the server.
func (forgotView) Command() string { return "typus user link --account 1 --email name@example.com" }

// Template names the page.
func (forgotView) Template() string { return "forgot" }

func (f *face) forgotView(w http.ResponseWriter, r *http.Request, v visitor) forgotView {
	return forgotView{
		frame: f.frame(w, r, v, ""), Mail: f.Mail,
		Email: field{Name: "email", Label: "access.email", Type: "email", Autocomplete: "username", First: true},
	}
}

func (f *face) forgotPage(w http.ResponseWriter, r *http.Request, v visitor) error {
	view := f.forgotView(w, r, v)
	view.Sent = r.URL.Query().Has("gesendet")
	return f.render(w, v, http.StatusOK, view)
}

// forgot answers the same whether or not the address is a login.
func (f *face) forgot(w http.ResponseWriter, r *http.Request, v visitor) error {
	if !f.Mail {
		return f.render(w, v, http.StatusServiceUnavailable, f.forgotView(w, r, v))
	}
	err := f.Access.ForgetPassword(r.Context(), r.PostFormValue("email"), f.device(r))
	if err == nil {
		return f.goOn(w, r, "/passwort?gesendet")
	}
	view := f.forgotView(w, r, v)
	fill(r, &view.Email)
	status, said, err := f.refusal(w, v, err, "access.wrong")
	if err != nil {
		return err
	}
	view.alert(said, &view.Email)
	return f.render(w, v, status, view)
}
