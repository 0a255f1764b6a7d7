package store_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

const lease = time.Minute

func claimAs(t testing.TB, s *store.Store, owner string, limit int) []store.Claimed {
	t.Helper()
	return must[[]store.Claimed](t)(s.ClaimDeliveries(t.Context(), owner, lease, limit))
}

func failure(d typus.Delivery, next time.Duration) store.AttemptResult {
	return store.AttemptResult{Attempt: typus.Attempt{Outcome: "failed", HTTPStatus: 500, ErrorCode: "http_5xx"},
		State: typus.DeliveryPending, Failures: d.Failures + 1, NextIn: next}
}

func success(d typus.Delivery) store.AttemptResult {
	return store.AttemptResult{Attempt: typus.Attempt{Outcome: "delivered", HTTPStatus: 204}, State: typus.DeliveryDelivered, Failures: d.Failures}
}

func finishAttempt(t testing.TB, s *store.Store, owner string, c store.Claimed, r store.AttemptResult) bool {
	t.Helper()
	return must[bool](t)(s.FinishAttempt(t.Context(), owner, c.Delivery, r))
}

// delivery reads a delivery again.
func delivery(t testing.TB, s *store.Store, c store.Claimed) typus.Delivery {
	t.Helper()
	for _, d := range must[[]typus.Delivery](t)(s.DeliveriesOf(t.Context(), c.Delivery.AccountID, c.Delivery.EventID)) {
		if d.ID == c.Delivery.ID {
			return d
		}
	}
	t.Fatalf("delivery %s is gone", c.Delivery.ID)
	return typus.Delivery{}
}

func attempts(t testing.TB, s *store.Store, c store.Claimed) []typus.Attempt {
	t.Helper()
	return must[[]typus.Attempt](t)(s.Attempts(t.Context(), c.Delivery.AccountID, c.Delivery.ID))
}

func TestAClaimCarriesAllThatAnAttemptNeedsAndRecordsIt(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		endpoint := newEndpoint(t, s, account)
		event := newEvent(t, s, account)
		claimed := claimAs(t, s, "me", 10)
		if len(claimed) != 1 {
			t.Fatalf("%d claimed", len(claimed))
		}
		c := claimed[0]
		if c.Delivery.State != typus.DeliverySending || c.Delivery.Attempt != 1 || c.Delivery.EventID != event || c.Event.ID != event ||
			!bytes.Equal(c.Event.Payload, []byte(`{"b":1,"a":"ü"}`)) || c.Endpoint.ID != endpoint || c.Endpoint.URL == "" ||
			len(c.Secrets) != 1 || string(c.Secrets[0].Sealed) != fmt.Sprintf("sealed %d", c.Secrets[0].ID) {
			t.Errorf("claimed %+v", c)
		}
		log := attempts(t, s, c)
		if len(log) != 1 || log[0].N != 1 || log[0].Outcome != "started" || log[0].URL != c.Endpoint.URL || time.Since(log[0].StartedAt) > time.Minute {
			t.Errorf("log: %+v", log)
		}
		if list := must[[]typus.Attempt](t)(s.Attempts(t.Context(), other, c.Delivery.ID)); len(list) != 0 {
			t.Errorf("another account reads the log: %+v", list)
		}
		if again := claimAs(t, s, "me", 10); len(again) != 0 {
			t.Errorf("claimed twice: %+v", again)
		}
	})
}

func TestAnAttemptIsWrittenBackByItsOwnerOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		if finishAttempt(t, s, "you", c, failure(c.Delivery, time.Hour)) {
			t.Error("another owner wrote back")
		}
		if d := delivery(t, s, c); d.State != typus.DeliverySending {
			t.Errorf("after another's write-back: %+v", d)
		}
		r := failure(c.Delivery, time.Hour)
		r.Attempt = typus.Attempt{Outcome: "failed", HTTPStatus: 503, ErrorCode: "http_5xx", Duration: 1234 * time.Millisecond, URL: "https://hooks.example.com/b",
			RemoteIP: "93.184.216.34", RequestHeaders: "X-A: b", ResponseHead: "HTTP/1.1 503", ResponseBody: []byte{0, 0xff}}
		before := time.Now()
		if !finishAttempt(t, s, "me", c, r) {
			t.Error("the owner could not write back")
		}
		d := delivery(t, s, c)
		if d.State != typus.DeliveryPending || d.Failures != 1 || d.LastStatus != 503 || d.LastError != "http_5xx" || !d.FinishedAt.IsZero() {
			t.Errorf("after a failure: %+v", d)
		}
		if in := d.NextAttemptAt.Sub(before); in < 59*time.Minute || in > 61*time.Minute {
			t.Errorf("next attempt in %s", in)
		}
		want := r.Attempt
		want.DeliveryID, want.N = c.Delivery.ID, 1
		got := attempts(t, s, c)[0]
		want.StartedAt = got.StartedAt
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("logged %+v, want %+v", got, want)
		}
		if finishAttempt(t, s, "me", c, success(c.Delivery)) {
			t.Error("an attempt was written back twice")
		}
	})
}

func TestASuccessAndTheLastFailureEndADelivery(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		for state, r := range map[typus.DeliveryState]store.AttemptResult{
			typus.DeliveryDelivered: success(typus.Delivery{}),
			typus.DeliveryExhausted: {Attempt: typus.Attempt{Outcome: "failed"}, State: typus.DeliveryExhausted, Failures: 12},
		} {
			newEvent(t, s, account)
			c := claimAs(t, s, "me", 1)[0]
			finishAttempt(t, s, "me", c, r)
			if d := delivery(t, s, c); d.State != state || d.FinishedAt.IsZero() || d.Failures != r.Failures {
				t.Errorf("want %s: %+v", state, d)
			}
		}
		if _, waits, err := s.NextDelivery(t.Context()); waits || err != nil {
			t.Errorf("something waits: %t, %v", waits, err)
		}
	})
}

func TestALateSuccessCountsWhileNoNewerAttemptHasBegun(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		newEvent(t, s, account)
		first := claimAs(t, s, "me", 1)[0]
		if n := must[int](t)(s.ReleaseDeliveries(t.Context(), "me")); n != 1 {
			t.Fatalf("released %d", n)
		}
		second := claimAs(t, s, "you", 1)[0]
		if finishAttempt(t, s, "me", first, success(first.Delivery)) {
			t.Error("a late result was taken for a timely one")
		}
		if d := delivery(t, s, second); d.State != typus.DeliverySending || d.Attempt != 2 {
			t.Errorf("a late success ended a newer attempt: %+v", d)
		}
		if log := attempts(t, s, first); log[0].Outcome != "late" || log[0].HTTPStatus != 204 || log[1].Outcome != "started" {
			t.Errorf("log: %+v", log)
		}
		must[int](t)(s.ReleaseDeliveries(t.Context(), "you"))
		finishAttempt(t, s, "you", second, failure(second.Delivery, time.Hour))
		if d := delivery(t, s, second); d.State != typus.DeliveryPending || d.Failures != 0 {
			t.Errorf("a late failure counted: %+v", d)
		}
		finishAttempt(t, s, "you", second, success(second.Delivery))
		if d := delivery(t, s, second); d.State != typus.DeliveryDelivered || d.LastStatus != 204 || d.FinishedAt.IsZero() {
			t.Errorf("a late success did not count: %+v", d)
		}
	})
}

func TestAReleasedDeliveryIsDueAtOnceAndHasLostNothing(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		newEvent(t, s, account)
		newEvent(t, s, account)
		mine, theirs := claimAs(t, s, "me", 1)[0], claimAs(t, s, "you", 1)[0]
		if n := must[int](t)(s.ReleaseDeliveries(t.Context(), "me")); n != 1 {
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

func TestAnEndpointGetsAsManyAttemptsAtOnceAsItMayHave(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		endpoint := newEndpoint(t, s, account)
		for range 10 {
			newEvent(t, s, account)
		}
		first := claimAs(t, s, "me", 3)
		rest := claimAs(t, s, "you", 100)
		if len(first) != 3 || len(rest) != 1 {
			t.Fatalf("claimed %d and %d of at most 4", len(first), len(rest))
		}
		if _, waits, err := s.NextDelivery(t.Context()); waits || err != nil {
			t.Errorf("a full endpoint is waited for: %t, %v", waits, err)
		}
		finishAttempt(t, s, "me", first[0], success(first[0].Delivery))
		if more := claimAs(t, s, "me", 100); len(more) != 1 {
			t.Errorf("claimed %d after one has ended, want 1", len(more))
		}
		setStatus(t, s, account, endpoint, typus.EndpointFailing)
		must[int](t)(s.ReleaseDeliveries(t.Context(), "me"))
		must[int](t)(s.ReleaseDeliveries(t.Context(), "you"))
		if probes := claimAs(t, s, "me", 100); len(probes) != 1 {
			t.Errorf("a failing endpoint gets %d attempts at once", len(probes))
		}
	})
}

func TestEndpointsTakeTurns(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		var endpoints []int64
		for range 20 {
			endpoints = append(endpoints, newEndpoint(t, s, account))
		}
		for range 4 {
			newEvent(t, s, account)
		}
		served := map[int64]int{}
		for range 20 {
			for _, c := range claimAs(t, s, "me", 1) {
				served[c.Endpoint.ID]++
				finishAttempt(t, s, "me", c, success(c.Delivery))
			}
		}
		for _, e := range endpoints {
			if served[e] != 1 {
				t.Errorf("endpoint %d was served %d times in the first round", e, served[e])
			}
		}
	})
}

func TestOnlyDueDeliveriesOfEndpointsThatAreOnAreClaimed(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		if _, waits, _ := s.NextDelivery(t.Context()); waits {
			t.Error("nothing waits while the only delivery is under way")
		}
		finishAttempt(t, s, "me", c, failure(c.Delivery, time.Hour))
		if early := claimAs(t, s, "me", 1); len(early) != 0 {
			t.Errorf("claimed an hour early: %+v", early)
		}
		wait, waits, err := s.NextDelivery(t.Context())
		if !waits || err != nil || wait < 59*time.Minute || wait > time.Hour {
			t.Errorf("next in %s, %t, %v; want an hour", wait, waits, err)
		}
		newEvent(t, s, account)
		if wait, waits, err := s.NextDelivery(t.Context()); !waits || err != nil || wait != 0 {
			t.Errorf("next in %s, %t, %v; want now", wait, waits, err)
		}
		setStatus(t, s, account, c.Endpoint.ID, typus.EndpointPaused)
		if off := claimAs(t, s, "me", 1); len(off) != 0 {
			t.Errorf("claimed for a paused endpoint: %+v", off)
		}
	})
}

func TestThreeFailuresMakeAnEndpointFailingAndASuccessActive(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		newEvent(t, s, account)
		check := func(what string, status typus.EndpointStatus, failures int) {
			t.Helper()
			e := must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, id))
			if e.Status != status || e.ConsecutiveFailures != failures {
				t.Errorf("%s: %s with %d failures, want %s with %d", what, e.Status, e.ConsecutiveFailures, status, failures)
			}
		}
		for i := range 4 {
			c := claimAs(t, s, "me", 1)[0]
			finishAttempt(t, s, "me", c, failure(c.Delivery, 0))
			want := typus.EndpointActive
			if i >= 2 {
				want = typus.EndpointFailing
			}
			check(fmt.Sprintf("after failure %d", i+1), want, i+1)
		}
		c := claimAs(t, s, "me", 1)[0]
		finishAttempt(t, s, "me", c, success(c.Delivery))
		check("after a success", typus.EndpointActive, 0)
	})
}

func TestAnAnswer410SwitchesTheEndpointOffAndHoldsItsDeliveries(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		first, second := newEvent(t, s, account), newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		r := failure(c.Delivery, time.Hour)
		r.Attempt.HTTPStatus, r.EndpointGone = 410, true
		if !finishAttempt(t, s, "me", c, r) {
			t.Error("the owner could not write back")
		}
		if e := must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, id)); e.Status != typus.EndpointGone {
			t.Errorf("the endpoint is %s", e.Status)
		}
		if got := states(t, s, account, first, second); got[typus.DeliveryHeld] != 2 {
			t.Errorf("deliveries: %v", got)
		}
	})
}

func TestAResultForAnEndpointThatWasSwitchedOffWaitsOrEnds(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for status, want := range map[typus.EndpointStatus]typus.DeliveryState{
			typus.EndpointPaused:  typus.DeliveryHeld,
			typus.EndpointDeleted: typus.DeliveryCancelled,
		} {
			account := newAccount(t, s)
			id := newEndpoint(t, s, account)
			newEvent(t, s, account)
			c := claimAs(t, s, "me", 1)[0]
			setStatus(t, s, account, id, status)
			gone := failure(c.Delivery, time.Hour)
			gone.EndpointGone = status == typus.EndpointDeleted
			if !finishAttempt(t, s, "me", c, gone) {
				t.Errorf("%s: the owner could not write back", status)
			}
			if d := delivery(t, s, c); d.State != want {
				t.Errorf("%s: the delivery is %s, want %s", status, d.State, want)
			}
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
			if n := must[int](t)(s.SweepDeliveries(t.Context())); n != 1 {
				t.Errorf("round %d: swept %d", i, n)
			}
			d := delivery(t, s, last)
			if d.State != typus.DeliveryPending || d.Interruptions != want.interruptions || d.Failures != want.failures || d.Attempt != i+1 {
				t.Errorf("round %d: %+v", i, d)
			}
			if in := time.Until(d.NextAttemptAt); in < 3*time.Second || in > 6*time.Second {
				t.Errorf("round %d: next attempt in %s, want 5 s", i, in)
			}
			resume(t, s, account, last.Endpoint.ID)
		}
		for _, a := range attempts(t, s, last) {
			if a.Outcome != "interrupted" {
				t.Errorf("attempt %d: %s", a.N, a.Outcome)
			}
		}
		if n := must[int](t)(s.SweepDeliveries(t.Context())); n != 0 {
			t.Errorf("swept %d more", n)
		}
	})
}

// resume makes the waiting deliveries of an endpoint due.
func resume(t testing.TB, s *store.Store, account, endpoint int64) {
	t.Helper()
	setStatus(t, s, account, endpoint, typus.EndpointPaused)
	setStatus(t, s, account, endpoint, typus.EndpointActive)
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
			must[int](t)(s.SweepDeliveries(t.Context()))
			resume(t, s, account, endpoint)
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
		if n := must[int](t)(s.SweepDeliveries(t.Context())); n != 0 {
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
			if n := must[int](t)(s.SweepDeliveries(t.Context())); n != due {
				t.Errorf("a wait of %s: swept %d, want %d", wait, n, due)
			}
			resume(t, s, account, c.Endpoint.ID)
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
		must[int](t)(s.ReleaseDeliveries(t.Context(), "me"))
		if got := states(t, s, account, event); got[typus.DeliveryPending] != 2 {
			t.Fatalf("before the sweep: %v", got)
		}
		if n := must[int](t)(s.SweepDeliveries(t.Context())); n != 2 {
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

// Four owners drain a backlog side by side: no attempt is claimed twice, no
// endpoint ever has more than four under way.
func TestFourOwnersNeverShareAnAttemptNorExceedTheLimit(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		for range 5 {
			newEndpoint(t, s, account)
		}
		for range 40 {
			newEvent(t, s, account)
		}
		const total = 5 * 40
		var mu sync.Mutex
		seen, under, done := map[string]int{}, map[int64]int{}, 0
		deadline := time.Now().Add(time.Minute)
		over := func() bool {
			mu.Lock()
			defer mu.Unlock()
			return done == total || time.Now().After(deadline)
		}
		begun := func(c store.Claimed) {
			mu.Lock()
			defer mu.Unlock()
			seen[c.Delivery.ID]++
			if under[c.Endpoint.ID]++; under[c.Endpoint.ID] > 4 {
				t.Errorf("endpoint %d has %d attempts under way", c.Endpoint.ID, under[c.Endpoint.ID])
			}
		}
		ending := func(c store.Claimed) { // before the write-back: after it the place may be taken at once
			mu.Lock()
			defer mu.Unlock()
			under[c.Endpoint.ID]--
			done++
		}
		inParallel(4, func(i int) {
			owner := fmt.Sprintf("owner %d", i)
			for !over() {
				claimed, err := s.ClaimDeliveries(t.Context(), owner, lease, 6)
				if err != nil {
					t.Error(err)
					return
				}
				for _, c := range claimed {
					begun(c)
				}
				for _, c := range claimed {
					ending(c)
					if ok, err := s.FinishAttempt(t.Context(), owner, c.Delivery, success(c.Delivery)); !ok || err != nil {
						t.Errorf("finish %s: %t, %v", c.Delivery.ID, ok, err)
					}
				}
			}
		})
		if len(seen) != total {
			t.Errorf("%d of %d delivered", len(seen), total)
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("delivery %s was claimed %d times", id, n)
			}
		}
	})
}
