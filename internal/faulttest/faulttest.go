// Package faulttest sends a request again and again, with a fault at another of its statements
// and commits each time, and looks that it is done wholly or not at all.
package faulttest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Site is what requests are sent to.
type Site struct {
	testing.TB
	Faults  *Faults // of the store below Handler
	DSN     string  // of its database
	Handler http.Handler
	Logged  fmt.Stringer // what the server logs

	// Aside gives the reason for each "table" or "table.column" that a request may change
	// although it is not done, or that a repeat may change once more.
	Aside map[string]string

	tables *tables
	aside  asides
}

// Request is one that changes something.
type Request struct {
	Name string

	// Make readies the database, and returns what gives the request: the same each time.
	Make func() func() *http.Request

	Same bool // sent again, it is answered by the same words
	Mere bool // it changes nothing; what it does shows in its answer
	Some bool // it may be refused, and is not played then, or change nothing

	// Twice gives the reason for each "table" or "table.column" in which a request that is sent
	// again once it is done leaves something more.
	Twice map[string]string

	// Steps says why it is done in several transactions, and who goes on where it ends between
	// two of them; "" if it is done in one.
	Steps string
}

// most bounds how many statements a request may have.
const most = 5000

// answer is what a request gets.
type answer struct {
	code   int
	where  string
	body   string
	struck string // what the fault came at, "" for none
}

// Play sends a request without a fault, then with each fault at each of its statements and
// commits. It finds fault where something is stored by halves, where an answer says that all
// went well and nothing is stored, where an answer shows what the database said, and where
// the same request sent again, with a healthy database, does not lead where it would have led
// at once. Everything in the database is afterwards as it was before Make. It returns how
// many faults there were, 0 for a request that is refused.
func (s *Site) Play(r Request) int {
	s.Helper()
	if s.tables == nil {
		s.tables, s.aside = openTables(s, s.DSN), asides{}.and(s.Aside)
	}
	began := s.tables.read()
	defer func() { s.tables.back(began) }()
	p := &play{Site: s, Request: r, ask: r.Make(), before: s.tables.read()}
	if !p.learn() {
		return 0
	}
	n := 0
	for i := range blows {
		if blows[i].name == "the connection ends" && s.tables.sqlite {
			continue // a file has none
		}
		for at := 1; at < most; at++ {
			if !p.strike(&blows[i], at) {
				break
			}
			n++
		}
	}
	s.Logf("%s: %d faults", r.Name, n)
	if log := s.Logged.String(); strings.Contains(log, "panic: ") {
		s.Fatalf("%s: a panic:\n%.4000s", r.Name, log[strings.Index(log, "panic: "):])
	}
	return n
}

// play is how one request is played.
type play struct {
	*Site
	Request
	ask           func() *http.Request
	before, after state
	drawn         asides // with what is another each time
	clean         answer
}

// send sends the request, struck by a blow or by none.
func (p *play) send(b *blow, at int) answer {
	p.Helper()
	ctx, gone := context.WithCancel(p.Context())
	defer gone()
	req := p.ask().WithContext(ctx)
	p.Faults.next(b, at, gone)
	rec := httptest.NewRecorder()
	if broken(p.Handler, rec, req) {
		rec.Code = http.StatusInternalServerError // nobody takes for whole what ends so
	}
	return answer{rec.Code, rec.Header().Get("Location"), rec.Body.String(), p.Faults.over()}
}

// broken answers a request, and reports whether the answer was broken off once it had begun.
func broken(h http.Handler, w http.ResponseWriter, r *http.Request) bool {
	off := false
	func() {
		defer func() {
			if v := recover(); v != nil {
				if off = v == http.ErrAbortHandler; !off { //nolint:errorlint // it is that one
					panic(v)
				}
			}
		}()
		h.ServeHTTP(w, r)
	}()
	return off
}

// learn finds out what the request does without a fault, and which of that is drawn.
func (p *play) learn() bool {
	p.Helper()
	p.clean = p.send(nil, 0)
	if p.clean.code >= 400 && p.Some {
		return false
	}
	if p.clean.code >= 400 {
		p.Errorf("%s: without a fault the answer is %d: %.600s", p.Name, p.clean.code, p.clean.body)
		return false
	}
	p.after = p.tables.read()
	p.tables.back(p.before)
	p.send(&blows[4], 1) // on PostgreSQL the ids are others then
	p.tables.back(p.before)
	same := p.send(nil, 0)
	again := p.tables.read()
	p.drawn = p.aside.drawn(p.after, again)
	if left := p.drawn.differ(p.after, again); len(left) > 0 {
		p.Errorf("%s: done twice from the same state it is not the same in %v: %d and %d", p.Name, left, p.clean.code, same.code)
		return false
	}
	changed := p.aside.differ(p.before, p.after)
	if p.Mere != (len(changed) == 0) && !p.Some {
		p.Errorf("%s changes %v", p.Name, changed)
	}
	p.tables.back(p.before)
	return true
}

// strike sends the request with a fault, and reports whether that came.
func (p *play) strike(b *blow, at int) bool {
	p.Helper()
	got := p.send(b, at)
	if got.struck == "" {
		p.tables.back(p.before)
		return false
	}
	where := fmt.Sprintf("%s: %s (%d: %s)", p.Name, b.name, at, strings.Join(strings.Fields(got.struck), " "))
	now := p.tables.read()
	undone, done := len(p.aside.differ(p.before, now)) == 0, len(p.drawn.differ(p.after, now)) == 0
	if !undone && !done && p.Steps == "" {
		p.Errorf("%s: done by halves: %v has changed, %v is missing; answered %d", where, p.aside.differ(p.before, now), p.drawn.differ(p.after, now), got.code)
	}
	if undone && !done && got.code < 400 && !b.leaves {
		p.Errorf("%s: nothing is stored, and the answer is %d to %s", where, got.code, got.where)
	}
	if strings.Contains(got.body, "faulttest") {
		p.Errorf("%s: the answer shows what the database said:\n%s", where, got.body)
	}
	if !undone || b.commit || at == 1 {
		p.again(where, done)
	}
	p.tables.back(p.before)
	return true
}

// again sends the same request to a healthy database.
func (p *play) again(where string, done bool) {
	p.Helper()
	got := p.send(nil, 0)
	expected := p.drawn
	if done {
		expected = expected.and(p.Twice)
	}
	if left := expected.differ(p.after, p.tables.read()); len(left) > 0 && p.Steps == "" {
		p.Errorf("%s: sent again, %v is not as after one; answered %d to %s", where, left, got.code, got.where)
	}
	if got.code != p.clean.code && (!done || p.Same) {
		p.Errorf("%s: sent again it is answered %d, not %d: %.300s", where, got.code, p.clean.code, got.body)
	}
	if once := p.send(nil, 0); p.Same && (once.body != got.body || once.where != got.where) {
		p.Errorf("%s: sent again it is answered\n%s\nand then\n%s", where, got.body, once.body)
	}
}
