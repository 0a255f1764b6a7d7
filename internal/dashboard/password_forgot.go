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

func (f *face) forgotView(v *visit) forgotView {
	return forgotView{
		frame: f.frame(v, ""), Mail: f.Mail,
		Email: field{Name: "email", Label: "access.email", Type: "email", Autocomplete: "username", First: true},
	}
}

func (f *face) forgotPage(v *visit) error {
	view := f.forgotView(v)
	view.Sent = v.URL.Query().Has("gesendet")
	return f.render(v, http.StatusOK, view)
}

// forgot gives the same answer whether or not there is a login with the address.
func (f *face) forgot(v *visit) error {
	if !f.Mail {
		return f.render(v, http.StatusServiceUnavailable, f.forgotView(v))
	}
	err := f.Access.ForgetPassword(v.Context(), v.PostFormValue("email"), f.device(v))
	if err == nil {
		return f.goOn(v, forgotPath+"?gesendet")
	}
	view := f.forgotView(v)
	fill(v, &view.Email)
	status, said, err := f.denied(v, err, "access.wrong")
	if err != nil {
		return err
	}
	view.alert(said, &view.Email)
	return f.render(v, status, view)
}
