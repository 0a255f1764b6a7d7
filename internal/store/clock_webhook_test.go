package store_test

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// hook is a webhook whose database has a clock that can be moved.
type hook struct {
	*testing.T
	store       *store.Store
	at          time.Time
	account, id int64
}

func newHook(t *testing.T, open *store.Store) *hook {
	h := &hook{T: t, at: noon}
	h.store = open.WithClock(func() time.Time { return h.at })
	h.account = newAccount(t, h.store)
	h.id = newEndpoint(t, h.store, h.account)
	return h
}

func (h *hook) event() { h.Helper(); newEvent(h.T, h.store, h.account) }

func (h *hook) claim() []store.Claimed { h.Helper(); return claimAs(h.T, h.store, "me", 100) }

// end ends everything that is due.
func (h *hook) end(how func(c store.Claimed) ending) {
	h.Helper()
	for _, c := range h.claim() {
		finishAttempt(h.T, h.store, "me", c, how(c))
	}
}

func failsFor(wait time.Duration) func(c store.Claimed) ending {
	return func(c store.Claimed) ending { return failure(c.Delivery, wait) }
}

func arrives(c store.Claimed) ending { return success(c.Delivery) }

// asksForRest is a failure whose receiver asks for a minute.
func asksForRest(c store.Claimed) ending {
	r := failure(c.Delivery, time.Minute)
	r.RetryAfter = time.Minute
	return r
}

const (
	oneSweep = 15 * time.Second
	// retried is how long the wait of a repetition cannot be told from one that a
	// receiver has asked for.
	retried = 25 * time.Hour
)

// wrongly says of each column of deliveries what is begun while the clock is wrong,
// and how soon afterwards something goes out.
var wrongly = map[string]struct {
	begin  func(h *hook)
	within time.Duration
}{
	"webhook_deliveries.lease_until":           {func(h *hook) { h.event(); h.claim() }, lease + 3*oneSweep},
	"webhook_deliveries.next_attempt_at":       {func(h *hook) { h.event() }, oneSweep},
	"webhook_deliveries.next_attempt_at again": {func(h *hook) { h.event(); h.end(failsFor(time.Minute)) }, retried},
	"webhook_endpoints.due_at":                 {func(h *hook) { h.event(); h.end(failsFor(time.Hour)); h.at = noon; h.event() }, oneSweep},
	"webhook_endpoints.bucket_full_at": {func(h *hook) {
		for range typus.DefaultBurst {
			h.event()
			h.end(arrives)
		}
		h.at = noon
		h.event()
	}, oneSweep},
	"webhook_endpoints.probe_after": {func(h *hook) { h.event(); h.end(asksForRest) }, retried},
	"webhook_endpoints.settle_at": {func(h *hook) {
		setStatus(h.T, h.store, h.account, h.id, typus.EndpointPaused)
		lots(h.T, h.store, h.account, h.id, typus.DeliveryHeld, 501)
		write(h.T, h.store, func(tx *store.Tx) error {
			return tx.SetEndpointStatus(h.Context(), h.account, h.id, typus.EndpointActive, "", h.at)
		})
		h.end(arrives)
	}, oneSweep},
}

// The clock was wrong and is set right: what was to go out does, and with it what
// comes now.
func TestNoDeliveryWaitsForAClockThatWasWrong(t *testing.T) {
	for column, c := range wrongly {
		t.Run(column, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, open *store.Store) {
				for _, jump := range jumps {
					h := newHook(t, open)
					h.at = noon.Add(jump)
					c.begin(h)
					sent := 0
					for _, after := range []time.Duration{0, lease + oneSweep, c.within} {
						if h.at = noon.Add(min(after, c.within)); h.at.After(noon) {
							sweep(t, h.store)
						}
						settleAll(t, h.store)
						for _, c := range h.claim() {
							finishAttempt(t, h.store, "me", c, arrives(c))
							sent++
						}
					}
					if held := inStates(t, h.store, h.id); sent == 0 || strings.Contains(held, "held") {
						t.Errorf("a clock that was %s off: %d went out within %s, %s", jump, sent, c.within, held)
					}
					run(t, h.store, `delete from webhook_attempts`)
					run(t, h.store, `delete from webhook_deliveries`)
					run(t, h.store, `update webhook_endpoints set status = 'deleted', due_at = null, settle_at = null`)
				}
			})
		})
	}
}

// What was put off too far is found also where something waits rightly, and earlier.
func TestWhatAWrongClockPutOffIsFoundBehindWhatWaitsRightly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, open *store.Store) {
		for _, jump := range []time.Duration{5 * time.Hour, 240 * time.Hour} {
			h := newHook(t, open)
			h.at = noon.Add(jump)
			h.event()
			if jump > retried { // a repetition that lies further ahead than any can
				h.end(failsFor(time.Hour))
			}
			h.at = noon
			h.event()
			h.end(failsFor(time.Hour))
			h.at = noon.Add(oneSweep)
			sweep(t, h.store)
			if n := len(h.claim()); n != 2 {
				t.Errorf("a clock that was %s ahead: %d go out, want 2", jump, n)
			}
			run(t, h.store, `update webhook_deliveries set state = 'cancelled'`)
		}
	})
}
