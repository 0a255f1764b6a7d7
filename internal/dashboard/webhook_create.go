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

func (f *face) hookForm(w http.ResponseWriter, r *http.Request, v visitor) hookFormView {
	view := hookFormView{
		frame:       f.settingsFrame(w, r, v, sectionWebhooks),
		URL:         &field{Name: "url", Label: "webhooks.url", Hint: "webhooks.url.hint", Type: "url", InputMode: "url", Autocomplete: "off"},
		Description: &field{Name: "description", Label: "webhooks.description", Hint: "webhooks.description.hint", Autocomplete: "off", Optional: true},
		Open:        f.openings(), Back: hooksPath,
	}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: hooksPath}}
	return view
}

// faulty answers a form that was not accepted. An error that is not about the
// form is returned as it is.
func (f *face) faulty(w http.ResponseWriter, r *http.Request, v visitor, view hookFormView, err error) error {
	fill(r, view.URL, view.Description)
	if !f.blame(&view.frame, v, err, view.URL, view.Description) {
		return err
	}
	if refused, ok := errors.AsType[webhook.Refusal](err); ok {
		view.URL.Fault = f.say(v, refusalKeys[refused])
	}
	return f.render(w, v, http.StatusUnprocessableEntity, view)
}

func (f *face) newHook(w http.ResponseWriter, r *http.Request, v visitor) error {
	return f.render(w, v, http.StatusOK, f.hookForm(w, r, v))
}

// createHook makes a webhook; its page shows the secret this once.
func (f *face) createHook(w http.ResponseWriter, r *http.Request, v visitor) error {
	id, secret, err := f.Accounts.CreateEndpoint(r.Context(), v.Account.ID, r.PostFormValue("url"), r.PostFormValue("description"), v.actor(r))
	if sent, err := f.sentBefore(w, r, err, hookPath); sent {
		return err
	}
	if typus.Is(err, typus.Conflict) {
		return f.undone(w, r, v, hooksPath, f.say(v, "webhooks.full", "Most", accounts.MaxEndpoints))
	}
	if err != nil {
		return f.faulty(w, r, v, f.hookForm(w, r, v), err)
	}
	return f.reveal(w, r, v, hookPath(id), secret, f.say(v, "webhooks.created"))
}
