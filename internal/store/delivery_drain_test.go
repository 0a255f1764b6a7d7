package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// waiting makes n deliveries of an account's one endpoint fail and wait an hour.
func waiting(t *testing.T, s *store.Store, account int64, n int) []store.Claimed {
	t.Helper()
	var list []store.Claimed
	for range n {
		newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		finishAttempt(t, s, "me", c, failure(c.Delivery, time.Hour))
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b store.Claimed) int { return strings.Compare(a.Delivery.ID, b.Delivery.ID) })
	return list
}

func TestWhatWaitsForAnEndpointFollowsOnceSomethingArrives(t *testing.T) {
	for what, begin := range map[string]func(*testing.T, *store.Store, int64, int64){
		"a result": func(t *testing.T, s *store.Store, account, _ int64) { newEvent(t, s, account) },
		"a test":   func(t *testing.T, s *store.Store, account, endpoint int64) { newTest(t, s, account, endpoint) },
	} {
		t.Run(what, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, s *store.Store) {
				account, other := newAccount(t, s), newAccount(t, s)
				elsewhere := newEndpoint(t, s, other)
				apart := waiting(t, s, other, 3)
				id := newEndpoint(t, s, account)
				list := waiting(t, s, account, 5)
				if e := endpoint(t, s, account, id); e.Status != typus.EndpointFailing {
					t.Fatalf("the endpoint is %s", e.Status)
				}
				begin(t, s, account, id)
				c := claimAs(t, s, "me", 1)[0]
				lastTries, soon := list[3], list[4]
				run(t, s, `update webhook_deliveries set failures = 10 where id = '%s'`, lastTries.Delivery.ID)
				before := time.Now().Truncate(time.Millisecond)
				run(t, s, `update webhook_deliveries set next_attempt_at = %d where id = '%s'`, before.Add(50*time.Millisecond).UnixMilli(), soon.Delivery.ID)

				finishAttempt(t, s, "me", c, success(c.Delivery))
				after := time.Now()

				first := delivery(t, s, list[0]).NextAttemptAt
				if first.Before(before.Add(100*time.Millisecond)) || first.After(after.Add(100*time.Millisecond)) {
					t.Errorf("the first is due %v after the success, want 100ms", first.Sub(before))
				}
				for i, w := range list[:3] {
					d := delivery(t, s, w)
					if d.State != typus.DeliveryPending || d.Failures != 1 || d.NextAttemptAt.Sub(first) != time.Duration(i)*100*time.Millisecond {
						t.Errorf("number %d, %v after the first: %+v", i, d.NextAttemptAt.Sub(first), d)
					}
				}
				if d := delivery(t, s, lastTries); d.NextAttemptAt.Before(before.Add(50 * time.Minute)) {
					t.Errorf("one of the last attempts was drawn forward: %+v", d)
				}
				if d := delivery(t, s, soon); !d.NextAttemptAt.Equal(before.Add(50 * time.Millisecond)) {
					t.Errorf("what was due soon has another time: %+v", d)
				}
				for _, w := range apart {
					if d := delivery(t, s, w); d.NextAttemptAt.Before(before.Add(50 * time.Minute)) {
						t.Errorf("another endpoint's delivery was moved: %+v", d)
					}
				}
				if e := endpoint(t, s, other, elsewhere); e.Status != typus.EndpointFailing {
					t.Errorf("another endpoint is %s", e.Status)
				}
			})
		})
	}
}

func TestASuccessOfAHealthyEndpointMovesNothing(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		refused := waiting(t, s, account, 2)
		newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		finishAttempt(t, s, "me", c, success(c.Delivery))
		if e := endpoint(t, s, account, id); e.Status != typus.EndpointActive || e.ConsecutiveFailures != 0 {
			t.Errorf("the endpoint: %+v", e)
		}
		for _, w := range refused {
			if d := delivery(t, s, w); time.Until(d.NextAttemptAt) < 50*time.Minute {
				t.Errorf("moved: %+v", d)
			}
		}
	})
}

func TestTenThousandDeliveriesFollowAtOnceAndTheRestInItsTime(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		event := newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		later := time.Now().Add(5 * time.Hour).UnixMilli()
		run(t, s, `insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, failures, next_attempt_at)
			with recursive n (i) as (select 1 union all select i + 1 from n where i < 10007)
			select 'dlv_' || (100000 + i), %d, '%s', %d, 'replay', 'pending', 5, %d + i from n`, account, event, id, later)
		run(t, s, `update webhook_endpoints set status = 'failing', consecutive_failures = 5 where id = %d`, id)
		began := time.Now()
		finishAttempt(t, s, "me", c, success(c.Delivery))
		t.Logf("took %v", time.Since(began))
		got := rows(t, s, fmt.Sprintf(`select count(*), max(next_attempt_at) - min(next_attempt_at), max(case id when 'dlv_110000' then 1 else 0 end)
			from webhook_deliveries where state = 'pending' and next_attempt_at < %d`, later))
		if want := []string{"10000|999900|1"}; !slices.Equal(got, want) {
			t.Errorf("drawn forward: number, milliseconds from first to last, the ten thousandth: %q, want %q", got, want)
		}
	})
}
