package store_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestAReleasedDeliveryIsDueAtOnceAndHasLostNothing(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		newEvent(t, s, account)
		newEvent(t, s, account)
		mine, theirs := claimAs(t, s, "me", 1)[0], claimAs(t, s, "you", 1)[0]
		if n := release(t, s, "me"); n != 1 {
			t.Errorf("released %d, want 1", n)
		}
		if d := delivery(t, s, mine); d.State != typus.DeliveryPending || d.Failures != 0 || d.Interruptions != 0 {
			t.Errorf("released: %+v", d)
		}
		if d := delivery(t, s, theirs); d.State != typus.DeliverySending {
			t.Errorf("another owner's: %+v", d)
		}
		if log := attempts(t, s, mine); log[0].Outcome != "interrupted" {
			t.Errorf("log: %+v", log)
		}
		if again := claimAs(t, s, "you", 1); len(again) != 1 || again[0].Delivery.Attempt != 2 {
			t.Errorf("claimed again: %+v", again)
		}
	})
}

func TestAnExpiredLeaseIsAnInterruptionAndTheThirdAFailure(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		newEvent(t, s, account)
		var last store.Claimed
		for i, want := range []struct{ interruptions, failures int }{{1, 0}, {2, 0}, {0, 1}, {1, 1}} {
			claimed := must[[]store.Claimed](t)(s.ClaimDeliveries(t.Context(), "me", -time.Second, 1))
			if len(claimed) != 1 {
				t.Fatalf("round %d: %d claimed", i, len(claimed))
			}
			last = claimed[0]
			if n := sweep(t, s); n != 1 {
				t.Errorf("round %d: swept %d", i, n)
			}
			d := delivery(t, s, last)
			if d.State != typus.DeliveryPending || d.Interruptions != want.interruptions || d.Failures != want.failures || d.Attempt != i+1 {
				t.Errorf("round %d: %+v", i, d)
			}
			if in := time.Until(d.NextAttemptAt); in < 3*time.Second || in > 6*time.Second {
				t.Errorf("round %d: next attempt in %s, want 5 s", i, in)
			}
			makeDue(t, s, last.Endpoint.ID)
		}
		for _, a := range attempts(t, s, last) {
			if a.Outcome != "interrupted" {
				t.Errorf("attempt %d: %s", a.N, a.Outcome)
			}
		}
		if n := sweep(t, s); n != 0 {
			t.Errorf("swept %d more", n)
		}
	})
}

// makeDue makes the waiting deliveries of an endpoint due.
func makeDue(t testing.TB, s *store.Store, endpoint int64) {
	t.Helper()
	run(t, s, `update webhook_deliveries set next_attempt_at = 0 where endpoint_id = %d and state = 'pending'`, endpoint)
	run(t, s, `update webhook_endpoints set due_at = 0, bucket_full_at = 0 where id = %d`, endpoint)
}

func TestADeliveryThatIsAlwaysInterruptedEnds(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		endpoint := newEndpoint(t, s, account)
		event := newEvent(t, s, account)
		for range 36 {
			if len(must[[]store.Claimed](t)(s.ClaimDeliveries(t.Context(), "me", -time.Second, 1))) != 1 {
				t.Fatal("nothing to claim")
			}
			sweep(t, s)
			makeDue(t, s, endpoint)
		}
		d := must[[]typus.Delivery](t)(s.DeliveriesOf(t.Context(), account, event))[0]
		if d.State != typus.DeliveryExhausted || d.Failures != 12 || d.Attempt != 36 || d.FinishedAt.IsZero() {
			t.Errorf("after 36 interruptions: %+v", d)
		}
	})
}

func TestALiveLeaseIsLeftAlone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		if n := sweep(t, s); n != 0 {
			t.Errorf("swept %d", n)
		}
		if d := delivery(t, s, c); d.State != typus.DeliverySending {
			t.Errorf("a live lease: %+v", d)
		}
	})
}

func TestATimeTooFarAheadIsDueAtOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		newEvent(t, s, account)
		for wait, due := range map[time.Duration]int{24*time.Hour + 15*time.Minute: 0, 25 * time.Hour: 1} {
			c := claimAs(t, s, "me", 1)[0]
			finishAttempt(t, s, "me", c, failure(c.Delivery, wait))
			if n := sweep(t, s); n != due {
				t.Errorf("a wait of %s: swept %d, want %d", wait, n, due)
			}
			makeDue(t, s, c.Endpoint.ID)
		}
	})
}

// A completion reads the endpoints without a lock; one that is switched off in
// between leaves a pending delivery behind.
func TestTheSweepHoldsAndCancelsWhatSlippedIn(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		paused, deleted := newEndpoint(t, s, account), newEndpoint(t, s, account)
		event := newEvent(t, s, account)
		claimed := claimAs(t, s, "me", 2)
		setStatus(t, s, account, paused, typus.EndpointPaused)
		setStatus(t, s, account, deleted, typus.EndpointDeleted)
		settleAll(t, s)
		run(t, s, `update webhook_deliveries set state = 'pending', lease_owner = ''`)
		if got := states(t, s, account, event); got[typus.DeliveryPending] != 2 {
			t.Fatalf("before the sweep: %v", got)
		}
		if n := sweep(t, s); n != 2 {
			t.Errorf("swept %d, want 2", n)
		}
		for _, c := range claimed {
			want := typus.DeliveryHeld
			if c.Endpoint.ID == deleted {
				want = typus.DeliveryCancelled
			}
			if d := delivery(t, s, c); d.State != want {
				t.Errorf("endpoint %d: %s, want %s", c.Endpoint.ID, d.State, want)
			}
		}
	})
}

// Whatever left it so: what is held for a webhook that is on goes on, what is pending
// for one that is off is held, and for one that is deleted cancelled.
func TestTheSweepMendsWhatDoesNotFitTheStatusOfItsWebhook(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for _, c := range []struct {
			status typus.EndpointStatus
			state  typus.DeliveryState
			want   string
		}{
			{typus.EndpointActive, typus.DeliveryHeld, "pending|3"},
			{typus.EndpointFailing, typus.DeliveryHeld, "pending|3"},
			{typus.EndpointPaused, typus.DeliveryPending, "held|3"},
			{typus.EndpointGone, typus.DeliveryPending, "held|3"},
			{typus.EndpointDeleted, typus.DeliveryPending, "cancelled|3"},
			{typus.EndpointDeleted, typus.DeliveryHeld, "cancelled|3"},
		} {
			account := newAccount(t, s)
			id := newEndpoint(t, s, account)
			settleAll(t, s)
			lots(t, s, account, id, c.state, 3)
			run(t, s, `update webhook_endpoints set status = '`+string(c.status)+`', settle_at = null, due_at = null where id = %d`, id)
			sweep(t, s)
			settleAll(t, s)
			if got := inStates(t, s, id); got != c.want {
				t.Errorf("%s for a webhook that is %s: %s, want %s", c.state, c.status, got, c.want)
			}
			run(t, s, `delete from webhook_deliveries where kind = 'replay'`)
		}
	})
}
