package dashboard

import (
	"net/http"
	"strconv"
	"time"

	"typus"
	"typus/internal/webhook"
)

// endpointView is everything about one webhook.
type endpointView struct {
	frame
	Endpoint endpointRow
	Trouble  trouble
	Missed   missed
	Secrets  secretState
	Shown    []shownSecret // with the values, this once
	Vector   vector
	Prefix   string  // of the service's own header names
	CanReach bool    // whether a test event can be sent: it is on
	External *field  // of a test event
	Own      *header // of the webhook's own, its value masked; nil for none
	OwnLost  bool    // it cannot be opened
}

// Template names the page.
func (endpointView) Template() string { return "webhook" }

// trouble is the last failure of a delivery that is still to be repeated.
type trouble struct {
	endpointFault
	Delivery string // "" where the visitor may not be told which one it is
	Status   int    // 0: no answer
	Next     time.Time
}

// secretState is where the change of a secret stands.
type secretState struct {
	Current  typus.WebhookSecret
	Next     typus.WebhookSecret // zero: none
	Previous typus.WebhookSecret // zero: none
	Lost     bool                // the current one cannot be opened
}

// vector is an example with which people can check their own code: a body, an id and a
// time, and the signatures that this webhook has for them.
type vector struct {
	Body, ID, Time, Signature, Standard string
}

// endpoint shows a webhook.
func (f *face) endpoint(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	view, err := f.endpointView(v, e)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) endpointView(v *visit, e typus.Endpoint) (endpointView, error) {
	rates, err := f.endpointRates(v)
	if err != nil {
		return endpointView{}, err
	}
	stored, err := f.Store.Secrets(v.Context(), v.Account.ID, e.ID)
	if err != nil {
		return endpointView{}, err
	}
	view := endpointView{Endpoint: newEndpointRow(e, rates[e.ID], false), Prefix: f.HeaderPrefix, CanReach: e.On()}
	live := typus.LiveSecrets(stored, f.now())
	view.Secrets, view.Vector = f.secretState(e, live)
	if e.Status == typus.EndpointFailing {
		if view.Trouble, err = f.trouble(v, e); err != nil {
			return endpointView{}, err
		}
	}
	if view.Missed, err = f.missed(v, e); err != nil {
		return endpointView{}, err
	}
	view.External = externalField()
	if e.StaticHeader != "" {
		own, err := f.Accounts.OwnHeader(e)
		view.Own, view.OwnLost = &header{own.Name, own.Masked()}, err != nil
	}
	view.frame = f.settingsFrame(v, sectionWebhooks)
	view.Shown = readShown(view.Flash.Secret)
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}}
	return view, nil
}

// externalField asks for the external_id that a test event carries.
func externalField() *field {
	return &field{
		Name: "external_id", Label: "webhooks.test.external", Hint: "webhooks.test.external.hint", Autocomplete: "off",
		Value: webhook.TestCandidate.ExternalID, Optional: true,
	}
}

func (f *face) trouble(v *visit, e typus.Endpoint) (trouble, error) {
	d, found, err := f.Store.FailingDelivery(v.Context(), v.Account.ID, e.ID)
	if err != nil || !found {
		return trouble{}, err
	}
	t := trouble{endpointFault: newEndpointFault(d.LastError), Status: d.LastStatus, Next: d.NextAttemptAt}
	if _, err := f.Store.DeliveryFor(v.Context(), v.Reader, d.ID); err == nil {
		t.Delivery = d.ID
	} else if !typus.Is(err, typus.NotFound) {
		return t, err
	}
	return t, nil
}

func (f *face) secretState(e typus.Endpoint, live map[typus.SecretRole]typus.WebhookSecret) (secretState, vector) {
	state := secretState{Current: live[typus.SecretCurrent], Next: live[typus.SecretNext], Previous: live[typus.SecretPrevious]}
	plain, err := f.Box.Open(state.Current.Sealed, webhook.SecretAAD(state.Current.ID, e.ID))
	if err != nil {
		state.Lost = true
		return state, vector{}
	}
	return state, newVector(string(plain), e)
}

// newVector signs a small body in the way of a delivery. Body, id and time never
// change, so that people can compare while they try.
func newVector(secret string, e typus.Endpoint) vector {
	v := vector{
		Body: `{"event":"candidate.completed","webhook":` + strconv.FormatInt(e.ID, 10) + `}`,
		ID:   "evt_" + strconv.FormatInt(e.ID, 10), Time: strconv.FormatInt(e.CreatedAt.Unix(), 10),
	}
	v.Signature = webhook.Sign(secret, []byte(v.Body))
	standard, err := webhook.SignStandard(secret, v.ID, e.CreatedAt.Unix(), []byte(v.Body))
	if err == nil {
		v.Standard = standard
	}
	return v
}

// Command calculates the first signature of the vector with what nearly every
// system has.
func (v vector) Command() string {
	return `printf %s '` + v.Body + `' | openssl dgst -sha256 -hmac "$SECRET"`
}

// header is one header with its value.
type header struct{ Name, Value string }

// Headers are those that a delivery of the vector would carry.
func (v vector) Headers(prefix string) []header {
	return []header{
		{prefix + "-Signature", v.Signature}, {"webhook-id", v.ID}, {"webhook-timestamp", v.Time}, {"webhook-signature", v.Standard},
	}
}
