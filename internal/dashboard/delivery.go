package dashboard

import (
	"net/http"
	"slices"

	"typus"
	"typus/internal/store"
)

// deliveryView is everything about one delivery: what was sent, what came back, and how the
// attempts went.
type deliveryView struct {
	frame
	Row      deliveryRow
	Hook     endpointRow
	Deleted  bool          // the webhook is
	Fault    endpointFault // of the last attempt
	Rungs    []rung
	Body     sentBodyView
	Attempts []attemptView // newest first
	Replay   string        // text key of the button that sends it again, "" where it cannot be sent
	Curl     string        // a command that repeats the last request that is known, "" while the body is not shown
}

// Template names the page.
func (deliveryView) Template() string { return "delivery" }

// delivery shows a delivery.
func (f *face) delivery(v *visit) error {
	d, err := f.Store.DeliveryFor(v.Context(), v.Reader, v.PathValue("delivery"))
	if err != nil {
		return err
	}
	e, err := f.Store.Endpoint(v.Context(), v.Account.ID, d.EndpointID)
	if err != nil {
		return err
	}
	attempts, err := f.Store.Attempts(v.Context(), v.Account.ID, d.ID)
	if err != nil {
		return err
	}
	body, err := f.sentBody(v, d)
	if err != nil {
		return err
	}
	view := newDeliveryView(f.settingsFrame(v, sectionWebhooks), f.HeaderPrefix, d, e, attempts, body)
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}, {Label: "deliveries.title", Path: deliveriesPath}}
	return f.render(v, http.StatusOK, view)
}

// newDeliveryView puts a page together from what is stored. prefix begins the names of the
// service's own headers.
func newDeliveryView(fr frame, prefix string, d store.LoggedDelivery, e typus.Endpoint, attempts []typus.Attempt, body sentBodyView) deliveryView {
	idle := !fr.Idle.IsZero()
	view := deliveryView{
		frame: fr, Row: newDeliveryRow(d, idle), Hook: newEndpointRow(e, typus.EndpointRates{}, true), Deleted: e.Status == typus.EndpointDeleted,
		Rungs: rungs(d.Delivery, attempts, idle), Body: body,
	}
	if !idle {
		view.Replay = replayButton(d, e)
	}
	if d.Outcome != typus.DeliveryArrived {
		view.Fault = newEndpointFault(d.LastError)
	}
	for _, a := range slices.Backward(attempts) {
		view.Attempts = append(view.Attempts, newAttemptView(a, body))
	}
	if a, found := lastSent(attempts); found {
		view.Curl = curl(a, prefix, d.EventID, body.bytes)
	}
	return view
}

// lastSent is the last attempt whose request is known. Of one that is under way, was
// interrupted or could not be signed it is not.
func lastSent(attempts []typus.Attempt) (typus.Attempt, bool) {
	for _, a := range slices.Backward(attempts) {
		if a.RequestHeaders != "" {
			return a, true
		}
	}
	return typus.Attempt{}, false
}
