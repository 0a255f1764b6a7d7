//go:build chaos

package chaos

import (
	"testing"
	"time"

	"typus/internal/processtest"
)

// P9: PostgreSQL restarts at once and in no order, again and again, while people work: that
// costs refusals for seconds, and nothing else.
func TestRestartsOfPostgreSQLCostRefusalsForSecondsAndNoData(t *testing.T) {
	t.Parallel()
	random := drawn(t)
	database := ownPostgres(t)
	s := siteOn(database.URL)
	r := newReceiver(t, nil)
	a := s.newAccount(t, 100_000, 8)
	s.hook(t, a, r.url)
	servers := []*processtest.Running{s.serve(t), s.serve(t)}
	d, probe := newDriver(t, a, 4), newNamedDriver(t, a, "probe", 1)
	d.every = 60 * time.Millisecond
	probe.every = 20 * time.Millisecond
	stop := d.drive(t, addresses(servers)...)
	var downs, gaps []time.Duration
	for range rounds(t, 2, 6) {
		time.Sleep(between(random, size(time.Second, 4*time.Second), size(2*time.Second, 10*time.Second)))
		begun := time.Now()
		succeeds(t, database.Quit())
		succeeds(t, database.StartAgain("fsync=on"))
		downs = append(downs, time.Since(begun))
		gaps = append(gaps, goesOn(t, hangs, begun, probe, servers...))
	}
	time.Sleep(2 * time.Second)
	stop()
	held := checkAfter(t, s, r, d, probe)
	figures(t, "%d restarts of %s at most, work again after %s at most; %s",
		len(downs), quantile(downs, 1).Round(10*time.Millisecond), quantile(gaps, 1).Round(10*time.Millisecond), held)
}
