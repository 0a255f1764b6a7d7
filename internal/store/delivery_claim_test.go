package store_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

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
		if wait, _, err := s.NextDelivery(t.Context()); wait < 100*time.Millisecond || err != nil {
			t.Errorf("a full endpoint is looked at again after %s, %v", wait, err)
		}
		finishAttempt(t, s, "me", first[0], success(first[0].Delivery))
		if more := claimAs(t, s, "me", 100); len(more) != 1 {
			t.Errorf("claimed %d after one has ended, want 1", len(more))
		}
		setStatus(t, s, account, endpoint, typus.EndpointFailing)
		release(t, s, "me")
		release(t, s, "you")
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
		dbtest.AtOnce(4, func(i int) {
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
					if ok, err := tryFinish(t, s, owner, c.Delivery, success(c.Delivery)); !ok || err != nil {
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
