package dashboard

import (
	"errors"
	"net/http"

	"typus"
	"typus/internal/accounts"
	"typus/internal/webhook"
)

// hookFormView asks for the address of a webhook, of a new one or of one that is
// there.
type hookFormView struct {
	frame
	ID          int64 // 0: a new one
	URL         *field
	Description *field
	Open        openings
	Back        string
}

// Template names the page.
func (hookFormView) Template() string { return "webhook-form" }

func (f *face) hookForm(v *visit) hookFormView {
	view := hookFormView{
		frame:       f.settingsFrame(v, sectionWebhooks),
		URL:         &field{Name: "url", Label: "webhooks.url", Hint: "webhooks.url.hint", Type: "url", InputMode: "url", Autocomplete: "off"},
		Description: &field{Name: "description", Label: "webhooks.description", Hint: "webhooks.description.hint", Autocomplete: "off", Optional: true},
		Open:        f.openings(), Back: hooksPath,
	}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: hooksPath}}
	return view
}

// faulty answers a form that was not accepted. An error that is not about the
// form is returned as it is.
func (f *face) faulty(v *visit, view hookFormView, err error) error {
	fill(v, view.URL, view.Description)
	if !f.blame(&view.frame, v, err, view.URL, view.Description) {
		return err
	}
	if refused, ok := errors.AsType[webhook.Refusal](err); ok {
		view.URL.Fault = f.say(v, refusalKeys[refused])
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}

func (f *face) newHook(v *visit) error {
	return f.render(v, http.StatusOK, f.hookForm(v))
}

// createHook makes a webhook; its page shows the secret this once.
func (f *face) createHook(v *visit) error {
	id, secret, err := f.Accounts.CreateEndpoint(v.Context(), v.Account.ID, v.PostFormValue("url"), v.PostFormValue("description"), v.actor())
	if sent, err := f.sentBefore(v, err, hookPath); sent {
		return err
	}
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, hooksPath, f.say(v, "webhooks.full", "Most", accounts.MaxEndpoints))
	}
	if err != nil {
		return f.faulty(v, f.hookForm(v), err)
	}
	return f.reveal(v, hookPath(id), secret, f.say(v, "webhooks.created"))
}
