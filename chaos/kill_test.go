//go:build chaos

package chaos

import (
	"testing"
	"time"

	"typus/internal/waittest"
)

// A server is killed again and again while invitations, answers and tests come in from all
// sides. What it has acknowledged is there, on the next start and in the books, and every
// webhook arrives.
func TestNothingAcknowledgedIsLostByKill9(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, s *site) {
		random := drawn(t)
		hook := newReceiver(t, nil)
		a := s.newAccount(t, 100_000, 8)
		s.hook(t, a, hook.url)
		d := newDriver(t, a, 8)
		addr := address(t)
		n := 0
		var slowest time.Duration
		for ; n < rounds(t, 25, 200) || d.finished() < 5; n++ { // on a busy machine few are
			p := s.serveAt(t, addr)
			begun, before := time.Now(), d.acknowledged()
			stop := d.drive(t, addr)
			waittest.Until(t, "something is acknowledged", func() bool { return d.acknowledged() > before })
			time.Sleep(between(random, 20*time.Millisecond, 170*time.Millisecond))
			p.Kill(t)
			stop()
			slowest = max(slowest, time.Since(begun))
			if random.IntN(2) == 0 { // else the next start reads the log that the killed one has left
				check(t, s, d)
			}
			if t.Failed() {
				t.FailNow()
			}
		}
		p := s.serveAt(t, addr)
		awaitDeliveries(t, s, 3*time.Minute)
		check(t, s, d)
		events, requests, again := checkDelivered(t, s, hook)
		p.Stop(t)
		check(t, s, d)
		invited, answers, finished := d.counts()
		if again > 4*n { // so many are on their way to a receiver at once
			t.Errorf("%d kills, and %d deliveries came again", n, again)
		}
		for status := range d.refusals() {
			if status != 429 {
				t.Errorf("refused: %v", d.refusals())
			}
		}
		figures(t, "P1 %d kills, %d requests acknowledged (%d invitations, %d answers, %d tests handed in), %d cut off, %d events in %d deliveries, %d of them again, lost 0",
			n, d.acknowledged(), invited, answers, finished, d.unanswered(), events, requests, again)
	})
}
