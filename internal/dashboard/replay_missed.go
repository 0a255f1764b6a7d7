package dashboard

import (
	"time"

	"typus"
	"typus/internal/store"
)

const (
	// missedDays is how far back the page of a webhook offers what did not arrive. Whatever
	// is older is found in the log.
	missedDays = 30
	// missedMost is up to how many are counted there.
	missedMost = 1000
)

// missed is what a webhook has not received for good, and whether that is being mended.
type missed struct {
	Count   int
	Most    int
	Running int64  // id of a run that has not ended, 0 for none
	Path    string // where it can be sent again
}

// More reports whether there are more than are counted.
func (m missed) More() bool { return m.Count > m.Most }

// missed looks for what can be sent to a webhook again. Whoever does not see all positions
// is not offered anything.
func (f *face) missed(v *visit, e typus.Endpoint) (missed, error) {
	m := missed{Most: missedMost}
	if !v.Reader.Positions.Everything {
		return m, nil
	}
	last, found, err := f.Store.LastReplayRun(v.Context(), v.Account.ID, e.ID)
	if err != nil {
		return m, err
	}
	if found && last.State == typus.ReplayRunning {
		m.Running = last.ID
		return m, nil
	}
	fl := deliveryFilter{Hook: e.ID, State: typus.DeliveryExhausted, From: f.now().In(v.Account.Zone.Location()).AddDate(0, 0, -missedDays).Format(time.DateOnly)}
	from, _, _, _ := fl.span(v.Account.Zone)
	m.Path = listPath(replaysPath, fl.values())
	m.Count, err = f.Store.CountReplayable(v.Context(), v.Account.ID, store.DeliveryFilter{EndpointID: e.ID, State: fl.State, From: from}, missedMost)
	return m, err
}
