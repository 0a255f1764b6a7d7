package courier

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oklog/ulid/v2"

	"typus"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/webhook"
)

// trial is one seed being played.
type trial struct {
	t        *testing.T
	seed     uint64
	draw     *rand.Rand // used by the goroutine of the trial alone
	file     string
	box      *seal.Box
	process  *process // nil while no server runs
	agenda   []task
	people   []*person
	happened []string

	clock   wrongClock
	fault   string // that is striking, "" for none
	tally   tally
	resends []*resend
	tripped chan struct{} // a trap has gone off
	trap    trap
	healed  bool      // all receivers answer
	calm    time.Time // since when the server runs by the same clock, by the bubble

	mu      sync.Mutex // guards what follows, and sites and their deliveries
	sites   []*site
	byHost  map[string]address
	broken  []string
	trace   []string // of each call: when, what, and what came of it
	calls   []*call  // that are open, or ended at this moment
	crashes int
}

// task is something to be done at a time of the bubble.
type task struct {
	at time.Time
	do func()
}

// person is a candidate with the event about them.
type person struct {
	account int64
	id      int64
	event   typus.Event
	erased  time.Time // zero: not erased
}

// wrongClock is the clock of the house: the time of the bubble, which begins in 2000,
// and how far the machine's clock differs from it. Right is a time in 2026.
type wrongClock struct {
	mu  sync.Mutex
	off time.Duration
}

const rightOff = 26*365*24*time.Hour + 300*24*time.Hour

func (c *wrongClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.off).UTC().Truncate(time.Millisecond)
}

// set changes how far the clock is off and returns how far it was.
func (c *wrongClock) set(off time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.off
	c.off = off
	return was
}

func newTrial(t *testing.T, seed uint64, file string) *trial {
	t.Helper()
	box, err := seal.New([]byte("0123456789abcdef0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{t: t, seed: seed, draw: rand.New(rand.NewPCG(seed, 0)), file: file, box: box, tripped: make(chan struct{}, 1), byHost: map[string]address{}}
	tr.clock.set(rightOff)
	return tr
}

// run plays the trial: a world is made, things happen to it, it is healed, and what
// should have come of it is looked at.
func (tr *trial) run() {
	tr.start(true)
	tr.makeWorld()
	tr.plan()
	tr.play()
	tr.heal()
	tr.close()
}

// by returns a source of chance for one thing, which depends on nothing but the seed
// and what it is for.
func (tr *trial) by(what string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(what))
	return rand.New(rand.NewPCG(tr.seed, h.Sum64()))
}

// pick draws one of several.
func pick[T any](draw *rand.Rand, list ...T) T { return list[draw.IntN(len(list))] }

// newID makes an id that depends on the seed alone. It is in the order of time by the
// clock of the house, as a real one is.
func (tr *trial) newID(prefix string) string {
	var entropy [10]byte
	for i := range entropy {
		entropy[i] = byte(tr.draw.Uint32())
	}
	id := ulid.ULID{}
	_ = id.SetTime(uint64(tr.clock.Now().UnixMilli())) // a time in this age
	_ = id.SetEntropy(entropy[:])
	return prefix + id.String()
}

func (tr *trial) tx(fn func(tx *store.Tx) error) {
	tr.t.Helper()
	if err := tr.process.store.InTx(tr.t.Context(), fn); err != nil {
		tr.t.Fatal(err)
	}
}

// note tells the story of the trial, for whoever looks for a fault.
func (tr *trial) note(format string, args ...any) {
	tr.happened = append(tr.happened, fmt.Sprintf("%v ", time.Since(bubbleBegan))+fmt.Sprintf(format, args...))
}

// bubbleBegan is the time at which each bubble begins.
var bubbleBegan = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// breaks notes a promise that was broken. The caller holds mu.
func (tr *trial) breaks(format string, args ...any) {
	if len(tr.broken) < 10 {
		tr.broken = append(tr.broken, fmt.Sprintf("%v ", time.Since(bubbleBegan))+fmt.Sprintf(format, args...))
	}
}

// after puts a task on the agenda.
func (tr *trial) after(d time.Duration, do func()) {
	tr.agenda = append(tr.agenda, task{time.Now().Add(d), do})
	slices.SortStableFunc(tr.agenda, func(a, b task) int { return a.at.Compare(b.at) })
}

// play does what is on the agenda until nothing is left on it. Between any two things
// the server comes to rest, so that their order is the agenda's.
func (tr *trial) play() {
	for len(tr.agenda) > 0 {
		next := tr.agenda[0]
		if tr.trips(time.Until(next.at)) {
			tr.crash("a trap")
			continue
		}
		tr.agenda = tr.agenda[1:]
		tr.still()
		next.do()
		tr.still()
	}
}

// still waits until everything else has come to rest, without any time passing. What
// ended before this moment is certain from then on.
func (tr *trial) still() {
	synctest.Wait()
	tr.mu.Lock()
	defer tr.mu.Unlock()
	now := time.Now()
	tr.calls = slices.DeleteFunc(tr.calls, func(c *call) bool { return !c.ended.IsZero() && c.ended.Before(now) })
}

// trips waits for d, and reports whether a trap went off meanwhile.
func (tr *trial) trips(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-tr.tripped:
		return true
	case <-timer.C:
		return false
	}
}

const (
	simulatedEndpoints  = 20
	simulatedDeliveries = 100
	simulatedFaults     = 30
)

// makeWorld makes the accounts and their endpoints.
func (tr *trial) makeWorld() {
	each := pick(tr.draw, 1, 2, 4, 5, 10, 20) // endpoints of an account
	names := behaviourNames()
	for n := range simulatedEndpoints {
		var account int64
		if n%each == 0 {
			account = tr.account()
		} else {
			account = tr.sites[n-1].account
		}
		tr.addSite(n, account, names[(n+int(tr.seed))%len(names)])
	}
}

func (tr *trial) account() int64 {
	var id int64
	tr.tx(func(tx *store.Tx) error {
		var err error
		id, err = tx.AddAccount(tr.t.Context(), typus.Account{
			Name: "Demo GmbH", Plan: typus.PlanStarter, Language: "de", RoleProfile: "general_sales",
			InviteDays: 30, ContactEmail: "chef@example.com", CreatedAt: tr.clock.Now(),
		})
		return err
	})
	return id
}

// plan draws when events come and which faults befall the server.
func (tr *trial) plan() {
	span := pick(tr.draw, 20*time.Minute, 6*time.Hour, 72*time.Hour, 170*time.Hour)
	accounts := map[int64]int{}
	for _, s := range tr.sites {
		accounts[s.account]++
	}
	each := accounts[tr.sites[0].account]
	var when []time.Duration                                                           // events come
	for left := simulatedDeliveries - simulatedEndpoints; left >= each; left -= each { // heal adds one to each endpoint
		account := tr.sites[tr.draw.IntN(len(tr.sites))].account
		if each <= 2 && tr.draw.IntN(2) == 0 {
			account = tr.sites[0].account
		}
		when = append(when, time.Duration(tr.draw.Float64()*tr.draw.Float64()*float64(span)))
		tr.after(when[len(when)-1], func() { tr.happens(account) })
	}
	for range tr.draw.IntN(simulatedFaults + 1) {
		f := drawFault(tr.draw)
		at := time.Duration(tr.draw.Float64() * float64(span))
		if tr.draw.IntN(2) == 0 { // while something is under way
			at = pick(tr.draw, when...) + time.Duration(tr.draw.Float64()*float64(6*time.Second))
		}
		tr.after(at, func() { f.strike(tr) })
	}
	tr.note("span %v, %d endpoints each", span, each)
}

// happens makes an event about a new candidate of an account.
func (tr *trial) happens(account int64) {
	if tr.process == nil {
		return
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	p := &person{account: account}
	now := tr.clock.Now()
	err := tr.process.steps.InTx(tr.t.Context(), func(tx *store.Tx) error {
		var err error
		hash := fmt.Sprintf("%064d", len(tr.people)+1)
		p.id, _, err = tx.AddCandidate(tr.t.Context(), store.NewCandidate{Candidate: typus.Candidate{
			AccountID: account, Name: "Jürgen <b>", Email: fmt.Sprintf("j%d@example.com", len(tr.people)), Status: typus.StatusOpen, Language: "de", RoleProfile: "general_sales",
			CreatedAt: now, ExpiresAt: now.Add(30 * 24 * time.Hour), SealedToken: []byte(hash), TokenHash: hash,
		}})
		if err != nil {
			return err
		}
		p.event = typus.Event{
			ID: tr.newID("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: p.id, OccurredAt: now,
			Payload: fmt.Appendf(nil, `{"event":"candidate.completed","data":{"candidate":{"id":%d,"name":"Jürgen <b>"}},"n":%d}`, p.id, tr.draw.Uint64()),
		}
		_, err = tx.AddEvent(tr.t.Context(), p.event, func() string { return tr.newID("dlv_") })
		return err
	})
	if tr.did(err) {
		tr.people = append(tr.people, p)
		tr.expect(p, now)
	}
}

// expect notes the deliveries of a new event.
func (tr *trial) expect(p *person, now time.Time) {
	list := tr.deliveriesOf(p)
	for _, s := range tr.sites {
		if s.account != p.account || s.deleted {
			continue
		}
		i := slices.IndexFunc(list, func(d typus.Delivery) bool { return d.EndpointID == s.id })
		if i < 0 {
			tr.breaks("the event %s has no delivery to %s", p.event.ID, s)
			continue
		}
		d := &parcel{id: list[i].ID, name: list[i].ID, site: s, person: p, earliest: now, latest: now}
		s.deliveries = append(s.deliveries, d)
		tr.expectSoon(d)
	}
}

func (tr *trial) deliveriesOf(p *person) []typus.Delivery {
	list, err := tr.process.db.DeliveriesOf(tr.t.Context(), p.account, p.event.ID)
	if err != nil {
		tr.t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b typus.Delivery) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// addSite makes an endpoint.
func (tr *trial) addSite(n int, account int64, behaviour string) {
	s := &site{
		n: n, account: account, behaviour: behaviour, limit: 1 + tr.draw.IntN(4), troubled: tr.draw.IntN(6) == 0,
		rate: typus.Rate{PerSecond: 1 + tr.draw.IntN(10), Burst: 1 + tr.draw.IntN(20)}, laneSet: time.Now(),
	}
	if n == 0 { // gets most of the load, where it is alone
		s.rate = typus.Rate{PerSecond: 1, Burst: 1 + tr.draw.IntN(3)}
	}
	secret := webhook.NewSecret()
	tr.tx(func(tx *store.Tx) error {
		e := typus.Endpoint{AccountID: account, URL: s.url(), MaxInFlight: s.limit, Rate: s.rate, CreatedAt: tr.clock.Now()}
		var err error
		if s.id, err = tx.AddEndpoint(tr.t.Context(), e); err != nil {
			return err
		}
		_, err = tx.AddSecret(tr.t.Context(), account, s.id, typus.SecretCurrent, tr.box.KeyID(), tr.clock.Now(), func(id int64) ([]byte, error) {
			return tr.box.Seal([]byte(secret), webhook.SecretAAD(id, s.id)), nil
		})
		return err
	})
	s.secrets = []*signs{{plain: secret}}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.sites = append(tr.sites, s)
	tr.byHost[s.host()+":80"] = address{s, s.moved}
}
