package store_test

import (
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
)

// beside stores an event and, before that is committed, does something else on
// connections of its own.
func beside(t *testing.T, s *store.Store, account int64, do func()) (event string) {
	t.Helper()
	candidate := newCandidate(t, s, account, nil)
	e := typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: candidate, OccurredAt: noon, Payload: []byte("{}")}
	write(t, s, func(tx *store.Tx) error {
		if _, err := tx.AddEvent(t.Context(), e, func() string { return unique("dlv_") }); err != nil {
			return err
		}
		do()
		return nil
	})
	return e.ID
}

// becomes waits until the one delivery of an event has a state.
func becomes(t *testing.T, s *store.Store, account int64, event string, want typus.DeliveryState) {
	t.Helper()
	var got map[typus.DeliveryState]int
	is := func() bool {
		settleAll(t, s)
		got = states(t, s, account, event)
		return got[want] == 1
	}
	if !waittest.So(time.Minute, is) {
		t.Fatalf("it stays %v, want %s", got, want)
	}
}

// A completion that has read the status before it changes commits after that.
func TestNothingStaysBehindWhereACompletionMeetsAChangeOfStatus(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	for _, c := range []struct {
		from, to typus.EndpointStatus
		want     typus.DeliveryState
	}{
		{typus.EndpointPaused, typus.EndpointActive, typus.DeliveryPending},
		{typus.EndpointActive, typus.EndpointPaused, typus.DeliveryHeld},
		{typus.EndpointActive, typus.EndpointGone, typus.DeliveryHeld},
		{typus.EndpointActive, typus.EndpointDeleted, typus.DeliveryCancelled},
		{typus.EndpointPaused, typus.EndpointDeleted, typus.DeliveryCancelled},
	} {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		newEvent(t, s, account) // so that the next one finds the webhook due and does not lock it
		setStatus(t, s, account, id, c.from)
		settleAll(t, s)
		event := beside(t, s, account, func() {
			setStatus(t, s, account, id, c.to)
			settleAll(t, s)
		})
		if got := states(t, s, account, event); got[c.want] != 0 {
			t.Fatalf("%s to %s: the completion has read the new status: %v", c.from, c.to, got)
		}
		becomes(t, s, account, event, c.want)
		if c.want == typus.DeliveryPending && len(claimAs(t, s, "me", 10)) != 2 {
			t.Errorf("%s to %s: nobody looks at it", c.from, c.to)
		}
	}
}

// A claim that takes the last delivery it can see must not put the webhook away for
// as long as somebody adds another.
func TestAClaimBesideACompletionIsFollowedByAnother(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	account := newAccount(t, s)
	newEndpoint(t, s, account)
	newEvent(t, s, account)
	beside(t, s, account, func() {
		if n := len(claimAs(t, s, "me", 10)); n != 1 {
			t.Fatalf("claimed %d", n)
		}
	})
	wait, waits, err := s.NextDelivery(t.Context())
	if err != nil || !waits || wait > 2*time.Second {
		t.Fatalf("looked at in %s, %t, %v", wait, waits, err)
	}
	time.Sleep(wait)
	if n := len(claimAs(t, s, "me", 10)); n != 1 {
		t.Errorf("claimed %d, want the new one", n)
	}
}

// An outcome that is written while somebody switches the webhook off waits for that
// and goes by it.
func TestAnOutcomeGoesByTheStatusThatIsBeingChanged(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	for status, want := range map[typus.EndpointStatus]typus.DeliveryState{
		typus.EndpointPaused: typus.DeliveryHeld, typus.EndpointDeleted: typus.DeliveryCancelled,
	} {
		for how, gone := range map[string]bool{"500": false, "410": true} {
			account := newAccount(t, s)
			id := newEndpoint(t, s, account)
			newEvent(t, s, account)
			c := claimAs(t, s, "me", 1)[0]
			done := make(chan error, 1)
			write(t, s, func(tx *store.Tx) error {
				if err := tx.SetEndpointStatus(t.Context(), account, id, status, "", time.Now()); err != nil {
					return err
				}
				go func() {
					r := failure(c.Delivery, time.Hour)
					r.Gone = gone
					_, err := tryFinish(t, s, "me", c.Delivery, r)
					done <- err
				}()
				return untilSomebodyWaits(t, tx)
			})
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if d := delivery(t, s, c); d.State != want {
				t.Errorf("%s while it becomes %s: %s, want %s", how, status, d.State, want)
			}
		}
	}
}

// addEvents stores an event about each candidate, with its delivery.
func addEvents(t testing.TB, s *store.Store, account int64, candidates []int64) {
	t.Helper()
	for _, id := range candidates {
		e := typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: id, OccurredAt: noon, Payload: []byte("{}")}
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AddEvent(t.Context(), e, func() string { return unique("dlv_") })
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// deliverAll claims without a pause and ends each attempt well, until so many are
// delivered; it says how many claims that took.
func deliverAll(t testing.TB, s *store.Store, want int, delivered *atomic.Int64) (claims int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); delivered.Load() < int64(want); claims++ {
		claimed, err := s.ClaimDeliveries(t.Context(), "me", lease, 32)
		if err != nil || time.Now().After(deadline) {
			t.Errorf("%d of %d delivered, %v", delivered.Load(), want, err)
			return claims
		}
		for _, c := range claimed {
			if ok, err := tryFinish(t, s, "me", c.Delivery, success(c.Delivery)); !ok || err != nil {
				t.Errorf("finish %s: %t, %v", c.Delivery.ID, ok, err)
			}
			delivered.Add(1)
		}
	}
	return claims
}

// Four add to the same webhook without a pause, and a courier claims from it without a
// pause: neither starves the other.
func TestCompletionsBesideACourierThatNeverRestsAreAllDelivered(t *testing.T) {
	const writers, each = 4, 50
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		run(t, s, `update webhook_endpoints set rate_per_s = 1000, burst = 1000, max_in_flight = 32, last_duration_ms = 1 where account_id = %d`, account)
		var candidates []int64
		for range writers * each {
			candidates = append(candidates, newCandidate(t, s, account, nil))
		}
		var delivered atomic.Int64
		dbtest.AtOnce(writers+1, func(i int) {
			if i == writers {
				deliverAll(t, s, writers*each, &delivered)
				return
			}
			addEvents(t, s, account, candidates[i*each:(i+1)*each])
		})
	})
}
