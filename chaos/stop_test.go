//go:build chaos

package chaos

import (
	"context"
	"database/sql"
	"sync/atomic"
	"testing"
	"time"

	"typus/internal/waittest"
	"typus/internal/webhook"
)

// stopWithin is how long service managers wait after SIGTERM before they kill.
const stopWithin = 25 * time.Second

// A server is told to stop again and again while requests come in and receivers let it wait.
// It ends in time, everything that it had taken is finished or given back, and the next one
// has it at once; no attempt is lost and none is made twice.
func TestSIGTERMLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, s *site) {
		random := drawn(t)
		a := s.newAccount(t, 100_000, 8)
		hurried := newReceiver(t, func(n int, _ arrival) int {
			time.Sleep(time.Duration(n%7) * 10 * time.Millisecond)
			return 200
		})
		var hang atomic.Bool
		halting := newReceiver(t, func(n int, _ arrival) int {
			if hang.Load() && n%5 == 0 { // for longer than an attempt or a stop may take
				time.Sleep(18 * time.Second)
			}
			time.Sleep(time.Duration(n%5) * 60 * time.Millisecond)
			return 200
		})
		s.hook(t, a, hurried.url)
		s.hook(t, a, halting.url)
		d := newDriver(t, a, 8)
		addr := address(t)
		n := rounds(t, 3, 60)
		var stops []time.Duration
		for round := range n {
			hang.Store(round%20 == 10)
			p := s.serveAt(t, addr)
			arrived := hurried.count()
			stop := d.drive(t, addr)
			waittest.Until(t, "a webhook is sent", func() bool { return hurried.count() > arrived })
			time.Sleep(between(random, 0, 400*time.Millisecond))
			took := p.Stop(t)
			stop()
			stops = append(stops, took)
			if took > stopWithin {
				t.Errorf("the stop took %s: %s", took, p.Log)
			}
			checkNothingLeft(t, s)
			if random.IntN(4) == 0 {
				check(t, s, d)
			}
			if t.Failed() {
				t.FailNow()
			}
		}
		hang.Store(false)
		p := s.serveAt(t, addr)
		awaitDeliveries(t, s, 3*time.Minute)
		p.Stop(t)
		check(t, s, d)
		events, requests, _ := checkDelivered(t, s, hurried, halting)
		cut := checkAttempts(t, s, hurried, halting)
		for status := range d.refusals() {
			if status != 429 {
				t.Errorf("refused: %v", d.refusals())
			}
		}
		invited, _, finished := d.counts()
		figures(t, "P14 %d stops under load: p50 %s, slowest %s (25 s allowed); %d invitations, %d tests handed in, %d events in %d attempts, %d of them cut off by a stop, none lost or made twice",
			n, quantile(stops, 0.5).Round(time.Millisecond), quantile(stops, 1).Round(time.Millisecond), invited, finished, events, requests, cut)
	})
}

// checkNothingLeft wants no delivery in the hands of a server that has gone.
func checkNothingLeft(t *testing.T, s *site) {
	t.Helper()
	s.looking(t, func(db *sql.DB) {
		if n := number(t, db, "select count(*) from webhook_deliveries where state = 'sending'"); n != 0 {
			t.Errorf("%d deliveries are still held by the server that has stopped", n)
		}
		if n := number(t, db, "select count(*) from letters where state = 'sending'"); n != 0 {
			t.Errorf("%d letters are still held by the server that has stopped", n)
		}
	})
}

// storedAttempt is an attempt as the server has written it down.
type storedAttempt struct {
	outcome string
	status  int
}

// checkAttempts compares each request at the receivers, which answer 200, with what is stored
// of it: one that was answered is delivered, one whose answer took too long has failed, and
// one that a stop has cut off is no attempt that counts. It says how many were cut off.
func checkAttempts(t *testing.T, s *site, list ...*receiver) int {
	t.Helper()
	type key struct {
		delivery string
		n        int
	}
	stored := map[key]storedAttempt{}
	s.looking(t, func(db *sql.DB) {
		rows, err := db.QueryContext(context.Background(), "select delivery_id, n, outcome, http_status from webhook_attempts")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var k key
			var a storedAttempt
			if err := rows.Scan(&k.delivery, &k.n, &a.outcome, &a.status); err != nil {
				t.Fatal(err)
			}
			stored[k] = a
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	})
	cut := 0
	delivered := map[string]int{}
	for _, r := range list {
		for _, a := range r.arrivals() {
			found, there := stored[key{a.delivery, a.attempt}]
			switch {
			case !there:
				t.Errorf("attempt %d at %s arrived and is not stored", a.attempt, a.delivery)
			case found.outcome == webhook.OutcomeDelivered && found.status == a.status && !a.gone:
				delivered[a.delivery]++
			case found.outcome == webhook.OutcomeFailed && a.gone: // it took too long
			case found.outcome == webhook.OutcomeInterrupted:
				cut++
			default:
				t.Errorf("attempt %d at %s was answered with %d, gone before: %t, and is stored as %s with %d", a.attempt, a.delivery, a.status, a.gone, found.outcome, found.status)
			}
			delete(stored, key{a.delivery, a.attempt})
		}
	}
	for k, a := range stored {
		if a.outcome != webhook.OutcomeInterrupted { // it may have been cut off before it was sent
			t.Errorf("attempt %d at %s is stored as %s and never arrived", k.n, k.delivery, a.outcome)
		}
	}
	for delivery, n := range delivered {
		if n > 1 {
			t.Errorf("%s was delivered %d times", delivery, n)
		}
	}
	return cut
}
