package courier

import (
	"time"

	"typus"
)

// expectSoon wants a new delivery to be with its receiver within seconds, if that answers
// all it gets and nothing befalls it or the server meanwhile. Nobody looks after the courier
// in between, which asks every hour only: what a commit forgets to wake would come late. The
// caller holds mu.
func (tr *trial) expectSoon(p *parcel) {
	s, began, server := p.site, time.Now(), tr.process
	if s.behaviour != "up" || !s.off.IsZero() || began.Sub(tr.calm) < 2*lease || began.Sub(s.touched) < 2*lease {
		return
	}
	const each = 7 * time.Second // a slow answer, and a bucket that fills
	most := time.Duration(1+tr.waiting(s.deliveries, typus.DeliveryAttempts)) * each
	tr.after(most, func() {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		struck := tr.process != server || server.dead.Load() || tr.calm.After(began) || s.touched.After(began) || s.failures > 0
		if struck || !p.person.erased.IsZero() {
			return
		}
		if p.last.IsZero() && !p.arrived {
			tr.breaks("%s has not come to %s %v after its commit, though nothing is in its way", p.id, s, most)
		}
		tr.took("a fresh event comes soon")
	})
}
