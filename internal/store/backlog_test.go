package store_test

import (
	"maps"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestTheBacklogSaysWhatWaitsSinceWhenAndWhatWasDone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		now := noon.Add(time.Hour)
		s = s.WithClock(func() time.Time { return now })
		empty := must[store.Backlog](t)(s.Backlog(t.Context()))
		if empty.Letters["waiting"] != 0 || empty.Deliveries["pending"] != 0 || len(empty.Letters) != 5 || len(empty.Deliveries) != 3 || empty.Overdue != (store.Overdue{}) || len(empty.Done) != 0 {
			t.Errorf("an empty database: %+v", empty)
		}
		account := newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		event := newEvent(t, s, account) // before there is a webhook that would get it
		endpoint := newEndpoint(t, s, account)
		for n, state := range []typus.LetterState{typus.LetterQueued, typus.LetterQueued, typus.LetterQueued, typus.LetterFailed, typus.LetterSending, typus.LetterHeld} {
			id := addLetter(t, s, invitation(account, candidate))
			run(t, s, "update letters set state = '%s', next_attempt_at = %d where id = %d", state, noon.Add(time.Duration(n)*time.Minute).UnixMilli(), id)
			switch n {
			case 1:
				run(t, s, "update letters set attempts = 2, turn = null where id = %d", id)
			case 2: // in line, and for longer than the others
				run(t, s, "update letters set turn = 7, next_attempt_at = %d where id = %d", noon.Add(-time.Minute).UnixMilli(), id)
			case 5:
				run(t, s, "update letters set held_until = 5 where id = %d", id)
			}
		}
		for n, state := range []string{"pending", "pending", "sending", "held", "delivered"} {
			run(t, s, `insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, next_attempt_at) values ('d%d', %d, '%s', %d, 'replay', '%s', %d)`,
				n, account, event, endpoint, state, noon.Add(time.Duration(n-9)*time.Minute).UnixMilli())
		}
		run(t, s, "update webhook_endpoints set due_at = %d, last_duration_ms = 5 where id = %d", noon.UnixMilli(), endpoint)
		claimChore(t, s, "me", time.Hour, time.Minute)
		must[bool](t)(s.FinishChore(t.Context(), "tidy", "me", time.Minute, false))
		if b := must[store.Backlog](t)(s.Backlog(t.Context())); len(b.Done) != 1 || !b.Done["tidy"].IsZero() {
			t.Errorf("a turn that failed counts as done: %v", b.Done)
		}
		now = now.Add(time.Minute)
		claimChore(t, s, "me", time.Hour, time.Minute)
		must[bool](t)(s.FinishChore(t.Context(), "tidy", "me", time.Minute, true))
		done := now
		now = now.Add(time.Minute)
		claimChore(t, s, "me", time.Hour, time.Minute)
		must[bool](t)(s.FinishChore(t.Context(), "tidy", "me", time.Minute, false))

		b := must[store.Backlog](t)(s.Backlog(t.Context()))
		if want := map[string]int{"waiting": 3, "deferred": 1, "sending": 1, "postponed": 1, "failed": 1}; !maps.Equal(b.Letters, want) {
			t.Errorf("letters %v, want %v", b.Letters, want)
		}
		if want := map[string]int{"pending": 2, "sending": 1, "held": 1}; !maps.Equal(b.Deliveries, want) {
			t.Errorf("deliveries %v, want %v", b.Deliveries, want)
		}
		if !b.Overdue.Letter.Equal(noon.Add(-time.Minute)) || !b.Overdue.Delivery.Equal(noon.Add(-9*time.Minute)) || !b.Now.Equal(now) {
			t.Errorf("overdue %+v at %s", b.Overdue, b.Now)
		}
		if len(b.Done) != 1 || !b.Done["tidy"].Equal(done) {
			t.Errorf("done %v, want %s", b.Done, done)
		}
		run(t, s, "update webhook_endpoints set due_at = null where id = %d", endpoint)
		if b := must[store.Backlog](t)(s.Backlog(t.Context())); !b.Overdue.Delivery.IsZero() {
			t.Errorf("a webhook that is off is waited for since %s", b.Overdue.Delivery)
		}
	})
}
