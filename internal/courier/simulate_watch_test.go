package courier

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"typus"
	"typus/internal/webhook"
)

// parcel is a delivery as its receiver knows it.
type parcel struct {
	id        string
	name      string // which does not depend on chance
	site      *site
	person    *person
	made      time.Time       // by the bubble: when somebody had it sent again; zero: it is the first of its event
	seen      map[string]bool // attempts
	earliest  time.Time       // by the clock of the house: when it may come again
	latest    time.Time       // and when it has to, whatever the engine knows
	last      time.Time       // by the bubble: when its last attempt ended
	begun     time.Time       // by the bubble: when its last attempt began
	free      bool            // it may come at any time: somebody may have found its time too far ahead
	failures  int             // since its site was last reopened
	doubts    int             // of them that the engine may not know of
	all       int             // failures ever
	arrived   bool
	repeat    bool // it may come again although it has arrived: of that the engine may not know
	cancelled bool
}

// call is one request at a receiver.
type call struct {
	to             address
	parcel         *parcel // nil for a test event
	name           string  // as that of a parcel
	arrived, ended time.Time
	doubted        bool // the engine may have given it up
}

// open reports whether the engine counts the call as under way.
func (c *call) open(now time.Time) bool {
	return !c.doubted && c.ended.IsZero() && now.Sub(c.arrived) < 15*time.Second // then it gives up, and knows it before we do
}

// arrives looks at a request: whether it may come at all, and whether it is what it
// should be.
func (tr *trial) arrives(to address, r *http.Request, body []byte) *call {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	now, house := time.Now(), tr.clock.Now()
	s := to.site
	c := &call{to: to, name: "test event at " + now.String(), arrived: now}
	tr.calls = append(tr.calls, c)
	tr.checkOff(s, now)
	tr.checkRoom(s, now)
	tr.checkRate(s, now)
	tr.checkSignatures(s, r, body, house)
	i := slices.IndexFunc(s.deliveries, func(p *parcel) bool { return p.id == r.Header.Get("X-Service-Delivery") })
	if i < 0 {
		if !strings.Contains(string(body), `"test":true`) {
			tr.breaks("%s got a delivery of somebody else", s)
		}
		return c
	}
	c.parcel = s.deliveries[i]
	c.name = c.parcel.name + " " + r.Header.Get("X-Service-Attempt")
	tr.checkParcel(c.parcel, r, body)
	tr.checkTime(c, now, house)
	c.parcel.begun = now
	return c
}

func (tr *trial) checkOff(s *site, now time.Time) {
	if !s.off.IsZero() && s.off.Before(now) {
		tr.breaks("%s was called though it is off since %v", s, s.off.Sub(bubbleBegan))
	}
}

// checkRoom counts what is under way: never more than the limit, and one at a time while
// the endpoint is failing or not known to be quick. A call about somebody who is erased
// meanwhile is not counted: the engine has let go of it.
func (tr *trial) checkRoom(s *site, now time.Time) {
	open := 0
	for _, c := range tr.calls {
		if c.to.site == s && c.open(now) && (c.parcel == nil || c.parcel.person.erased.IsZero()) {
			open++
		}
	}
	most := s.limit
	if s.laneSet.Before(now) && (s.lane == laneUnknown || s.lane == laneLater) || s.sure >= 3 && s.sureSet.Before(now) {
		most = 1
	}
	if open > most {
		tr.breaks("%d calls of %s at once, at most %d may be", open, s, most)
	}
}

// checkRate fills and empties the bucket of an endpoint.
func (tr *trial) checkRate(s *site, now time.Time) {
	full := float64(s.rate.Burst)
	if s.filled.IsZero() {
		s.tokens = full
	} else {
		s.tokens = min(full, s.tokens+now.Sub(s.filled).Seconds()*float64(s.rate.PerSecond))
	}
	s.filled = now
	if s.tokens--; s.tokens < -0.05 {
		tr.breaks("%s is called faster than %d/s after %d", s, s.rate.PerSecond, s.rate.Burst)
		s.tokens = full
	}
}

// checkParcel wants an attempt to be the first of its number, with the bytes and the id of
// its event.
func (tr *trial) checkParcel(p *parcel, r *http.Request, body []byte) {
	n := r.Header.Get("X-Service-Attempt")
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	if p.seen[n] {
		tr.breaks("attempt %s at %s was made twice at %s", n, p.id, p.site)
	}
	p.seen[n] = true
	if string(body) != string(p.person.event.Payload) || r.Header.Get("Webhook-Id") != p.person.event.ID {
		tr.breaks("%s got %s with %s", p.site, r.Header.Get("Webhook-Id"), body)
	}
	switch now := time.Now(); {
	case p.arrived && !p.repeat:
		tr.breaks("%s came again to %s, where it has arrived", p.id, p.site)
	case p.cancelled:
		tr.breaks("%s came to %s though it was cancelled", p.id, p.site)
	case !p.person.erased.IsZero() && p.person.erased.Before(now):
		tr.breaks("%s came to %s though its person was erased", p.id, p.site)
	}
	p.arrived, p.repeat = false, false
}

// checkTime wants no attempt before its time: the wait of the ladder or what the receiver
// has asked for, unless somebody or something has made due what waits.
func (tr *trial) checkTime(c *call, now, house time.Time) {
	p, s := c.parcel, c.to.site
	early := p.earliest.Sub(house)
	free := p.free || !s.freed.Before(p.last) && !s.freed.IsZero() ||
		!s.relieved.Before(p.last) && !s.relieved.IsZero() && p.failures-p.doubts < typus.DeliveryAttempts-2
	if early > 0 && !free {
		tr.breaks("%s came to %s %v before its time", p.id, s, early)
	}
	p.free = false
	if p.failures-p.doubts >= typus.DeliveryAttempts {
		tr.breaks("%s came to %s after %d failures", p.id, s, p.failures)
	}
	rest := typus.Ahead(s.rest, house, 24*time.Hour+30*time.Minute)
	if rest > 0 && s.restSet.Before(now) && c.to.moved == s.moved {
		tr.breaks("%s came to %s, which has asked for rest for %v more", p.id, s, rest)
	}
}

// ends notes what came of a call, and what follows from it.
func (tr *trial) ends(p *process, c *call, is reply) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if !c.ended.IsZero() {
		return
	}
	now, house := time.Now(), tr.clock.Now()
	c.ended = now
	tr.trace = append(tr.trace, fmt.Sprint(now.Sub(bubbleBegan), " ", c.to.site, " ", c.name, " ", is.status))
	here := c.to.moved == c.to.site.moved
	if is.status >= 200 && is.status < 300 {
		c.succeeds(here, now)
	} else {
		c.fails(here, is, now, house)
	}
	if here {
		lane := laneLater
		if is.status != 0 && now.Sub(c.arrived) <= time.Second {
			lane = laneQuick
		}
		c.to.site.setLane(lane, now)
	}
	if c.doubted || p.dead.Load() {
		tr.doubt(c)
	}
}

func (c *call) succeeds(here bool, now time.Time) {
	s := c.to.site
	if c.parcel != nil {
		c.parcel.arrived, c.parcel.last = true, now
	}
	if !here {
		return
	}
	if s.failures >= 3 || s.doubted || c.parcel == nil {
		s.relieved = now
	}
	s.failures, s.doubted, s.sure = 0, false, 0
}

func (c *call) fails(here bool, is reply, now, house time.Time) {
	s, p := c.to.site, c.parcel
	hint := time.Duration(0)
	if is.status == 429 || is.status == 503 {
		hint = min(is.hint, webhook.MaxHint)
	}
	if p != nil {
		p.last, p.earliest = now, house.Add(5*time.Second)
		p.latest, p.free = p.earliest, !s.mended.Before(now)
	}
	if !here {
		return
	}
	s.failures++
	if p != nil && p.person.erased.IsZero() {
		s.sure++
		s.sureSet = now
	}
	if p != nil {
		p.failures++
		p.all++
		at := max(0, min(p.failures-p.doubts, typus.DeliveryAttempts-1))
		p.earliest = house.Add(webhook.Backoff(at, hint, func() float64 { return 0 }))
		p.latest = house.Add(webhook.Backoff(min(p.all+p.doubts, typus.DeliveryAttempts-1), hint, func() float64 { return 1 }))
	}
	if hint > typus.Ahead(s.rest, house, webhook.MaxHint) {
		s.rest, s.restSet = house.Add(hint), now
	}
	// Of a call about somebody who was erased meanwhile the engine hears nothing any more.
	if is.status == 410 && !s.deleted && s.off.IsZero() && (p == nil || p.person.erased.IsZero()) {
		s.off, s.offAtOnce = now, true
	}
}

// doubt notes that the engine may not know how a call ended. The caller holds mu.
func (tr *trial) doubt(c *call) {
	s, now := c.to.site, time.Now()
	s.doubted, s.sure = true, 0
	s.setLane(laneDoubted, now)
	if s.restSet.Equal(now) { // it may have taken the place of an earlier one
		s.rest = time.Time{}
	}
	if s.off.Equal(now) && s.offAtOnce {
		s.off, s.offAtOnce = time.Time{}, false
	}
	if p := c.parcel; p != nil {
		p.earliest, p.repeat, p.last = time.Time{}, true, now
		p.doubts++
	}
}

// crashed doubts everything that was under way or has just ended. The caller holds mu.
func (tr *trial) crashed() {
	tr.crashes++
	now := time.Now()
	for _, c := range tr.calls {
		switch {
		case c.ended.IsZero():
			c.ended = now
			tr.doubt(c)
		case c.ended.Equal(now):
			tr.doubt(c)
		}
	}
}
