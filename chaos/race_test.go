//go:build chaos

package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus/internal/db/dbtest"
	"typus/internal/processtest"
)

// servers are as many as an installation may have: one on an SQLite file, three on PostgreSQL.
func (s *site) servers(t *testing.T) []*processtest.Running {
	t.Helper()
	list := []*processtest.Running{s.serve(t)}
	for s.postgres() && len(list) < 3 {
		list = append(list, s.serve(t))
	}
	return list
}

func addresses(list []*processtest.Running) []string {
	var all []string
	for _, p := range list {
		all = append(all, p.Addr)
	}
	return all
}

// One test is handed in fifty times at once: by tabs, by browsers that repeat what got no
// answer, by some that go away before it comes. It costs one credit and makes one event, and
// each caller who waits is led to the same page.
func TestATestHandedInFiftyTimesIsBookedOnce(t *testing.T) {
	t.Parallel()
	const callers = 50
	eachDatabase(t, func(t *testing.T, s *site) {
		random := drawn(t)
		hook := newReceiver(t, nil)
		n := rounds(t, 8, 60)
		a := s.newAccount(t, 1000, 8)
		s.hook(t, a, hook.url)
		all := s.servers(t)
		targets := addresses(all)
		d := newDriver(t, a, 8)
		people := d.ready(t, n, targets...)
		var led, gone atomic.Int64
		begun := time.Now()
		for _, p := range people {
			patience := make([]time.Duration, callers)
			for i := range patience {
				patience[i] = time.Minute
				if random.IntN(5) == 0 {
					patience[i] = between(random, 0, 20*time.Millisecond)
				}
			}
			dbtest.AtOnce(callers, func(i int) {
				ctx, cancel := context.WithTimeout(t.Context(), patience[i])
				defer cancel()
				if d.handIn(ctx, t, p, targets[i%len(targets)]) {
					led.Add(1)
				} else if gone.Add(1); patience[i] == time.Minute {
					t.Errorf("caller %d of %s was not led on: %v", i, p.ref, d.refusals())
				}
			})
			if !d.handIn(t.Context(), t, p, targets[0]) {
				t.Errorf("%s is not handed in", p.ref)
			}
		}
		took := time.Since(begun)
		awaitDeliveries(t, s, time.Minute)
		check(t, s, d)
		events, requests, again := checkDelivered(t, s, hook)
		if events != len(people) || requests != events || again != 0 {
			t.Errorf("%d tests, %d events, %d requests at the receiver", len(people), events, requests)
		}
		for _, p := range all {
			p.Stop(t)
		}
		check(t, s, d)
		figures(t, "P3 %d tests handed in by %d callers each at %d server(s) in %.1f s: %d led on, %d gone before; %d ledger entries, %d events, %d webhooks",
			len(people), callers, len(all), took.Seconds(), led.Load(), gone.Load(), events, events, requests)
	})
}

// Tests are handed in from all sides while credits are added, each grant twice under one
// reference, and a server is killed in the middle of it. Whoever reads meanwhile finds a
// balance that is the sum of the ledger.
func TestNoCreditIsLostOrBookedTwice(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, s *site) {
		const granted = 10
		random := drawn(t)
		n := rounds(t, 30, 200)
		grants := max(1, n/10)
		a := s.newAccount(t, granted, 8)
		all := s.servers(t)
		d := newDriver(t, a, 8)
		targets := addresses(all)
		people := d.ready(t, n, targets...)
		random.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })

		db := s.open(t)
		defer db.Close()
		read, stop := balances(t, db, a)
		var work sync.WaitGroup
		next := make(chan *person)
		for range 32 {
			r := rand.New(rand.NewPCG(random.Uint64(), 0))
			work.Go(func() {
				for p := range next {
					untilBooked(t, d, p, targets, r)
				}
			})
		}
		for g := range grants {
			work.Go(func() { grant(t, s, a, g) })
		}
		work.Go(func() {
			for _, p := range people {
				next <- p
				next <- p // in a second tab
			}
			close(next)
		})
		time.Sleep(between(random, 20*time.Millisecond, 200*time.Millisecond))
		all[0].Kill(t)
		all[0] = s.serveAt(t, targets[0])
		work.Wait()
		times := stop()
		a.granted += int64(grants)
		check(t, s, d)
		left := number(t, db, "select credits from accounts where id = $1", a.id)
		if want := granted + int64(grants) - int64(len(people)); left != want || read.Load() == 0 {
			t.Errorf("%d credits are left, want %d; read %d times", left, want, read.Load())
		}
		for _, p := range all {
			p.Stop(t)
		}
		figures(t, "P4 %d tests handed in twice each and %d credits granted twice each at once, at %d server(s), one of them killed: balance %d after %d, equal to the ledger at each of %d readings",
			len(people), grants, len(all), left, granted, times)
	})
}

// untilBooked hands in at one server or the other until one acknowledges it.
func untilBooked(t *testing.T, d *driver, p *person, targets []string, r *rand.Rand) {
	for begun := time.Now(); !d.handIn(t.Context(), t, p, targets[r.IntN(len(targets))]); time.Sleep(20 * time.Millisecond) {
		if t.Failed() || time.Since(begun) > time.Minute {
			t.Errorf("%s cannot be handed in: %v", p.ref, d.refusals())
			return
		}
	}
}

// grant adds one credit by the command line, and repeats that under the same reference.
func grant(t *testing.T, s *site, a *account, n int) {
	args := []string{"credits", "add", a.flag(), "--amount", "1", "--note", "chaos", "--reference", fmt.Sprint("invoice ", n)}
	var twice sync.WaitGroup
	for range 2 {
		twice.Go(func() {
			if _, err := s.try(args...); err != nil {
				t.Error(err)
			}
		})
	}
	twice.Wait()
}

// balances reads the balance and the ledger of an account again and again, each time as one
// moment sees them, until stop is called, which says how often.
func balances(t *testing.T, db *sql.DB, a *account) (read *atomic.Int64, stop func() int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read = new(atomic.Int64)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			var credits, sum, newest int64
			err := db.QueryRowContext(t.Context(), `
				select credits, (select sum(delta) from credit_ledger where account_id = a.id),
					(select balance_after from credit_ledger where account_id = a.id order by id desc limit 1)
				from accounts a where id = $1`, a.id).Scan(&credits, &sum, &newest)
			if err != nil || credits != sum || credits != newest {
				t.Errorf("balance %d, sum of the ledger %d, its newest balance %d: %v", credits, sum, newest, err)
				return
			}
			read.Add(1)
			time.Sleep(2 * time.Millisecond)
		}
	}()
	return read, func() int64 {
		cancel()
		<-ended
		return read.Load()
	}
}
