package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// throng is everybody who changes deliveries, at work on a few webhooks of one account.
type throng struct {
	*testing.T
	store     *store.Store
	account   int64
	endpoints []int64
	known     []string // deliveries

	mu      sync.Mutex
	claimed []store.Claimed
	people  []int64
}

func (c *throng) endpoint(i int) int64 { return c.endpoints[i%len(c.endpoints)] }

func (c *throng) claim(int) error {
	got, err := c.store.ClaimDeliveries(c.Context(), "me", lease, 4)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.claimed = append(c.claimed, got...)
	return err
}

// finish ends one claimed delivery; it waits for none.
func (c *throng) finish(owner string, how func(d typus.Delivery) ending) func(int) error {
	return func(int) error {
		c.mu.Lock()
		if len(c.claimed) == 0 {
			c.mu.Unlock()
			return c.claim(0)
		}
		d := c.claimed[0].Delivery
		c.claimed = c.claimed[1:]
		c.mu.Unlock()
		_, err := tryFinish(c.T, c.store, owner, d, how(d))
		return err
	}
}

// inTx changes one webhook as the steps do: the webhook is locked, then its account.
func (c *throng) inTx(do func(tx *store.Tx, endpoint int64) error) func(int) error {
	return func(i int) error {
		return c.store.InTx(c.Context(), func(tx *store.Tx) error {
			if _, err := tx.LockEndpoint(c.Context(), c.account, c.endpoint(i)); err != nil {
				return err
			}
			if _, err := tx.LockAccount(c.Context(), c.account); err != nil {
				return err
			}
			return do(tx, c.endpoint(i))
		})
	}
}

func (c *throng) becomes(st typus.EndpointStatus) func(int) error {
	return c.inTx(func(tx *store.Tx, id int64) error {
		return tx.SetEndpointStatus(c.Context(), c.account, id, st, "", time.Now())
	})
}

// complete is a person who hands in.
func (c *throng) complete(int) error {
	n := candidateOf(c.account)
	return c.store.InTx(c.Context(), func(tx *store.Tx) error {
		id, _, err := tx.AddCandidate(c.Context(), n)
		if err != nil {
			return err
		}
		e := typus.Event{ID: unique("evt_"), AccountID: c.account, Type: typus.EventCandidateCompleted, CandidateID: id, OccurredAt: noon, Payload: []byte("{}")}
		var sent []string
		if _, err := tx.AddEvent(c.Context(), e, func() string { sent = append(sent, unique("dlv_")); return sent[len(sent)-1] }); err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.people, c.known = append(c.people, id), append(sent, c.known...)
		_, err = tx.LockAccount(c.Context(), c.account)
		return err
	})
}

func (c *throng) erase(int) error {
	c.mu.Lock()
	if len(c.people) == 0 {
		c.mu.Unlock()
		return nil
	}
	id := c.people[0]
	c.people = c.people[1:]
	c.mu.Unlock()
	return c.store.InTx(c.Context(), func(tx *store.Tx) error {
		if _, err := tx.LockToErase(c.Context(), c.account, id); err != nil {
			return err
		}
		return tx.EraseCandidate(c.Context(), c.account, id, noon)
	})
}

// replay sends one delivery again, whatever has become of it.
func (c *throng) replay(i int) error {
	c.mu.Lock()
	id := c.known[i%len(c.known)]
	c.mu.Unlock()
	return c.store.InTx(c.Context(), func(tx *store.Tx) error {
		d, err := tx.LockToReplay(c.Context(), c.account, id)
		switch {
		case err != nil || !d.Kept || !d.Endpoint.On() || d.State == typus.DeliverySending:
			return err
		case d.State.Ended():
			return tx.AddReplay(c.Context(), d, replayID())
		default:
			return tx.AttemptNow(c.Context(), d)
		}
	})
}

// replayMore takes a step of a run of an endpoint, or begins one.
func (c *throng) replayMore(i int) error {
	return c.store.InTx(c.Context(), func(tx *store.Tx) error {
		last, found, err := tx.LastReplayRun(c.Context(), c.account, c.endpoint(i))
		if err != nil {
			return err
		}
		if !found {
			if _, err := tx.LockEndpoint(c.Context(), c.account, c.endpoint(i)); err != nil {
				return err
			}
			_, err := tx.AddReplayRun(c.Context(), store.ReplayRun{AccountID: c.account, Filter: store.DeliveryFilter{EndpointID: c.endpoint(i)}, CreatedAt: noon})
			return err
		}
		r, mine, err := tx.ClaimReplayRun(c.Context(), c.account, last.ID)
		if err != nil || !mine {
			return err
		}
		e, err := tx.Endpoint(c.Context(), c.account, c.endpoint(i))
		if err != nil {
			return err
		}
		_, _, err = tx.ReplayMore(c.Context(), r, e, replayID)
		return err
	})
}

func (c *throng) sweep(int) error {
	_, err := c.store.SweepDeliveries(c.Context(), 0, interrupted) // whatever its lease
	_, _, endpoints := c.store.SweepEndpoints(c.Context(), 0)
	return errors.Join(err, endpoints, c.store.TellFailing(c.Context(), 0))
}

func (c *throng) settle(int) error {
	_, err := c.store.SettleDeliveries(c.Context())
	return err
}

// seldom leaves the others some time in which the webhooks are on.
func seldom(step func(i int) error) func(i int) error {
	return func(i int) error {
		if i%5 > 0 {
			return nil
		}
		return step(i)
	}
}

func (c *throng) everybody() map[string]func(i int) error {
	gone := func(d typus.Delivery) ending { r := failure(d, 0); r.Gone = true; return r }
	fails := func(d typus.Delivery) ending { return failure(d, 0) }
	return map[string]func(i int) error{
		"claim": c.claim, "success": c.finish("me", success), "failure": c.finish("me", fails), "last": c.finish("me", lastFailure),
		"410": seldom(c.finish("me", gone)), "late": c.finish("you", success), "sweep": c.sweep, "settle": c.settle,
		"pause": seldom(c.becomes(typus.EndpointPaused)), "resume": c.becomes(typus.EndpointActive),
		"reopen": c.inTx(func(tx *store.Tx, id int64) error {
			return tx.ReopenEndpoint(c.Context(), c.account, id, time.Now(), false)
		}),
		"delete": func(i int) error {
			if i < 12 {
				return nil
			}
			return c.becomes(typus.EndpointDeleted)(0) // one of them, towards the end
		},
		"address": c.inTx(func(tx *store.Tx, id int64) error {
			return tx.SetEndpointAddress(c.Context(), c.account, id, unique(hookURL), "")
		}),
		"start": func(int) error {
			return c.store.InTx(c.Context(), func(tx *store.Tx) error { _, err := tx.DrainUnanswered(c.Context()); return err })
		},
		"complete": c.complete, "complete too": c.complete, "erase": c.erase, "replay": c.replay, "replay too": c.replay, "replay many": c.replayMore,
	}
}

// Whoever changes deliveries locks the webhook, then the delivery, then the account.
// PostgreSQL counts who did not.
func TestWhoeverChangesDeliveriesAtTheSameTimeNeverDeadlocks(t *testing.T) {
	dsn := storetest.Postgres(t)
	s := storetest.Open(t, dsn)
	for range 4 {
		c := &throng{T: t, store: s, account: newAccount(t, s)}
		for range 3 {
			c.endpoints = append(c.endpoints, newEndpoint(t, s, c.account))
		}
		run(t, s, `update webhook_endpoints set rate_per_s = 1000, burst = 1000, max_in_flight = 32`)
		for range 10 {
			newEvent(t, s, c.account)
		}
		c.claimed = claimAs(t, s, "me", 20)
		c.known = rows(t, s, fmt.Sprintf("select id from webhook_deliveries where account_id = %d order by id", c.account))
		var all sync.WaitGroup
		for name, step := range c.everybody() {
			all.Go(func() {
				for i := range 15 {
					if err := step(i); err != nil && !typus.Is(err, typus.NotFound) {
						t.Errorf("%s: %v", name, err)
					}
				}
			})
		}
		all.Wait()
		if got := rows(t, s, "select d.id from webhook_deliveries d join webhook_events v on v.id = d.event_id where v.payload is null and d.state in ('pending', 'sending', 'held')"); len(got) > 0 {
			t.Errorf("%v are still to be sent about people who are erased", got)
		}
		if n := len(rows(t, s, "select id from webhook_attempts")); n < 3 {
			t.Errorf("only %d attempts were begun; the test says little", n)
		}
	}
	if err := s.Close(); err != nil { // whose end hands its counts in
		t.Fatal(err)
	}
	s = storetest.Open(t, dsn)
	if got := rows(t, s, "select deadlocks from pg_stat_database where datname = current_database()"); !slices.Equal(got, []string{"0"}) {
		t.Errorf("%s deadlocks", got)
	}
}
