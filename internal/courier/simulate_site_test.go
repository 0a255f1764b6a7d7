package courier

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	"typus"
)

// site is an endpoint of a trial with its receiver, and what is known about it without
// asking the engine.
type site struct {
	n         int
	id        int64
	account   int64
	moved     int // how often it has got a new address
	behaviour string
	limit     int
	rate      typus.Rate
	secrets   []*signs // one, or two while they change, the newer one last
	former    []*signs // before the last change
	turned    time.Time

	deliveries []*parcel
	deleted    bool
	off        time.Time // since when by the bubble; zero: it is on, or the server has switched it off for its failures
	offAtOnce  bool      // it went off because of an answer of this moment
	freed      time.Time // when what waits was made due, however often it had failed
	relieved   time.Time // when what waits was made due but for its last attempts
	mended     time.Time // until when what a wrong clock wrote may be found, by the bubble
	rest       time.Time // by the clock of the house: asked for by the receiver
	restSet    time.Time // by the bubble
	failures   int       // in a row
	doubted    bool      // it may be failing: it was reopened, or a crash hides it
	sure       int       // failures in a row that the engine surely counts
	sureSet    time.Time // when the last of them was, by the bubble
	lane       siteLane
	laneSet    time.Time // since when, by the bubble
	touched    time.Time // when somebody last did something to it, by the bubble
	troubled   bool      // one of those on which troubles meet
	tokens     float64
	filled     time.Time
}

// address is one of the addresses that a site has had.
type address struct {
	site  *site
	moved int
}

// siteLane is what the engine knows about how soon the site answers.
type siteLane int

const (
	laneUnknown siteLane = iota // not since it has this address
	laneQuick                   // within a second
	laneLater
	laneDoubted // a crash hides it
)

func (s *site) setLane(l siteLane, at time.Time) { s.lane, s.laneSet = l, at }

func (s *site) host() string   { return fmt.Sprintf("site%d-%d.example.com", s.n, s.moved) }
func (s *site) url() string    { return "http://" + s.host() + "/hook" }
func (s *site) String() string { return fmt.Sprintf("site %d (%s, id %d)", s.n, s.behaviour, s.id) }

// reply is what a receiver does with a request.
type reply struct {
	after  time.Duration
	status int           // 0: it breaks off
	hint   time.Duration // Retry-After
}

// behaviours are what receivers do, drawn for each attempt.
var behaviours = map[string]func(draw *rand.Rand, at time.Duration) reply{
	"up":   func(*rand.Rand, time.Duration) reply { return reply{status: 204} },
	"500":  func(*rand.Rand, time.Duration) reply { return reply{status: 500} },
	"hang": func(*rand.Rand, time.Duration) reply { return reply{after: time.Hour} },
	"flap": func(draw *rand.Rand, at time.Duration) reply {
		if at/(37*time.Minute)%2 == 0 {
			return reply{status: 200}
		}
		return pick(draw, reply{status: 500}, reply{status: 0}, reply{status: 503, hint: 90 * time.Second}, reply{after: time.Hour})
	},
	"410": func(draw *rand.Rand, _ time.Duration) reply { return reply{status: pick(draw, 410, 410, 204, 500)} },
	"429": func(draw *rand.Rand, _ time.Duration) reply {
		return pick(draw, reply{status: 204}, reply{status: 429, hint: pick(draw, time.Second, time.Minute, 90*time.Minute, 30*time.Hour)})
	},
	"redirect": func(draw *rand.Rand, _ time.Duration) reply { return reply{status: pick(draw, 301, 302, 307, 308)} },
	"reset":    func(draw *rand.Rand, _ time.Duration) reply { return reply{status: pick(draw, 0, 0, 204)} },
	"slow": func(draw *rand.Rand, _ time.Duration) reply {
		return reply{after: time.Duration(1500+draw.IntN(18000)) * time.Millisecond, status: pick(draw, 204, 204, 500, 410)}
	},
}

func behaviourNames() []string { return slices.Sorted(maps.Keys(behaviours)) }

// reply draws what a receiver does with an attempt. Any of them may be a little slow.
func (tr *trial) reply(a address, attempt string) reply {
	if tr.healed {
		return reply{status: 204}
	}
	draw := tr.by(fmt.Sprint(a.site.n, a.moved, attempt))
	name := a.site.behaviour
	if a.moved > 0 {
		name = pick(draw, name, "up", "up")
	}
	is := behaviours[name](draw, time.Since(bubbleBegan))
	if is.after == 0 && draw.IntN(3) == 0 {
		is.after = time.Duration(50+draw.IntN(5000)) * time.Millisecond
	}
	return is
}

// serve is the receiver of all sites.
func (tr *trial) serve(p *process, host string, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	to, found := tr.byHostLocked(host)
	if !found {
		panic(http.ErrAbortHandler)
	}
	c := tr.arrives(to, r, body)
	if tr.springs(trapArrival, p, c.name) {
		<-r.Context().Done()
		return
	}
	is := tr.reply(to, c.name)
	timer := time.NewTimer(is.after)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
		tr.cutOff(p, c)
	case <-timer.C:
		tr.answer(p, c, is, w)
	}
}

func (tr *trial) byHostLocked(host string) (address, bool) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	a, found := tr.byHost[host]
	return a, found
}

func (tr *trial) answer(p *process, c *call, is reply, w http.ResponseWriter) {
	if is.status != 0 {
		tr.springs(trapAnswer, p, c.name) // it still gets the answer
	}
	tr.ends(p, c, is)
	switch {
	case is.status == 0:
		panic(http.ErrAbortHandler)
	case is.status/100 == 3:
		w.Header().Set("Location", "http://elsewhere.example.com/")
	case is.hint > 0:
		w.Header().Set("Retry-After", strconv.Itoa(int(is.hint/time.Second)))
	}
	w.WriteHeader(is.status)
}

// cutOff ends a call that the client gave up: for want of an answer, or because the
// server stops. In a crash all of them have ended already.
func (tr *trial) cutOff(p *process, c *call) {
	tr.mu.Lock()
	if p.stopping.Load() && c.ended.IsZero() {
		c.ended = time.Now()
		tr.doubt(c)
	}
	tr.mu.Unlock()
	tr.ends(p, c, reply{})
}
