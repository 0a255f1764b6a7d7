package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// storm is a run of several servers against one database: owners who deliver
// with random luck, one who sweeps, one who switches endpoints off and on.
type storm struct {
	t        *testing.T
	servers  []*store.Store
	account  int64
	mu       sync.Mutex
	under    map[int64]int // attempts under way, by endpoint
	deadline time.Time
}

const (
	stormEndpoints = 4
	stormEvents    = 25
)

// open counts the deliveries that have not ended.
func (w *storm) open() int {
	n := 0
	for _, line := range rows(w.t, w.servers[0], `select count(*) from webhook_deliveries where state not in ('delivered', 'exhausted')`) {
		if _, err := fmt.Sscan(line, &n); err != nil {
			w.t.Error(err)
		}
	}
	return n
}

func (w *storm) over() bool { return w.open() == 0 || time.Now().After(w.deadline) }

// count notes that attempts began or are about to end.
func (w *storm) count(endpoint int64, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.under[endpoint] += by; w.under[endpoint] > 4 {
		w.t.Errorf("endpoint %d has %d attempts under way", endpoint, w.under[endpoint])
	}
}

func (w *storm) deliver(s *store.Store, owner string) {
	for !w.over() {
		claimed, err := s.ClaimDeliveries(w.t.Context(), owner, lease, 5)
		if err != nil {
			w.t.Error(err)
			return
		}
		for _, c := range claimed {
			w.count(c.Endpoint.ID, 1)
		}
		for _, c := range claimed {
			w.count(c.Endpoint.ID, -1) // before the write-back: after it the place may be taken at once
			if ok, err := tryFinish(w.t, s, owner, c.Delivery, luck(c.Delivery)); !ok || err != nil {
				w.t.Errorf("finish %s: %t, %v", c.Delivery.ID, ok, err)
			}
		}
	}
}

// luck fails every second attempt. Some failures wait long enough that a success draws
// them forward.
func luck(d typus.Delivery) ending {
	if rand.IntN(2) == 0 {
		return success(d)
	}
	return failure(d, time.Duration(rand.IntN(2))*300*time.Millisecond)
}

func (w *storm) sweep(s *store.Store) {
	for !w.over() {
		sweep(w.t, s)
		if _, _, err := s.NextDelivery(w.t.Context()); err != nil {
			w.t.Error(err)
		}
	}
}

// toggle switches an endpoint off and on, by hand as a customer would.
func (w *storm) toggle(s *store.Store, endpoint int64) {
	for !w.over() {
		for _, st := range []typus.EndpointStatus{typus.EndpointPaused, typus.EndpointActive} {
			err := s.InTx(w.t.Context(), func(tx *store.Tx) error {
				return tx.SetEndpointStatus(w.t.Context(), w.account, endpoint, st, "", time.Now())
			})
			if err != nil {
				w.t.Error(err)
			}
		}
	}
}

func runStorm(t *testing.T, servers []*store.Store) {
	t.Helper()
	w := &storm{t: t, servers: servers, account: newAccount(t, servers[0]), under: map[int64]int{}, deadline: time.Now().Add(2 * time.Minute)}
	var endpoints []int64
	for range stormEndpoints {
		endpoints = append(endpoints, newEndpoint(t, servers[0], w.account))
	}
	for range stormEvents {
		newEvent(t, servers[0], w.account)
	}
	dbtest.AtOnce(5, func(i int) {
		s := servers[i%len(servers)]
		switch i {
		case 3:
			w.sweep(s)
		case 4:
			w.toggle(s, endpoints[0])
		default:
			w.deliver(s, fmt.Sprint("owner ", i))
		}
	})
	if n := w.open(); n > 0 {
		t.Errorf("%d deliveries have not ended", n)
	}
	w.checkLog(endpoints[0])
}

// checkLog compares the deliveries with the log of their attempts. Those of the
// endpoint that is switched off and on forget their failures when it is on again.
func (w *storm) checkLog(toggled int64) {
	w.t.Helper()
	for what, query := range map[string]string{
		"deliveries whose attempts are not all in the log": `select d.id from webhook_deliveries d
			where d.attempt <> (select count(*) from webhook_attempts a where a.delivery_id = d.id and a.n <= d.attempt)`,
		"deliveries whose failures are not those of the log": fmt.Sprintf(`select d.id from webhook_deliveries d
			where d.endpoint_id <> %d and d.failures <> (select count(*) from webhook_attempts a where a.delivery_id = d.id and a.outcome = 'failed')`, toggled),
		"deliveries with more failures than the log": `select d.id from webhook_deliveries d
			where d.failures > (select count(*) from webhook_attempts a where a.delivery_id = d.id and a.outcome = 'failed')`,
		"delivered without one delivered attempt": `select d.id from webhook_deliveries d
			where d.state = 'delivered' and 1 <> (select count(*) from webhook_attempts a where a.delivery_id = d.id and a.outcome = 'delivered')`,
		"attempts without an outcome": `select a.id from webhook_attempts a where a.outcome not in ('delivered', 'failed')`,
	} {
		if ids := rows(w.t, w.servers[0], query); len(ids) > 0 {
			w.t.Errorf("%s: %q", what, ids)
		}
	}
	total := rows(w.t, w.servers[0], `select count(*) from webhook_deliveries`)
	if !slices.Equal(total, []string{fmt.Sprint(stormEndpoints * stormEvents)}) {
		w.t.Errorf("%q deliveries, want %d", total, stormEndpoints*stormEvents)
	}
}

func TestAStormLosesNoDeliveryAndNoAttempt(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { runStorm(t, []*store.Store{storetest.OpenSQLite(t)}) })
	t.Run("postgres", func(t *testing.T) {
		dsn := storetest.Postgres(t)
		runStorm(t, []*store.Store{storetest.Open(t, dsn), storetest.Open(t, dsn), storetest.Open(t, dsn)})
	})
}
