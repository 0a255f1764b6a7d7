package dashboard

import (
	"net/http"
	"strings"

	"typus"
	"typus/internal/inspect"
	"typus/internal/webhook"
)

const (
	inspectPath = endpointsPath + "/pruefen"
	// maxPasted bounds the form: a body of inspect.MaxBody, whose characters may take three
	// each on their way, and its headers.
	maxPasted = 3*inspect.MaxBody + 3*maxPastedHeaders
	// maxPastedHeaders is how many bytes of headers are looked at, as many as receivers read.
	maxPastedHeaders = 64 << 10
)

// inspectView asks for a delivery as a receiver got it, and says what is wrong with it.
// The secret is never sent back.
type inspectView struct {
	frame
	Secret  *field
	Headers *field
	Body    *field
	Found   *inspected
}

// Template names the page.
func (inspectView) Template() string { return "webhook_inspect" }

// inspected is what was found out, in words.
type inspected struct {
	Findings   []inspect.Said
	Difference *inspect.SaidDifference
	Closing    string
}

// Badge is the look of a verdict.
func (inspected) Badge(v inspect.Verdict) string {
	return map[inspect.Verdict]string{inspect.Right: "good", inspect.Late: "warn", inspect.Wrong: "bad"}[v]
}

func newInspected(i inspect.Inspection, lang string) *inspected {
	found := inspected{Closing: i.Closing(lang)}
	for _, f := range []inspect.Finding{i.Service, i.Standard} {
		found.Findings = append(found.Findings, f.In(lang))
	}
	if i.Difference != nil {
		d := i.Difference.In(lang)
		found.Difference = &d
	}
	return &found
}

func (f *face) inspectForm(v *visit, hooks bool) inspectView {
	view := newInspectView(hooks)
	view.frame = f.settingsFrame(v, sectionWebhooks)
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}}
	return view
}

// newInspectView asks for all parts; with hooks the secret can be left out.
func newInspectView(hooks bool) inspectView {
	view := inspectView{
		Secret:  &field{Name: "secret", Label: "webhooks.inspect.secret", Hint: "webhooks.inspect.secret.hint", Type: "password", Autocomplete: "new-password"},
		Headers: &field{Name: "headers", Label: "webhooks.inspect.headers", Hint: "webhooks.inspect.headers.hint", Rows: 6},
		Body:    &field{Name: "payload", Label: "webhooks.inspect.body", Hint: "webhooks.inspect.body.hint", Rows: 8},
	}
	if hooks {
		view.Secret.Optional, view.Secret.Hint = true, "webhooks.inspect.secret.known"
	}
	return view
}

// askInspect asks for a delivery.
func (f *face) askInspect(v *visit) error {
	known, err := f.knownSecrets(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, f.inspectForm(v, len(known) > 0))
}

// inspect says what is wrong with a delivery that somebody has pasted. Nothing of it is
// stored or logged.
func (f *face) inspect(v *visit) error {
	known, err := f.knownSecrets(v)
	if err != nil {
		return err
	}
	view := f.inspectForm(v, len(known) > 0)
	fill(v, view.Headers, view.Body)
	pasted, ok, err := f.pasted(v, view, known)
	if err != nil {
		return err
	}
	if !ok {
		f.sum(&view.frame, v, view.Secret, view.Headers, view.Body)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	i := inspect.Delivery(pasted)
	if i.Empty() {
		view.Headers.Fault = i.Closing(v.lang)
		f.sum(&view.frame, v, view.Secret, view.Headers, view.Body)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	view.Found = newInspected(i, v.lang)
	return f.render(v, http.StatusOK, view)
}

// pasted reads the form, and looks up what was sent if the delivery is one of ours. False:
// a field has a fault.
func (f *face) pasted(v *visit, view inspectView, known []inspect.Known) (inspect.Pasted, bool, error) {
	p := inspect.Pasted{
		Secret: v.PostFormValue("secret"), Known: known, Now: f.now(), Headers: inspect.ReadHeaders(view.Headers.Value, f.HeaderPrefix),
		// Browsers send each line break of a form as CRLF, whatever was pasted.
		Body: []byte(strings.ReplaceAll(view.Body.Value, "\r\n", "\n")),
	}
	required := func(fd *field, missing bool) {
		if missing {
			fd.Fault = f.say(v, "fault.required")
		}
	}
	required(view.Secret, p.Secret == "" && len(known) == 0)
	required(view.Headers, strings.TrimSpace(view.Headers.Value) == "")
	required(view.Body, len(p.Body) == 0)
	if len(p.Body) > inspect.MaxBody {
		view.Body.Fault = f.say(v, "webhooks.inspect.large", "Size", bytesInWords(v.lang, int64(len(p.Body))), "Most", bytesInWords(v.lang, inspect.MaxBody))
	}
	if n := len(view.Headers.Value); n > maxPastedHeaders {
		view.Headers.Fault = f.say(v, "webhooks.inspect.large", "Size", bytesInWords(v.lang, int64(n)), "Most", bytesInWords(v.lang, maxPastedHeaders))
	}
	if view.Secret.Fault != "" || view.Headers.Fault != "" || view.Body.Fault != "" {
		return p, false, nil
	}
	var err error
	p.Sent, err = f.Store.BodyFor(v.Context(), v.Reader, p.Headers.ID())
	return p, true, err
}

// knownSecrets are the live secrets of all webhooks, with what they are called. One that
// cannot be opened is left out; the page of its webhook says so.
func (f *face) knownSecrets(v *visit) ([]inspect.Known, error) {
	hooks, err := f.Store.Endpoints(v.Context(), v.Account.ID)
	if err != nil {
		return nil, err
	}
	var known []inspect.Known
	for _, e := range hooks {
		stored, err := f.Store.Secrets(v.Context(), v.Account.ID, e.ID)
		if err != nil {
			return nil, err
		}
		live := typus.LiveSecrets(stored, f.now())
		for _, role := range []typus.SecretRole{typus.SecretCurrent, typus.SecretNext, typus.SecretPrevious} {
			secret := live[role]
			plain, err := f.Box.Open(secret.Sealed, webhook.SecretAAD(secret.ID, e.ID))
			if err == nil {
				name := newEndpointRow(e, typus.EndpointRates{}, false).Called() + ", " + f.say(v, shownSecret{Role: role}.Label())
				known = append(known, inspect.Known{Name: name, Secret: string(plain)})
			}
		}
	}
	return known, nil
}
