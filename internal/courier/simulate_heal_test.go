package courier

import (
	"slices"
	"time"

	"typus"
)

// look compares what is stored with what should be: nothing is held on an endpoint that
// is on, and nothing waits on one that is off.
func (tr *trial) look() {
	if tr.process == nil || tr.process.dead.Load() {
		return
	}
	for _, s := range tr.sites {
		tr.lookAt(s, tr.endpoint(s))
	}
}

func (tr *trial) lookAt(s *site, e typus.Endpoint) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	states := tr.states(s)
	tr.checkLeases(s)
	if e.Status == typus.EndpointDisabled && s.off.IsZero() {
		s.off = time.Now() // for its failures; from now on it is not called
		tr.took("off for its failures")
	}
	switch {
	case s.deleted && e.Status != typus.EndpointDeleted:
		tr.breaks("%s was deleted and is %s", s, e.Status)
	case e.On() && states[typus.DeliveryHeld] > 0:
		tr.breaks("%d are held at %s, which is %s", states[typus.DeliveryHeld], s, e.Status)
	case !e.On() && states[typus.DeliveryPending] > 0:
		tr.breaks("%d are pending at %s, which is %s", states[typus.DeliveryPending], s, e.Status)
	case e.On() && states[typus.DeliveryPending] > 0 && e.DueAt.IsZero():
		tr.breaks("%d are pending at %s, which is never due", states[typus.DeliveryPending], s)
	case e.Status == typus.EndpointDeleted && states[typus.DeliveryHeld] > 0:
		tr.breaks("%d are held at %s, which is deleted", states[typus.DeliveryHeld], s)
	}
}

// checkLeases wants nothing to be under way that is at no receiver: what a crash left
// behind is taken up within a lease and two sweeps, whatever the clock was. The caller
// holds mu.
func (tr *trial) checkLeases(s *site) {
	const most = lease + 30*time.Second
	if time.Since(tr.calm) < most {
		return
	}
	for _, p := range s.deliveries {
		if tr.stored(p).State == typus.DeliverySending && time.Since(p.begun) > most {
			tr.breaks("%s is under way to %s since %v", p.id, s, p.begun.Sub(bubbleBegan))
		}
	}
}

// states counts the deliveries of a site by state.
func (tr *trial) states(s *site) map[typus.DeliveryState]int {
	states := map[typus.DeliveryState]int{}
	for _, p := range s.deliveries {
		states[tr.stored(p).State]++
	}
	return states
}

// stored is a delivery as it is stored. One that has disappeared is a broken promise.
func (tr *trial) stored(p *parcel) typus.Delivery {
	d, err := tr.process.db.Delivery(tr.t.Context(), p.site.account, p.id)
	if err != nil {
		tr.breaks("%s to %s has disappeared: %v", p.id, p.site, err)
	}
	return d
}

// heal ends all troubles: the server runs, the clock is right, every receiver answers,
// and people mend what they are told about. Then everything has to arrive: at the rate of
// its endpoint where somebody has mended it, else at its next step.
func (tr *trial) heal() {
	if tr.process == nil {
		tr.start(true)
	}
	tr.mu.Lock()
	tr.trap, tr.healed = trapNone, true
	tr.mu.Unlock()
	tr.note("all is healed")
	tr.setClock(rightOff)
	tr.play() // what is under way ends
	tr.look()
	for n, s := range tr.sites {
		if n == 0 || tr.sites[n-1].account != s.account {
			tr.happens(s.account)
		}
		tr.still()
		tr.mend(s)
	}
	tr.resendUntil(24 * time.Hour)
	tr.after(25*time.Hour, func() {
		for _, s := range tr.sites {
			tr.judge(s)
		}
		tr.judgeResends()
	})
	tr.play()
	tr.look()
}

// mend has somebody mend a site, or leaves it to itself, and says until when its backlog
// has to be gone: N/rate and a minute after the rest that its receiver may have asked for.
// One that is left to itself has had a success by then, by the new event; if it was
// failing, only last attempts still wait for their time.
func (tr *trial) mend(s *site) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	e := tr.endpoint(s)
	below := typus.DeliveryAttempts
	switch {
	case e.Status == typus.EndpointDeleted:
		return
	case !e.On():
		tr.note("resume of %s", s)
		tr.resumeAll(s)
	case tr.draw.IntN(2) == 0:
		tr.note("new address of %s", s)
		tr.moveSite(s)
	case e.Status == typus.EndpointFailing:
		below = typus.DeliveryAttempts - 2
	default:
		below = 1 // what has failed keeps its time
	}
	rest := typus.Ahead(tr.endpoint(s).ProbeAfter, tr.clock.Now(), 24*time.Hour+30*time.Minute)
	backlog := slices.Clone(s.deliveries)
	waiting := tr.waiting(backlog, below)
	tr.after(rest+time.Duration(waiting)*time.Second/time.Duration(s.rate.PerSecond)+time.Minute, func() {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		if left := tr.waiting(backlog, below); left > 0 {
			tr.breaks("%d of %d still wait at %s at the end of its time", left, waiting, s)
		}
	})
}

// resumeAll switches a site on and has everything sent that was held.
func (tr *trial) resumeAll(s *site) {
	_, err := tr.process.accounts.ResumeEndpoint(tr.t.Context(), s.account, s.id, true, ada)
	if tr.did(err) {
		tr.resumed(s)
	}
}

func (tr *trial) endpoint(s *site) typus.Endpoint {
	e, err := tr.process.db.Endpoint(tr.t.Context(), s.account, s.id)
	if err != nil {
		tr.t.Fatal(err)
	}
	return e
}

// waiting counts what waits of some deliveries and has failed less often than that.
func (tr *trial) waiting(list []*parcel, below int) int {
	n := 0
	for _, p := range list {
		switch d := tr.stored(p); d.State {
		case typus.DeliveryPending, typus.DeliverySending, typus.DeliveryHeld:
			if d.Failures < below {
				n++
			}
		}
	}
	return n
}

// judge compares how each delivery to a site has ended with what its receiver knows.
func (tr *trial) judge(s *site) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, p := range s.deliveries {
		d := tr.stored(p)
		erased := !p.person.erased.IsZero()
		switch {
		case d.State == typus.DeliveryDelivered && !p.arrived:
			tr.breaks("%s to %s counts as delivered and never arrived", d.ID, s)
		case d.State != typus.DeliveryDelivered && p.arrived && !p.repeat && !erased:
			tr.breaks("%s has arrived at %s and is %s", d.ID, s, d.State)
		case d.State == typus.DeliveryExhausted && (d.Failures != typus.DeliveryAttempts || p.all+tr.crashes < typus.DeliveryAttempts):
			tr.breaks("%s to %s was given up after %d failures, of which %d were seen", d.ID, s, d.Failures, p.all)
		case d.State == typus.DeliveryCancelled && !s.deleted && !erased && !p.cancelled:
			tr.breaks("%s to %s was cancelled by nobody", d.ID, s)
		case d.FinishedAt.IsZero():
			tr.breaks("%s to %s is %s at the end", d.ID, s, d.State)
		}
	}
}
