package dashboard

import (
	"errors"
	"net/http"

	"typus"
	"typus/internal/accounts"
	"typus/internal/webhook"
)

// endpointFormView asks for the address of a webhook, of a new one or of one that is
// there.
type endpointFormView struct {
	frame
	ID          int64 // 0: a new one
	URL         *field
	Description *field
	Open        openings
	Back        string
}

// Template names the page.
func (endpointFormView) Template() string { return "webhook_form" }

func (f *face) endpointForm(v *visit) endpointFormView {
	view := endpointFormView{
		frame:       f.settingsFrame(v, sectionWebhooks),
		URL:         &field{Name: "url", Label: "webhooks.url", Hint: "webhooks.url.hint", Type: "url", InputMode: "url", Autocomplete: "off"},
		Description: &field{Name: "description", Label: "webhooks.description", Hint: "webhooks.description.hint", Autocomplete: "off", Optional: true},
		Open:        f.openings(), Back: endpointsPath,
	}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}}
	return view
}

// faulty answers a form that was not accepted. An error that is not about the
// form is returned as it is.
func (f *face) faulty(v *visit, view endpointFormView, err error) error {
	fill(v, view.URL, view.Description)
	if !f.blame(&view.frame, v, err, view.URL, view.Description) {
		return err
	}
	if refused, ok := errors.AsType[webhook.Refusal](err); ok {
		view.URL.Fault = f.say(v, refusalKeys[refused])
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}

func (f *face) newEndpoint(v *visit) error {
	return f.render(v, http.StatusOK, f.endpointForm(v))
}

// createEndpoint makes a webhook; its page shows the secret this once.
func (f *face) createEndpoint(v *visit) error {
	id, secret, err := f.Accounts.CreateEndpoint(v.Context(), v.Account.ID, v.PostFormValue("url"), v.PostFormValue("description"), v.actor())
	if sent, err := f.sentBefore(v, err, endpointPath); sent {
		return err
	}
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, endpointsPath, f.say(v, "webhooks.full", "Most", accounts.MaxEndpoints))
	}
	if err != nil {
		return f.faulty(v, f.endpointForm(v), err)
	}
	return f.reveal(v, endpointPath(id), secret, f.say(v, "webhooks.created"))
}
