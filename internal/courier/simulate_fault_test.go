package courier

import (
	"math/rand/v2"
	"slices"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/store"
)

// fault is something that befalls the server, or that a person does.
type fault struct {
	name   string
	weight int // how often it is drawn
	down   bool
	do     func(tr *trial)
}

// faults are all of them. Those of down happen while no server runs, too.
var faults = []fault{
	{"crash", 4, false, func(tr *trial) { tr.crash("a signal"); tr.took(tr.fault) }},
	{"trap", 7, false, func(tr *trial) { tr.setTrap(); tr.took(tr.fault) }},
	{"event that is cut off", 2, false, dying(func(tr *trial) { tr.happens(tr.sites[0].account) })},
	{"erasure that is cut off", 1, false, dying((*trial).erase)},
	{"resume that is cut off", 2, false, dying(onSite(isOff, (*trial).resumeSite))},
	{"new address that is cut off", 1, false, dying(onSite(isThere, (*trial).moveSite))},
	{"replay that is cut off", 1, false, dying(onSite(isOn, (*trial).replayOne))},
	{"restart", 2, false, (*trial).restart},
	{"pause", 4, false, onSite(isOn, (*trial).pauseSite)},
	{"resume", 6, false, onSite(isOff, (*trial).resumeSite)},
	{"delete", 2, false, onSite(isThere, (*trial).deleteSite)},
	{"new address", 4, false, onSite(isThere, (*trial).moveSite)},
	{"new secret", 5, false, onSite(isThere, (*trial).rotate)},
	{"switch of the secret", 3, false, onSite(isRotating, (*trial).switchSecret)},
	{"test event", 2, false, onSite(isOn, (*trial).testSite)},
	{"replay of one", 4, false, onSite(isOn, (*trial).replayOne)},
	{"replay of many", 3, false, onSite(isOn, (*trial).replayMany)},
	{"erasure", 3, false, (*trial).erase},
	{"clock", 4, true, (*trial).clockJumps},
}

func drawFault(draw *rand.Rand) fault {
	sum := 0
	for _, f := range faults {
		sum += f.weight
	}
	n := draw.IntN(sum)
	for _, f := range faults {
		if n -= f.weight; n < 0 {
			return f
		}
	}
	panic("no fault is that far")
}

func (f fault) strike(tr *trial) {
	if tr.process == nil && !f.down {
		return
	}
	tr.note("%s", f.name)
	tr.fault = f.name
	f.do(tr)
	tr.fault = ""
	tr.after(3*time.Second, tr.look)
}

// onSite lets a fault befall one of the sites that it fits. Receivers wait meanwhile: no
// request arrives between what a person does and what is known about it here.
func onSite(fits func(s *site) bool, do func(tr *trial, s *site)) func(tr *trial) {
	return func(tr *trial) {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		s := tr.drawSite(fits)
		s.touched = time.Now()
		tr.note("  of %s", s)
		do(tr, s)
	}
}

func isThere(s *site) bool { return !s.deleted }
func isOn(s *site) bool    { return !s.deleted && s.off.IsZero() }
func isOff(s *site) bool   { return !s.deleted && !s.off.IsZero() }

// drawSite draws one of the sites that fit, if any does, often one of the few on which
// troubles meet, and often one that is called at the moment. The caller holds mu.
func (tr *trial) drawSite(fits func(s *site) bool) *site {
	list := narrowed(tr.sites, fits)
	if tr.draw.IntN(2) == 0 {
		list = narrowed(list, func(s *site) bool { return s.troubled })
	}
	if tr.draw.IntN(2) == 0 {
		list = narrowed(list, func(s *site) bool {
			return slices.ContainsFunc(tr.calls, func(c *call) bool { return c.to.site == s && c.ended.IsZero() })
		})
	}
	return pick(tr.draw, list...)
}

// narrowed is what fits of a list, or all of it if nothing does.
func narrowed(list []*site, fits func(s *site) bool) []*site {
	some := slices.DeleteFunc(slices.Clone(list), func(s *site) bool { return !fits(s) })
	if len(some) == 0 {
		return list
	}
	return some
}

// did reports whether a step of a person was taken. It may have been refused, or the
// server may have died meanwhile; anything else is a fault of the engine.
func (tr *trial) did(err error) bool {
	if err == nil {
		tr.took(tr.fault)
		return true
	}
	tr.note("    not done: %v", err)
	if !tr.process.dead.Load() && !typus.Is(err, typus.Conflict) && !typus.Is(err, typus.NotFound) && !typus.Is(err, typus.TooMany) {
		tr.t.Error(err)
	}
	return false
}

var ada = typus.Actor{Name: "ada@example.com", UserID: 7}

func (tr *trial) pauseSite(s *site) {
	if tr.did(tr.process.accounts.PauseEndpoint(tr.t.Context(), s.account, s.id, ada)) {
		s.off, s.offAtOnce = time.Now(), false
	}
}

// resumeSite switches a site on, and sometimes drops what was held.
func (tr *trial) resumeSite(s *site) {
	send := tr.draw.IntN(4) > 0
	held := tr.heldOf(s)
	_, err := tr.process.accounts.ResumeEndpoint(tr.t.Context(), s.account, s.id, send, ada)
	if !tr.did(err) {
		return
	}
	tr.resumed(s)
	for _, p := range s.deliveries {
		p.cancelled = p.cancelled || held[p.id] && !send
	}
}

// resumed notes that a site was switched on: what was held begins anew.
func (tr *trial) resumed(s *site) {
	s.off, s.offAtOnce, s.freed, s.doubted, s.sure = time.Time{}, false, time.Now(), true, 0
	for _, p := range s.deliveries {
		p.failures, p.doubts = 0, 0
	}
}

// heldOf is what is held of a site.
func (tr *trial) heldOf(s *site) map[string]bool {
	held := map[string]bool{}
	for _, p := range s.deliveries {
		d, err := tr.process.db.Delivery(tr.t.Context(), s.account, p.id)
		if err != nil {
			tr.t.Fatal(err)
		}
		held[p.id] = d.State == typus.DeliveryHeld
	}
	return held
}

func (tr *trial) deleteSite(s *site) {
	if tr.did(tr.process.accounts.DeleteEndpoint(tr.t.Context(), s.account, s.id, ada)) {
		s.off, s.offAtOnce, s.deleted = time.Now(), false, true
	}
}

// moveSite gives a site a new address.
func (tr *trial) moveSite(s *site) {
	s.moved++
	if !tr.did(tr.process.accounts.EditEndpoint(tr.t.Context(), s.account, s.id, accounts.EndpointForm{URL: s.url()}, ada, func(typus.Endpoint) bool { return true })) {
		s.moved--
		return
	}
	tr.byHost[s.host()+":80"] = address{s, s.moved}
	s.freed, s.rest, s.failures, s.sure = time.Now(), time.Time{}, 0, 0
	s.setLane(laneUnknown, time.Now())
	s.tokens = float64(s.rate.Burst)
}

func (tr *trial) testSite(s *site) {
	_, err := tr.process.accounts.TestEndpoint(tr.t.Context(), s.account, s.id, ada)
	tr.did(err)
}

// erase erases one of the people.
func (tr *trial) erase() {
	if len(tr.people) == 0 {
		return
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	p := tr.people[tr.draw.IntN(len(tr.people))]
	err := tr.process.steps.InTx(tr.t.Context(), func(tx *store.Tx) error {
		return tx.EraseCandidate(tr.t.Context(), p.account, p.id, tr.clock.Now())
	})
	if tr.did(err) {
		p.erased = time.Now()
	}
}

// restart stops the server in order, and starts another.
func (tr *trial) restart() {
	p := tr.process
	tr.took(tr.fault)
	p.stopping.Store(true)
	tr.end(p)
	tr.restartLater()
}

// clockJumps moves the clock of the machine, and puts it right after a while.
func (tr *trial) clockJumps() {
	tr.took(tr.fault)
	by := pick(tr.draw, 5*time.Hour, -5*time.Hour, -10*24*time.Hour)
	tr.setClock(rightOff + by)
	tr.after(pick(tr.draw, 20*time.Second, 10*time.Minute, 7*time.Hour), func() { tr.setClock(rightOff) })
}

// setClock makes the clock show another time than that of the bubble. What was written
// by a clock that was ahead may be found and made due. What is under way loses its lease,
// which seems to have run out.
func (tr *trial) setClock(off time.Duration) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	was := tr.clock.set(off)
	tr.calm = time.Now()
	tr.note("the clock moves by %v", off-was)
	for _, c := range tr.calls {
		if was != off && c.ended.IsZero() {
			c.doubted = true
			tr.doubt(c)
		}
	}
	for _, s := range tr.sites {
		s.filled = time.Time{}
	}
	tr.findFar()
	tr.sweepSoon()
}

// findFar notes at which sites a sweep may find times that were written by a clock that
// was ahead: it makes everything due that waits there. The caller holds mu.
func (tr *trial) findFar() {
	house := tr.clock.Now()
	for _, s := range tr.sites {
		if !slices.ContainsFunc(s.deliveries, func(p *parcel) bool { return p.far(house) }) {
			continue
		}
		s.mended = time.Now().Add(2 * time.Hour) // more than from one sweep to the next
		for _, p := range s.deliveries {
			p.free = true
		}
	}
}

// far reports whether the parcel may wait for a time further ahead than it can lie.
func (p *parcel) far(house time.Time) bool {
	ahead := p.latest.Sub(house)
	return ahead > 24*time.Hour+30*time.Minute || p.all == 0 && ahead > typus.Skew
}

// A trap waits for a moment at which the server is to die: a request that a receiver has
// just got, or an answer that the server has just got and not written down.
type trap string

const (
	trapNone    trap = ""
	trapArrival trap = "a request that has arrived"
	trapAnswer  trap = "an answer that is not written down"
)

func (tr *trial) setTrap() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.trap = pick(tr.draw, trapArrival, trapAnswer)
	tr.note("  %s", tr.trap)
}

// springs reports whether the trap goes off at a request: one in four is drawn for it.
// Then a moment passes, which nothing else shares, and the server is dead.
func (tr *trial) springs(kind trap, p *process, request string) bool {
	tr.mu.Lock()
	draw := tr.by("trap " + request)
	drawn := tr.trap == kind && draw.IntN(4) == 0
	tr.mu.Unlock()
	if !drawn {
		return false
	}
	time.Sleep(time.Duration(1 + draw.IntN(999)))
	if !p.die() {
		return false
	}
	tr.took("trap: " + string(kind))
	return true
}

// dying lets a fault befall the server in the middle of a step, at one of its statements.
// The courier's own statements wait meanwhile: which of them came before would be chance.
func dying(do func(tr *trial)) func(tr *trial) {
	return func(tr *trial) {
		p, name := tr.process, tr.fault
		tr.fault = ""
		p.step.Lock()
		p.left = 1 + tr.draw.IntN(12)
		do(tr)
		p.left = 0
		p.step.Unlock()
		if p.dead.Load() {
			tr.took(name)
		}
	}
}
