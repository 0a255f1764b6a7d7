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
	HeaderName  *field
	HeaderValue *field // never shown again
	DropHeader  *field // nil: there is none to be removed
	HeaderShown string // the stored value, masked, "" for none
	HeaderOpen  bool   // the part about the header is unfolded
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
		HeaderName:  headerNameField(), HeaderValue: headerValueField(),
		Open: f.openings(), Back: endpointsPath,
	}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}}
	return view
}

func headerNameField() *field {
	return &field{Name: "header_name", Label: "webhooks.header.name", Hint: "webhooks.header.name.hint", Autocomplete: "off", Optional: true}
}

// headerValueField is a secret, and no password that a browser may fill in.
func headerValueField() *field {
	return &field{Name: "header_value", Label: "webhooks.header.value", Type: "password", Autocomplete: "new-password", Optional: true}
}

// endpointTyped is what was typed for a webhook.
func endpointTyped(v *visit) accounts.EndpointForm {
	return accounts.EndpointForm{
		URL: v.PostFormValue("url"), Description: v.PostFormValue("description"),
		Header:     webhook.Header{Name: v.PostFormValue("header_name"), Value: v.PostFormValue("header_value")},
		DropHeader: v.PostFormValue("header_drop") != "",
	}
}

// faulty answers a form that was not accepted. An error that is not about the
// form is returned as it is.
func (f *face) faulty(v *visit, view endpointFormView, err error) error {
	fields := []*field{view.URL, view.Description, view.HeaderName, view.HeaderValue}
	fill(v, view.URL, view.Description, view.HeaderName)
	if view.DropHeader != nil {
		fill(v, view.DropHeader)
	}
	if !f.blame(&view.frame, v, err, fields...) {
		return err
	}
	if v.PostFormValue("header_value") != "" && view.HeaderValue.Fault == "" {
		view.HeaderValue.Hint = "webhooks.header.again" // it is not sent back
	}
	view.HeaderOpen = view.HeaderOpen || v.PostFormValue("header_name")+v.PostFormValue("header_value") != ""
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
	id, secret, err := f.Accounts.AddEndpoint(v.Context(), v.Account.ID, endpointTyped(v), v.actor())
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
