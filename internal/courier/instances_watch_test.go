package courier

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"typus"
	"typus/internal/webhook"
)

// crowd are receivers that keep each request: who made it, and how it was answered.
type crowd struct {
	w       *world
	secrets map[int64]string // of each endpoint
	events  []typus.Event
	arrived int // so many of the first events are delivered, which nothing changes any more

	mu     sync.Mutex
	visits []*visit
	gates  map[string]chan struct{} // servers whose requests are not answered before it is closed
}

// visit is one request.
type visit struct {
	received
	endpoint int64
	status   int
	answered time.Time
	held     bool // its server was struck before the answer
}

func newCrowd(w *world, n int) *crowd {
	c := &crowd{w: w, secrets: map[int64]string{}, gates: map[string]chan struct{}{}}
	for range n {
		var id int64 // known before anybody calls
		r := newReceiver(w.t, nil)
		r.answer = func(n int, rw http.ResponseWriter, _ *http.Request) { c.answer(id, n, r.requests()[n-1], rw) }
		var secret string
		id, secret = w.endpoint(r.url)
		c.secrets[id] = secret
	}
	return c
}

// server is the name of the server that made the request.
func (v *visit) server() string {
	_, name, _ := strings.Cut(v.Get("User-Agent"), "https://")
	name, _, _ = strings.Cut(name, ".")
	return name
}

func (v *visit) delivery() string { return v.Get("X-Service-Delivery") }

func (v *visit) attempt() int {
	n, _ := strconv.Atoi(v.Get("X-Service-Attempt"))
	return n
}

// answer keeps a request and answers it a moment later: every fifth with a failure.
func (c *crowd) answer(endpoint int64, n int, r received, w http.ResponseWriter) {
	v := &visit{received: r, endpoint: endpoint, status: 200 + n%5/4*300}
	c.mu.Lock()
	gate := c.gates[v.server()]
	if gate != nil {
		v.held, v.status = true, 200
	}
	c.visits = append(c.visits, v)
	c.mu.Unlock()
	time.Sleep(20 * time.Millisecond)
	if gate != nil {
		<-gate
	}
	c.mu.Lock()
	v.answered = time.Now()
	c.mu.Unlock()
	w.WriteHeader(v.status)
}

// hold lets no request of some servers be answered until release.
func (c *crowd) hold(list ...instance) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range list {
		c.gates[i.name] = make(chan struct{})
	}
}

func (c *crowd) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, gate := range c.gates {
		close(gate)
	}
	clear(c.gates)
}

func (c *crowd) calls(i instance) int {
	return c.count(func(v *visit) bool { return v.server() == i.name })
}

func (c *crowd) heldOf(i instance) int {
	return c.count(func(v *visit) bool { return v.server() == i.name && v.held })
}

func (c *crowd) count(is func(*visit) bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, v := range c.visits {
		if is(v) {
			n++
		}
	}
	return n
}

// happen adds n events.
func (c *crowd) happen(n int) {
	c.w.t.Helper()
	for range n {
		c.events = append(c.events, c.w.event(int64(len(c.events))))
	}
}

// untilSeen lets events happen until something is so.
func (c *crowd) untilSeen(what string, is func() bool) {
	c.w.t.Helper()
	c.w.eventually(what, func() bool {
		c.happen(1)
		return is()
	})
}

func (c *crowd) allDelivered() bool {
	c.w.t.Helper()
	for ; c.arrived < len(c.events); c.arrived++ {
		for _, d := range c.deliveriesOf(c.events[c.arrived]) {
			if d.State != typus.DeliveryDelivered {
				return false
			}
		}
	}
	return true
}

func (c *crowd) deliveriesOf(e typus.Event) []typus.Delivery {
	c.w.t.Helper()
	list, err := c.w.store.DeliveriesOf(c.w.t.Context(), c.w.account, e.ID)
	if err != nil {
		c.w.t.Fatal(err)
	}
	return list
}

// check compares all requests with what is stored. No attempt is made twice, and none while
// the claim of another at the same delivery is alive; what has arrived does not come again,
// unless the claim ended without its server. Nothing comes before its time, too fast or too
// many at once. The bytes are those of the event, signed by the secret of the endpoint. Both
// servers that were struck had claims that others took up.
func (c *crowd) check(struck ...instance) {
	c.w.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	claims := map[int64][]claimed{}
	for _, e := range c.events {
		for _, d := range c.deliveriesOf(e) {
			list := c.claims(d)
			claims[d.EndpointID] = append(claims[d.EndpointID], list...)
			c.checkOrder(list)
			c.checkContent(list, e, c.secrets[d.EndpointID])
		}
	}
	for _, list := range claims {
		c.checkRate(list)
		c.checkRoom(list)
	}
	all := slices.Concat(slices.Collect(maps.Values(claims))...)
	for _, i := range struck {
		if !slices.ContainsFunc(all, func(a claimed) bool { return a.visit != nil && a.held && a.server() == i.name }) {
			c.w.t.Errorf("the server %s held no claim when it was struck", i.name)
		}
	}
	c.w.t.Logf("%d requests for %d events", len(c.visits), len(c.events))
}

// claimed is an attempt as it is stored, with the request that it made, nil for none.
type claimed struct {
	typus.Attempt
	*visit
}

// alive reports whether the claim of the attempt has not run out.
func (a claimed) alive(at time.Time) bool { return at.Before(a.StartedAt.Add(shortLease)) }

// claims are the attempts at a delivery, each with its one request. The caller holds mu.
func (c *crowd) claims(d typus.Delivery) []claimed {
	c.w.t.Helper()
	log, err := c.w.store.Attempts(c.w.t.Context(), c.w.account, d.ID)
	if err != nil {
		c.w.t.Fatal(err)
	}
	var list []claimed
	for _, a := range log {
		list = append(list, claimed{Attempt: a})
	}
	slices.SortFunc(list, func(a, b claimed) int { return cmp.Compare(a.N, b.N) })
	for _, v := range c.visits {
		if v.delivery() != d.ID {
			continue
		}
		i := slices.IndexFunc(list, func(a claimed) bool { return a.N == v.attempt() })
		switch {
		case i < 0:
			c.w.t.Errorf("attempt %d at %s was claimed by nobody", v.attempt(), d.ID)
		case list[i].visit != nil:
			c.w.t.Errorf("attempt %d at %s was made twice", v.attempt(), d.ID)
		default:
			list[i].visit = v
		}
	}
	return list
}

// checkOrder compares each attempt at a delivery with those before it.
func (c *crowd) checkOrder(list []claimed) {
	c.w.t.Helper()
	arrived := false
	for i, b := range list {
		arrived = arrived || b.visit != nil && b.status < 300
		for _, a := range list[:i] {
			if early := a.next().Sub(b.StartedAt); early > time.Millisecond { // what is stored is cut to that
				c.w.t.Errorf("attempt %d at %s was claimed %v too early after %d, which is %s", b.N, b.DeliveryID, early, a.N, a.Outcome)
			}
		}
		if b.visit != nil && b.held && b.Outcome == webhook.OutcomeDelivered {
			c.w.t.Errorf("attempt %d at %s counts, though its server was struck before the answer", b.N, b.DeliveryID)
		}
	}
	if !arrived {
		c.w.t.Errorf("of %d attempts at a delivery none has arrived", len(list))
	}
}

// next is when the delivery may be claimed again at the earliest: never once it has arrived,
// a step of the ladder after a failure, at once if no request was made, and else when the
// claim has run out, and the pause after an interruption.
func (a claimed) next() time.Time {
	switch {
	case a.Outcome == webhook.OutcomeDelivered:
		return a.StartedAt.Add(time.Hour)
	case a.visit == nil:
		return time.Time{}
	case a.Outcome == webhook.OutcomeFailed:
		return a.answered.Add(shortStep)
	default:
		return a.StartedAt.Add(shortLease + 5*time.Second)
	}
}

// checkContent wants the bytes and the id of the event, and the signatures of one secret.
func (c *crowd) checkContent(list []claimed, e typus.Event, secret string) {
	c.w.t.Helper()
	for _, a := range list {
		if a.visit == nil {
			continue
		}
		if string(a.body) != string(e.Payload) || a.Get("Webhook-Id") != e.ID {
			c.w.t.Errorf("%s came as %s with %q, want %s with %q", a.delivery(), a.Get("Webhook-Id"), a.body, e.ID, e.Payload)
		}
		if !webhook.Verify(secret, a.Get("X-Service-Signature"), e.Payload) || a.Get("X-Service-Signature-Alt") != "" {
			c.w.t.Errorf("X-Service-Signature of %s is not that of its secret", a.delivery())
		}
		if err := webhook.VerifyStandard(secret, a.Header, e.Payload, a.at); err != nil || strings.Contains(a.Get("Webhook-Signature"), " ") {
			c.w.t.Errorf("webhook-signature of %s is not that of its secret: %v", a.delivery(), err)
		}
	}
}

// checkRate wants no more claims of an endpoint, by all servers, than its bucket holds.
func (c *crowd) checkRate(list []claimed) {
	c.w.t.Helper()
	slices.SortFunc(list, func(a, b claimed) int { return a.StartedAt.Compare(b.StartedAt) })
	for i, first := range list {
		for j, last := range list[i:] {
			span := last.StartedAt.Sub(first.StartedAt) + time.Millisecond
			if most := float64(c.w.rate.Burst) + span.Seconds()*float64(c.w.rate.PerSecond); float64(j+1) > most {
				c.w.t.Errorf("an endpoint has %d attempts in %v, want %.1f at most", j+1, span, most)
				return
			}
		}
	}
}

// checkRoom wants no more requests at a receiver at once than it may get, those aside whose
// claim had run out: their server was frozen.
func (c *crowd) checkRoom(list []claimed) {
	c.w.t.Helper()
	for _, a := range list {
		if a.visit == nil || !a.alive(a.at) {
			continue
		}
		open := 0
		for _, b := range list {
			if b.visit != nil && !b.at.After(a.at) && b.answered.After(a.at) && b.alive(a.at) {
				open++
			}
		}
		if open > 4 {
			c.w.t.Errorf("%d requests at once at a receiver, want 4 at most", open)
			return
		}
	}
}
