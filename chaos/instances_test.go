//go:build chaos

package chaos

import (
	"cmp"
	"database/sql"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus/internal/processtest"
	"typus/internal/waittest"
)

const (
	endpointsAtOnce = 10
	inFlight        = 4                // requests at an endpoint at once, of all servers
	perMinute       = 100              // requests of a key, likewise
	leaseMoves      = 60 * time.Second // a lease, and then
	afterLease      = 40 * time.Second // a sweep of the others and the pause before the next attempt
)

// crowd are receivers of one account, of which some keep what one server sends in hand
// while a gate is closed.
type crowd struct {
	list   []*receiver
	gated  string // the port of that server
	gate   atomic.Pointer[chan struct{}]
	inHand atomic.Int64
}

func newCrowd(t *testing.T, s *site, a *account) *crowd {
	t.Helper()
	c := &crowd{}
	for i := range endpointsAtOnce {
		r := newReceiver(t, func(n int, a arrival) int {
			gate := c.gate.Load()
			if i < 2 && gate != nil && from(a) == c.gated {
				c.inHand.Add(1)
				<-*gate
				return http.StatusOK
			}
			time.Sleep(time.Duration(20+n*37%120) * time.Millisecond)
			return http.StatusOK
		})
		s.hook(t, a, r.url)
		c.list = append(c.list, r)
	}
	return c
}

// from is the port of the server that made a request: the origin of its links stands in the
// User-Agent.
func from(a arrival) string {
	agent := a.header.Get("User-Agent")
	agent = agent[strings.LastIndexByte(agent, ':')+1:]
	return agent[:strings.IndexFunc(agent+" ", func(r rune) bool { return r < '0' || r > '9' })]
}

func port(p *processtest.Running) string { return p.Addr[strings.LastIndexByte(p.Addr, ':')+1:] }

// close lets two receivers keep what a server sends, and waits until they have something.
func (c *crowd) close(t *testing.T, p *processtest.Running) {
	t.Helper()
	gate := make(chan struct{})
	c.gated = port(p)
	c.gate.Store(&gate)
	t.Cleanup(c.open)
	waittest.Within(t, 30*time.Second, "the server waits for answers", func() bool { return c.inHand.Load() > 0 })
}

// open answers what is kept.
func (c *crowd) open() {
	if gate := c.gate.Swap(nil); gate != nil {
		close(*gate)
	}
}

// share is how many requests a server has made since a time.
func (c *crowd) share(p *processtest.Running, since time.Time) int {
	n := 0
	for _, r := range c.list {
		for _, a := range r.arrivals() {
			if from(a) == port(p) && a.at.After(since) {
				n++
			}
		}
	}
	return n
}

// checkRoom wants no more requests at a receiver at once than are allowed, those aside that
// a server had begun before it stood still and sent afterwards, and says the most.
func (c *crowd) checkRoom(t *testing.T, frozen *processtest.Running, after, to time.Time) int {
	t.Helper()
	most := 0
	for i, r := range c.list {
		type turn struct {
			at time.Time
			by int
		}
		var turns []turn
		for _, a := range r.arrivals() {
			if from(a) == port(frozen) && a.at.After(after) && a.at.Before(to) {
				continue
			}
			turns = append(turns, turn{a.at, 1}, turn{a.answered, -1})
		}
		slices.SortFunc(turns, func(a, b turn) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.by, b.by)) })
		open := 0
		for _, turn := range turns {
			open += turn.by
			if most = max(most, open); open > inFlight {
				t.Errorf("receiver %d had %d requests at once, want %d at most", i, open, inFlight)
				break
			}
		}
	}
	return most
}

// meter asks with one key, again and again, what a hundred requests a minute allow.
type meter struct {
	key     string
	passed  []pass
	refused atomic.Int64
}

type pass struct{ sent, answered time.Time }

// call makes one request.
func (m *meter) call(t *testing.T, target string) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+target+"/api/v1/candidates?limit=1", nil)
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+m.key)
	p := pass{sent: time.Now()}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return // the test is over
	}
	resp.Body.Close()
	p.answered = time.Now()
	switch resp.StatusCode {
	case http.StatusOK:
		m.passed = append(m.passed, p)
	case http.StatusTooManyRequests:
		m.refused.Add(1)
	default:
		t.Errorf("a reading was answered with %s", resp.Status)
	}
}

// run calls servers in turn, much more often than is allowed, until stop is called.
func (m *meter) run(t *testing.T, targets ...string) (stop func()) {
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
				m.call(t, targets[n%len(targets)])
			}
		}
	})
	return func() {
		close(done)
		ended.Wait()
	}
}

// check wants a hundred in the first minute, and in no minute more.
func (m *meter) check(t *testing.T, begun time.Time) {
	t.Helper()
	first := 0
	for i, p := range m.passed {
		if p.answered.Before(begun.Add(time.Minute)) {
			first++
		}
		if i < perMinute {
			continue
		}
		if span := p.answered.Sub(m.passed[i-perMinute].sent); span < time.Minute {
			t.Errorf("%d requests of a key passed in %s", perMinute+1, span)
		}
	}
	if first != perMinute {
		t.Errorf("%d requests of a key passed in the first minute, want %d; %d were refused", first, perMinute, m.refused.Load())
	}
}

// P11: three servers on one database. No attempt is made twice, no receiver has more in hand
// than its limit, no key more than its hundred requests a minute, whoever serves them. One
// server stands still for longer than its leases last: the others take over what it had
// begun, and people who have a page open go on with them; what it writes when it wakes is
// refused.
func TestThreeServersShareTheWorkAndOneStandsStill(t *testing.T) {
	t.Parallel()
	s := postgresSite(t)
	servers := []*processtest.Running{s.serve(t), s.serve(t), s.serve(t)}
	whole, frozen := servers[:2], servers[2]
	a := s.newAccount(t, 100_000, 11)
	c := newCrowd(t, s, a)
	m := &meter{key: a.keys[10]}
	a.keys = a.keys[:10]
	d := newDriver(t, a, 10)
	d.every = 100 * time.Millisecond
	begun := time.Now()
	stop := d.drive(t, addresses(servers)...)
	stopMeter := m.run(t, addresses(servers)...)
	waittest.Until(t, "the key has used up its minute", func() bool { return m.refused.Load() > 0 })
	stopMeter()

	c.close(t, frozen)
	frozen.Freeze(t)
	stood := time.Now()
	stop()
	c.open()
	before := d.acknowledged()
	d.every = size(400*time.Millisecond, 100*time.Millisecond) // to wait for a lease needs no load
	stop = d.drive(t, addresses(whole)...)
	stopMeter = m.run(t, addresses(whole)...)
	moved := c.leasesMove(t, s, stood)
	stillFor := time.Since(stood)
	led := d.acknowledged() - before
	frozen.Thaw(t)
	woke := time.Now()
	stopMeter()
	stop()
	if led == 0 {
		t.Error("nobody got on while a server stood still")
	}
	frozen.Says(t, "the lease was lost, the outcome came late")
	stop = d.drive(t, addresses(servers)...)
	waittest.Until(t, "the server that stood still works again", func() bool { return c.share(frozen, woke.Add(2*time.Second)) > 0 })
	time.Sleep(size(2*time.Second, 8*time.Second))
	stop()
	awaitDeliveries(t, s, 3*time.Minute)
	m.check(t, begun)
	most := c.checkRoom(t, frozen, stood, woke.Add(time.Second))
	check(t, s, d)
	events, requests, again := checkDelivered(t, s, c.list...)
	if again > moved {
		t.Errorf("%d deliveries came again, want %d at most: those whose answers the server that stood still did not tell", again, moved)
	}
	var shares []int
	for _, p := range servers {
		shares = append(shares, c.share(p, begun))
	}
	figures(t, "%d deliveries of %d events to %d endpoints in %d requests, no attempt twice, %d again; by server %v; at once at an endpoint %d at most; one server stood still for %s, %d leases of it moved; of a key %d of %d requests passed in %s; refused %v, slowest answer %s",
		events*endpointsAtOnce, events, endpointsAtOnce, requests, again, shares, most, stillFor.Round(time.Second), moved,
		len(m.passed), len(m.passed)+int(m.refused.Load()), time.Since(begun).Round(time.Second), d.refusals(), d.slowest.Round(10*time.Millisecond))
}

// leasesMove waits until what a server had begun when it stood still has been brought by
// others, and says how many deliveries that were.
func (c *crowd) leasesMove(t *testing.T, s *site, stood time.Time) int {
	t.Helper()
	const held = "select count(*) from webhook_deliveries where state = 'sending' and lease_until <= $1"
	until := stood.Add(leaseMoves).UnixMilli()
	moved := 0
	s.looking(t, func(db *sql.DB) {
		time.Sleep(5 * time.Second) // the others have long ended what they had begun before
		moved = int(number(t, db, held, until))
		if moved == 0 {
			t.Error("the server that stands still had begun nothing")
		}
		waittest.Within(t, time.Until(stood.Add(leaseMoves+afterLease)), "the leases of the server that stands still have moved", func() bool {
			return number(t, db, held, until) == 0
		})
	})
	return moved
}
