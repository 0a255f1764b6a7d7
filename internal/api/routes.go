// Package api answers /api/v1 (the REST API) exactly as the API description says, and
// /api/test, by which a program plays a test world.
package api

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/sandbox"
	"typus/internal/store"
	"typus/internal/web"
)

// Options are what the API needs. Test, Clock, Log, Limiter, Calls and Stopping may be nil.
type Options struct {
	Store   *store.Store
	Steps   *assess.Steps
	Sandbox *sandbox.Steps
	Test    *instrument.Instrument // nil: the one of this program
	BaseURL string                 // origin of every link, without a slash at the end
	Clock   typus.Clock            // nil: the machine's
	Log     *slog.Logger           // nil: slog.Default
	Limiter Limiter                // nil: counted in the database on PostgreSQL, else in the memory of this process
	Calls   *CallLog               // nil: calls are not remembered

	Stopping <-chan struct{} // closed when the server stops: calls that wait for something then answer
}

type api struct {
	store   *store.Store
	steps   *assess.Steps
	sandbox *sandbox.Steps
	tests   *instrument.Instrument
	links   typus.Links
	clock   typus.Clock
	log     *slog.Logger
	keys    *keyring
	calls   *CallLog
	open    *web.Routes // need no key
	v1      section
	test    section // of test worlds
	waiting *waiters
	ending  <-chan struct{}
}

// section is a table of routes that a key opens, with a limit of its own.
type section struct {
	prefix  string
	routes  *web.Routes
	limit   int // requests of a key in 60 seconds
	limiter Limiter
}

// has reports whether an escaped path is of the section.
func (s section) has(path string) bool {
	return path == s.prefix || strings.HasPrefix(path, s.prefix+"/")
}

// New returns the handler of everything under /api/. It answers in JSON, errors
// included. It must be mounted below web.WithRequestID, because errors show the request
// id.
func New(o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Limiter == nil {
		o.Limiter = limiterFor(o.Store, o.Clock, rateLimit)
	}
	if o.Test == nil {
		o.Test = instrument.Own()
	}
	a := &api{store: o.Store, steps: o.Steps, sandbox: o.Sandbox, tests: o.Test, links: typus.Links{BaseURL: o.BaseURL}, clock: o.Clock, log: o.Log, calls: o.Calls, waiting: &waiters{of: map[int64]int{}}, ending: o.Stopping}
	a.keys = newKeyring(o.Store, o.Clock, o.Log)
	spec := newSpec(o.BaseURL)
	a.open = web.NewRoutes(a.fail,
		web.Route{Method: "GET", Pattern: "/api/openapi.yaml", Handle: spec.yaml},
		web.Route{Method: "GET", Pattern: "/api/openapi.json", Handle: spec.json},
	)
	a.v1 = section{"/api/v1", web.NewRoutes(a.fail, a.routes()...), rateLimit, o.Limiter}
	a.test = section{"/api/test", web.NewRoutes(a.fail, a.testRoutes()...), testLimit, apart{limiterFor(o.Store, o.Clock, testLimit)}}
	return web.Answer(a.fail, a.walls)
}

// routes are what a key opens, each with what the key must be allowed to do.
func (a *api) routes() []web.Route {
	return []web.Route{
		{Method: "POST", Pattern: "/api/v1/invites", Handle: needs(typus.KeyScope.Invites, a.invite)},
		{Method: "GET", Pattern: "/api/v1/candidates", Handle: needs(typus.KeyScope.Reads, a.steady(a.candidates))},
		{Method: "GET", Pattern: "/api/v1/candidates/{id}", Handle: needs(typus.KeyScope.Reads, a.steady(a.candidate))},
	}
}

// Refused returns the handler for requests under /api/ that net/http has refused before
// New's handler could see them. It is mounted as New is.
func Refused(baseURL string) http.Handler {
	a := &api{links: typus.Links{BaseURL: baseURL}}
	return web.Refused(func(w http.ResponseWriter, r *http.Request, err error) {
		asData(w.Header())
		a.fail(w, r, err)
	})
}

// section is where an escaped path belongs; false for what needs no key.
func (a *api) section(path string) (section, bool) {
	if a.test.has(path) {
		return a.test, true
	}
	return a.v1, a.v1.has(path)
}

// walls checks every request in this order: the key, the rate, whether its account is
// suspended, whether the key is one of a test world where that is asked for, the route and its
// method, what the key may do. What a handler itself asks of a request comes after that (our
// choice).
func (a *api) walls(w http.ResponseWriter, r *http.Request) error {
	asData(w.Header())
	s, keyed := a.section(r.URL.EscapedPath())
	if !keyed {
		return a.open.Handle(w, r)
	}
	key, err := a.keys.open(r.Context(), r.Header)
	if key.ID == 0 {
		return err
	}
	outcome := errPanic
	defer func() { a.note(r, s, key, outcome) }()
	if err == nil {
		err = a.admitted(w, r, s, key)
	}
	outcome = err
	return err
}

// asData sets the headers of every answer under /api/.
func asData(h http.Header) {
	h.Set("Content-Security-Policy", web.DataPolicy)
	h.Set("Cache-Control", "no-store")
}

// errPanic is logged as the outcome of a call whose handler has panicked.
var errPanic = errors.New("api: the handler did not return")

// admitted answers a request whose key opens the API.
func (a *api) admitted(w http.ResponseWriter, r *http.Request, s section, key typus.APIKey) error {
	if err := s.take(w, r, key); err != nil {
		return err
	}
	if err := suspended(key); err != nil {
		return err
	}
	if s.prefix == a.test.prefix {
		if err := onlyTestKeys(key); err != nil {
			return err
		}
	}
	r, err := a.inItsWorld(r, key)
	if err != nil {
		return err
	}
	return s.routes.Handle(w, r)
}

// note remembers a call. Calls with an expired or revoked key are remembered as well:
// whoever looks into the log wants to know that the key is still used.
func (a *api) note(r *http.Request, s section, key typus.APIKey, outcome error) {
	if outcome == nil {
		a.calls.answered(key, a.clock.Now())
		return
	}
	a.calls.refuse(key, a.clock.Now(), r, s.routes.Pattern(r), outcome)
}
