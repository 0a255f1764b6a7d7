package dashboard

import (
	"context"
	"net/http"
	"strings"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/webhook"
)

const (
	// testPatience is how long the page of a test event waits for the outcome before it
	// says that there is none yet.
	testPatience = 8 * time.Second
	// answerShown is how much of a receiver's answer is shown, in bytes.
	answerShown = 1000
)

// testEventView is what came of a test event.
type testEventView struct {
	frame
	Endpoint endpointRow
	Delivery string // its id
	Pending  bool
	Arrived  bool
	Attempt  typus.Attempt // zero when there was none
	Fault    endpointFault
	Answer   string // its first bytes
	Binary   bool   // Answer is base64: it is no text
}

// Template names the page.
func (testEventView) Template() string { return "webhook_trial" }

// sendTestEvent sends a test event and leads to its outcome.
func (f *face) sendTestEvent(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	external := webhook.TestCandidate.ExternalID
	if v.PostForm.Has("external_id") { // the page of an outcome does not ask for it
		external = strings.TrimSpace(v.PostFormValue("external_id"))
	}
	delivery, err := f.Accounts.SendTest(v.Context(), v.Account.ID, e.ID, external, v.actor())
	if err == nil {
		return f.goOn(v, endpointPath(e.ID)+"/test/"+delivery)
	}
	switch typus.KindOf(err) {
	case typus.Invalid:
		return f.untested(v, e, err)
	case typus.Conflict:
		return f.undone(v, endpointPath(e.ID), f.say(v, "webhooks.test.off"))
	case typus.TooMany:
		return f.undone(v, endpointPath(e.ID), f.sayCount(v, "webhooks.test.often", seconds(clerk.Wait(err))))
	}
	return err
}

// untested answers a test event that cannot be sent as it was typed.
func (f *face) untested(v *visit, e typus.Endpoint, err error) error {
	view, failed := f.endpointView(v, e)
	if failed != nil {
		return failed
	}
	fill(v, view.External)
	if !f.blame(&view.frame, v, err, view.External) {
		return err
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// testEvent shows the outcome of a test event; it waits a while for it.
func (f *face) testEvent(v *visit) error {
	e, err := f.endpointInPath(v)
	if err != nil {
		return err
	}
	d, err := f.testOutcome(v.Context(), v.Account.ID, v.PathValue("delivery"))
	if err != nil {
		return err
	}
	if d.Kind != typus.DeliveryTest || d.EndpointID != e.ID {
		return typus.Errorf(typus.NotFound, "this is no test of this webhook")
	}
	view := testEventView{Endpoint: newEndpointRow(e, typus.EndpointRates{}, false), Delivery: d.ID, Pending: d.FinishedAt.IsZero(), Arrived: d.State == typus.DeliveryDelivered}
	attempts, err := f.Store.Attempts(v.Context(), v.Account.ID, d.ID)
	if err != nil {
		return err
	}
	if !view.Pending && len(attempts) > 0 {
		view.Attempt = attempts[len(attempts)-1]
		view.Answer, view.Binary = asText(view.Attempt.ResponseBody, answerShown)
	}
	if !view.Pending && !view.Arrived {
		if view.Fault = newEndpointFault(d.LastError); view.Fault.Said == "" {
			view.Fault.Said = "webhooks.error.cancelled"
		}
	}
	view.frame = f.settingsFrame(v, sectionWebhooks)
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}, {Name: view.Endpoint.Called(), Path: endpointPath(e.ID)}}
	return f.render(v, http.StatusOK, view)
}

// testOutcome reads a delivery and waits for its end, up to testPatience.
func (f *face) testOutcome(ctx context.Context, accountID int64, id string) (typus.Delivery, error) {
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	patience := time.NewTimer(f.patience())
	defer patience.Stop()
	for {
		d, err := f.Store.Delivery(ctx, accountID, id)
		if err != nil || !d.FinishedAt.IsZero() || d.Kind != typus.DeliveryTest {
			return d, err
		}
		select {
		case <-look.C:
		case <-patience.C:
			return d, nil
		}
	}
}

func (f *face) patience() time.Duration {
	if f.testWait != 0 {
		return f.testWait
	}
	return testPatience
}
