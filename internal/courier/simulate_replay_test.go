package courier

import (
	"fmt"
	"slices"
	"time"

	"typus"
	"typus/internal/store"
)

// resend is a run that sends again what has ended at a site.
type resend struct {
	site   *site
	id     int64
	began  time.Time // by the bubble
	people []*person // whose events it is to send
	sent   map[*person]bool
}

// replayOne sends one of the deliveries to a site again: one that waits is due at once, one
// that has ended gets a successor. Nothing is sent about somebody who is erased.
func (tr *trial) replayOne(s *site) {
	if len(s.deliveries) == 0 {
		return
	}
	p := pick(tr.draw, s.deliveries...)
	was := tr.stored(p).State
	id, err := tr.process.accounts.ReplayDelivery(tr.t.Context(), s.account, p.id, ada)
	switch {
	case !tr.did(err):
	case !p.person.erased.IsZero():
		tr.breaks("%s of somebody erased is sent to %s again", p.id, s)
	case was.Ended() != (id != p.id):
		tr.breaks("%s to %s was %s and is sent again as %s", p.id, s, was, id)
	case id == p.id:
		p.free = true
	default:
		tr.again(s, p.person, id)
	}
}

// again notes another delivery about somebody.
func (tr *trial) again(s *site, about *person, id string) *parcel {
	n := 0
	for _, p := range s.deliveries {
		if p.person == about {
			n++
		}
	}
	now := tr.clock.Now()
	p := &parcel{id: id, name: fmt.Sprint(about.event.ID, " again ", n), site: s, person: about, made: time.Now(), earliest: now, latest: now}
	s.deliveries = append(s.deliveries, p)
	return p
}

// replayMany begins a run that sends again everything that has ended at a site. One in five
// is cancelled after a while.
func (tr *trial) replayMany(s *site) {
	r := &resend{site: s, began: time.Now(), people: tr.ended(s), sent: map[*person]bool{}}
	var err error
	r.id, err = tr.process.accounts.StartReplay(tr.t.Context(), s.account, store.DeliveryFilter{EndpointID: s.id}, ada)
	if !tr.did(err) {
		return
	}
	if len(r.people) == 0 {
		tr.breaks("a run of %s began with nothing to send", s)
	}
	tr.resends = append(tr.resends, r)
	tr.adopt(r)
	if tr.draw.IntN(5) == 0 {
		tr.onSiteAfter(3*time.Second, s, "cancelling of the run", func(tr *trial, s *site) {
			tr.did(tr.process.accounts.CancelReplay(tr.t.Context(), s.account, r.id, ada))
		})
	}
	tr.resendUntil(30 * time.Minute)
}

// ended are the people of whom everything has ended at a site, and who are not erased.
func (tr *trial) ended(s *site) []*person {
	var list []*person
	for _, who := range tr.people {
		has := slices.ContainsFunc(s.deliveries, func(p *parcel) bool { return p.person == who })
		if has && !tr.onItsWay(s, who) && who.erased.IsZero() {
			list = append(list, who)
		}
	}
	return list
}

// resendUntil goes on with the runs as a server does every second: for a while so, then now
// and then, because a day of that would take most of the time of a trial.
func (tr *trial) resendUntil(end time.Duration) {
	for at := time.Second; at < end; {
		tr.after(at, tr.resendMore)
		if at < 30*time.Second {
			at += time.Second
		} else {
			at += 10 * time.Minute
		}
	}
}

// resendMore lets each run go on. Receivers wait until it is known what came of it.
func (tr *trial) resendMore() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.process == nil || tr.process.dead.Load() || !slices.ContainsFunc(tr.resends, tr.goesOn) {
		return
	}
	if err := tr.process.accounts.RunReplays(tr.t.Context()); err != nil {
		tr.t.Error(err)
	}
	for i, r := range tr.resends {
		if !slices.ContainsFunc(tr.resends[i+1:], func(later *resend) bool { return later.site == r.site }) {
			tr.adopt(r)
		}
	}
}

func (tr *trial) goesOn(r *resend) bool { return tr.runOf(r).State == typus.ReplayRunning }

func (tr *trial) runOf(r *resend) store.ReplayRun {
	run, err := tr.process.db.ReplayRun(tr.t.Context(), r.site.account, r.id)
	if err != nil {
		tr.t.Fatal(err)
	}
	return run
}

// onItsWay reports whether a delivery about somebody waits at a site.
func (tr *trial) onItsWay(s *site, who *person) bool {
	return slices.ContainsFunc(s.deliveries, func(p *parcel) bool { return p.person == who && !tr.stored(p).State.Ended() })
}

// adopt notes what a run, the newest of its site, has made: nobody's event twice, nothing
// that is on its way, and nothing about who is erased.
func (tr *trial) adopt(r *resend) {
	for _, who := range tr.people {
		if who.account != r.site.account {
			continue
		}
		for _, d := range tr.deliveriesOf(who) {
			known := func(p *parcel) bool { return p.id == d.ID }
			if d.EndpointID != r.site.id || slices.ContainsFunc(r.site.deliveries, known) {
				continue
			}
			switch {
			case tr.onItsWay(r.site, who):
				tr.breaks("a run of %s sends %s, which is on its way", r.site, who.event.ID)
			case r.sent[who]:
				tr.breaks("a run of %s sends %s twice", r.site, who.event.ID)
			case !who.erased.IsZero():
				tr.breaks("a run of %s sends %s of somebody erased", r.site, who.event.ID)
			}
			r.sent[who] = true
			tr.again(r.site, who, d.ID)
			tr.took("a run has sent something again")
		}
	}
}

// judgeResends wants each run to have ended, and to have sent what there was, but for what
// was sent otherwise, or is about somebody erased, or for a webhook that is deleted.
func (tr *trial) judgeResends() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, r := range tr.resends {
		run := tr.runOf(r)
		if run.State == typus.ReplayRunning {
			tr.breaks("a run of %s has not ended after %d of %d", r.site, run.Made, len(r.people))
		}
		if run.State != typus.ReplayDone {
			continue
		}
		for _, who := range r.people {
			if !r.sent[who] && who.erased.IsZero() && !tr.sentSince(r, who) {
				tr.breaks("a run of %s has left out %s", r.site, who.event.ID)
			}
		}
	}
}

// sentSince reports whether somebody's event was sent again by another way since the run
// began.
func (tr *trial) sentSince(r *resend, who *person) bool {
	return slices.ContainsFunc(r.site.deliveries, func(p *parcel) bool { return p.person == who && !p.made.Before(r.began) })
}
