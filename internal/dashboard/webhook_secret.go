package dashboard

import (
	"net/http"
	"strings"
	"time"

	"typus"
)

// secretShownFor is how long after the password was given secrets are shown
// without asking again.
const secretShownFor = 5 * time.Minute

// shownSecret is a secret in the clear with what it is.
type shownSecret struct {
	Role  typus.SecretRole
	Value string // "" when it cannot be opened
}

// Label is the text key of what the secret is.
func (s shownSecret) Label() string {
	switch s.Role {
	case typus.SecretNext:
		return "webhooks.secret.next"
	case typus.SecretPrevious:
		return "webhooks.secret.previous"
	default:
		return "webhooks.secret.current"
	}
}

// writeShown and readShown carry secrets to the page that shows them this once:
// one a line, its role before it.
func writeShown(secrets map[typus.SecretRole]string) string {
	var lines []string
	for _, role := range []typus.SecretRole{typus.SecretCurrent, typus.SecretNext, typus.SecretPrevious} {
		if value, live := secrets[role]; live {
			lines = append(lines, string(role)+" "+value)
		}
	}
	return strings.Join(lines, "\n")
}

func readShown(text string) []shownSecret {
	var shown []shownSecret
	for line := range strings.Lines(text) {
		role, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !found {
			role, value = string(typus.SecretCurrent), role // of a new webhook
		}
		shown = append(shown, shownSecret{typus.SecretRole(role), value})
	}
	return shown
}

// endpointSecretView asks for the password before a secret is shown.
type endpointSecretView struct {
	frame
	Endpoint endpointRow
	Password *field // nil: it was given a moment ago
}

// Template names the page.
func (endpointSecretView) Template() string { return "webhook_secret" }

func (f *face) endpointSecretForm(v *visit, e typus.Endpoint) endpointSecretView {
	view := endpointSecretView{frame: f.settingsFrame(v, sectionWebhooks), Endpoint: newEndpointRow(e, typus.EndpointRates{}, false)}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}, {Name: view.Endpoint.Called(), Path: endpointPath(e.ID)}}
	if !v.confirmed(f.now(), secretShownFor) {
		view.Password = &field{Name: "password", Label: "webhooks.secret.password", Type: "password", Autocomplete: "current-password"}
	}
	return view
}

func (f *face) askSecret(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, f.endpointSecretForm(v, e))
}

// showSecret shows the secrets of a webhook to whoever gave the password a moment
// ago, or gives it now.
func (f *face) showSecret(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	if !v.confirmed(f.now(), secretShownFor) {
		err := f.Access.Confirm(v.Context(), v.Session, v.PostFormValue("password"))
		if err != nil {
			return f.notConfirmed(v, f.endpointSecretForm(v, e), err)
		}
	}
	secrets, err := f.Accounts.ShowSecrets(v.Context(), v.Account.ID, e.ID, v.actor())
	if err != nil {
		return err
	}
	return f.reveal(v, endpointPath(e.ID), writeShown(secrets), f.say(v, "webhooks.secret.shown"))
}

func (f *face) notConfirmed(v *visit, view endpointSecretView, err error) error {
	status, err := f.refusalAt(&view.frame, v, err, "webhooks.secret.wrong", view.Password)
	if err != nil {
		return err
	}
	return f.render(v, status, view)
}
