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
				lastTries := list[4]
				run(t, s, `update webhook_deliveries set failures = 10 where id = '%s'`, lastTries.Delivery.ID)
				before := time.Now().Truncate(time.Millisecond)
				finishAttempt(t, s, "me", c, success(c.Delivery))
				for i, w := range list[:4] {
					d := delivery(t, s, w)
					if d.State != typus.DeliveryPending || d.Failures != 1 || d.NextAttemptAt.After(time.Now()) {
						t.Errorf("number %d waits %s: %+v", i, time.Until(d.NextAttemptAt), d)
					}
				}
				if n := len(claimAs(t, s, "me", 10)); n != 4 {
					t.Errorf("%d follow at once, want 4", n)
				}
				if d := delivery(t, s, lastTries); d.NextAttemptAt.Before(before.Add(50 * time.Minute)) {
					t.Errorf("one of the last attempts was drawn forward: %+v", d)
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

// settleAll does what a courier does until nothing is left to settle, and says in how
// many steps.
func settleAll(t testing.TB, s *store.Store) int {
	t.Helper()
	for steps := 0; ; steps++ {
		found, err := s.SettleDeliveries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			return steps
		}
	}
}

// lots adds deliveries of an event to an endpoint.
func lots(t testing.TB, s *store.Store, account, endpoint int64, state typus.DeliveryState, n int) {
	t.Helper()
	event := newEvent(t, s, account)
	run(t, s, `insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, failures, next_attempt_at)
		with recursive n (i) as (select 1 union all select i + 1 from n where i < %d)
		select 'dlv_' || (1000000 + i), %d, '%s', %d, 'replay', '%s', 5, %d from n`, n, account, event, endpoint, state, time.Now().Add(5*time.Hour).UnixMilli())
	run(t, s, `update webhook_deliveries set state = 'cancelled' where event_id = '%s' and kind = 'auto'`, event)
}

// inStates are the deliveries of an endpoint by state.
func inStates(t testing.TB, s *store.Store, endpoint int64) string {
	t.Helper()
	return strings.Join(rows(t, s, fmt.Sprintf(`select state, count(*) from webhook_deliveries where endpoint_id = %d and kind = 'replay' group by state order by state`, endpoint)), " ")
}

// Whatever a person does with a webhook for which much waits is done at once for the
// webhook, and page by page for what waits.
func TestWhatIsDoneToManyDeliveriesIsDonePageByPage(t *testing.T) {
	const n, first = 1700, 500
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for what, c := range map[string]struct {
			state typus.DeliveryState
			do    func(tx *store.Tx, account, id int64) error
			begun string
			done  string
		}{
			"pause": {typus.DeliveryPending, func(tx *store.Tx, account, id int64) error {
				return tx.SetEndpointStatus(t.Context(), account, id, typus.EndpointPaused, "", time.Now())
			}, "held|500 pending|1200", "held|1700"},
			"delete": {typus.DeliveryPending, func(tx *store.Tx, account, id int64) error {
				return tx.SetEndpointStatus(t.Context(), account, id, typus.EndpointDeleted, "", time.Now())
			}, "cancelled|500 pending|1200", "cancelled|1700"},
			"resume": {typus.DeliveryHeld, func(tx *store.Tx, account, id int64) error {
				return tx.ReopenEndpoint(t.Context(), account, id, time.Now(), false)
			}, "held|1200 pending|500", "pending|1700"},
			"drop": {typus.DeliveryHeld, func(tx *store.Tx, account, id int64) error {
				return tx.ReopenEndpoint(t.Context(), account, id, time.Now(), true)
			}, "cancelled|500 held|1200", "cancelled|1700"},
		} {
			account := newAccount(t, s)
			id := newEndpoint(t, s, account)
			settleAll(t, s)
			if c.state == typus.DeliveryHeld {
				setStatus(t, s, account, id, typus.EndpointPaused)
				settleAll(t, s)
			}
			lots(t, s, account, id, c.state, n)
			write(t, s, func(tx *store.Tx) error { return c.do(tx, account, id) })
			if got := inStates(t, s, id); got != c.begun {
				t.Errorf("%s begins with %s, want %s", what, got, c.begun)
			}
			if steps := settleAll(t, s); steps < (n-first)/500 || steps > 10 {
				t.Errorf("%s took %d steps more", what, steps)
			}
			if got := inStates(t, s, id); got != c.done {
				t.Errorf("%s ends with %s, want %s", what, got, c.done)
			}
			run(t, s, `delete from webhook_deliveries where kind = 'replay'`)
			run(t, s, `update webhook_endpoints set due_at = null where id = %d`, id)
		}
	})
}

// A drain looks at each delivery once: what fails again meanwhile takes its step.
func TestADrainMakesDueWhatWaitsOnceAndInOrder(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		lots(t, s, account, id, typus.DeliveryPending, 1700)
		write(t, s, func(tx *store.Tx) error { return tx.DrainEndpoint(t.Context(), account, id) })
		c := claimAs(t, s, "me", 1)
		if len(c) != 1 || c[0].Delivery.ID != "dlv_1000001" {
			t.Fatalf("claimed %+v", c)
		}
		finishAttempt(t, s, "me", c[0], failure(c[0].Delivery, time.Hour))
		settleAll(t, s)
		if d := delivery(t, s, c[0]); time.Until(d.NextAttemptAt) < 50*time.Minute {
			t.Errorf("what failed again is drawn forward: %+v", d)
		}
		due := rows(t, s, fmt.Sprintf(`select count(*) from webhook_deliveries where state = 'pending' and next_attempt_at <= %d`, time.Now().UnixMilli()))
		if !slices.Equal(due, []string{"1699"}) {
			t.Errorf("%q are due, want 1699", due)
		}
	})
}

// PostgreSQL has counted when nothing was held, and does not know yet that all is:
// what it plans then must not cost the square of it.
func TestALargeBacklogIsResumedBeforePostgresHasCountedIt(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	account := newAccount(t, s)
	id := newEndpoint(t, s, account)
	settleAll(t, s)
	lots(t, s, account, id, typus.DeliveryPending, 25_000)
	run(t, s, `analyze`) //nolint:misspell // the word is PostgreSQL's
	setStatus(t, s, account, id, typus.EndpointPaused)
	settleAll(t, s)
	write(t, s, func(tx *store.Tx) error { return tx.ReopenEndpoint(t.Context(), account, id, time.Now(), false) })
	settleAll(t, s)
	if got := inStates(t, s, id); got != "pending|25000" {
		t.Errorf("it ends with %s", got)
	}
}
