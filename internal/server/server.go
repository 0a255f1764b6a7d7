// Package server mounts the faces (HTTP handlers), starts the courier (background
// worker), and stops both in order.
package server

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/api"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/courier"
	"typus/internal/dashboard"
	"typus/internal/docs"
	"typus/internal/instrument"
	"typus/internal/metrics"
	"typus/internal/page"
	"typus/internal/sandbox"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/testpage"
	"typus/internal/web"
	"typus/internal/webhook"
)

// Options are what a server needs; all but Mailer, PerDay, ReturnPath, Limiter and
// Clock are required.
type Options struct {
	Store      *store.Store
	Box        *seal.Box
	Instrument *instrument.Instrument
	Guard      *webhook.Guard
	Client     *webhook.Client
	Mailer     courier.Mailer                              // nil: letters wait in the outbox
	PerDay     int                                         // letters of one account to others in a day, 0 for any number
	ReturnPath func(l typus.Letter, mailbox string) string // courier.Options.ReturnPath
	Limiter    api.Limiter                                 // nil: the limit of the API
	Erasures   string                                      // the file in which erasures are listed; "": none
	BaseURL    string                                      // origin of every link, without a slash at the end
	Version    string
	Clock      typus.Clock // nil: the machine's; of the Store it is its own
	Log        *slog.Logger

	TrustedProxies []netip.Prefix // whose X-Forwarded-For names the client
	SignUp         bool           // anybody may make an account
	Metrics        bool           // count requests, for ServeMetrics
	StarterCredits int64          // of an account that is made in the browser
}

// Server is one instance: the faces and the courier on one store.
type Server struct {
	handler http.Handler
	refused http.Handler
	courier *courier.Courier
	calls   *api.CallLog
	ready   *readiness
	metrics *metrics.Metrics // nil unless Options.Metrics
	rest    func()           // gives back what the database keeps in memory
	log     *slog.Logger

	stopping func() // has requests answered that wait for something
}

// How long a stop may take. Requests and the courier stop side by side; both
// stay below the 25 s that service managers grant, linger included.
const (
	drainRequests = 15 * time.Second
	drainCourier  = 22 * time.Second // a courier stops within 20 s by itself
)

// New puts a server together; nothing runs yet. An error is a fault in the
// embedded pages.
func New(o Options) (*Server, error) {
	worker := rand.Text() // two instances under one name would take each other's imports for their own
	calls := api.NewCallLog(o.Store, o.Log)
	steps := assess.New(assess.Options{
		Store: o.Store, Box: o.Box, Instrument: o.Instrument, BaseURL: o.BaseURL, Clock: o.Clock, Log: o.Log,
	})
	ways := access.New(access.Options{
		Store: o.Store, Box: o.Box, Instrument: o.Instrument, BaseURL: o.BaseURL, Clock: o.Clock,
	})
	held := accounts.New(accounts.Options{
		Store: o.Store, Box: o.Box, Instrument: o.Instrument, Guard: o.Guard, BaseURL: o.BaseURL, HeaderPrefix: o.Client.HeaderPrefix(), Clock: o.Clock,
	})
	worlds := sandbox.New(sandbox.Options{Store: o.Store, Assess: steps, Box: o.Box, Clock: o.Clock, Log: o.Log})
	c := courier.New(courier.Options{
		Store: o.Store, Box: o.Box, Client: o.Client, Mailer: o.Mailer, PerDay: o.PerDay, ReturnPath: o.ReturnPath, BaseURL: o.BaseURL, Clock: o.Clock, Log: o.Log,
		Chores: chores(o.Store, steps, ways, held, worlds, clerk.New(o.Store, o.Clock), calls), Shared: shared(o, steps, held, worlds, worker),
		Alone: !o.Store.Shared(), // whoever serves holds the lock of the file
	})
	stopping := make(chan struct{})
	ready := &readiness{store: o.Store, log: o.Log}
	var counted *metrics.Metrics
	if o.Metrics {
		counted = metrics.New(metrics.Options{Store: o.Store, Version: o.Version, Ready: ready.is})
	}
	handler, err := live(func() (http.Handler, error) {
		return faces(o, steps, ways, held, worlds, calls, ready, counted, stopping)
	})
	if err != nil {
		return nil, err
	}
	return &Server{
		handler: handler, refused: refused(o, counted), courier: c, calls: calls, ready: ready, metrics: counted, rest: o.Store.Rest, log: o.Log,
		stopping: sync.OnceFunc(func() { close(stopping) }),
	}, nil
}

// faces mounts everything that the outside sees. The routes of each face stand in its
// own table.
func faces(o Options, steps *assess.Steps, ways *access.Steps, held *accounts.Steps, worlds *sandbox.Steps, calls *api.CallLog, ready *readiness, counted *metrics.Metrics, stopping <-chan struct{}) (http.Handler, error) {
	site, err := page.New()
	if err != nil {
		return nil, err
	}
	tests, err := testpage.New(testpage.Options{Steps: steps, Site: site, Mail: o.Mailer != nil, BaseURL: o.BaseURL, Clock: o.Clock})
	if err != nil {
		return nil, err
	}
	manual, err := docs.New(docs.Options{Site: site, BaseURL: o.BaseURL, HeaderPrefix: o.Client.HeaderPrefix()})
	if err != nil {
		return nil, err
	}
	rehearser, _ := o.Mailer.(dashboard.Rehearser)
	desk, err := dashboard.New(dashboard.Options{
		Store: o.Store, Steps: steps, Access: ways, Accounts: held, Sandbox: worlds, Box: o.Box, Instrument: o.Instrument, Guard: o.Guard, HeaderPrefix: o.Client.HeaderPrefix(), Site: site,
		BaseURL: o.BaseURL, Mail: o.Mailer != nil, Rehearser: rehearser, Clock: o.Clock, Log: o.Log, SignUp: o.SignUp, StarterCredits: o.StarterCredits,
	})
	if err != nil {
		return nil, err
	}
	proxies := &proxies{log: o.Log}
	front := &front{store: o.Store, site: site, version: o.Version, log: o.Log, proxies: proxies, open: toldVerbose(o), ready: ready}
	all := mounts{
		{"/api/", "api", api.New(api.Options{Store: o.Store, Steps: steps, Sandbox: worlds, Test: o.Instrument, BaseURL: o.BaseURL, Clock: o.Clock, Log: o.Log, Limiter: o.Limiter, Calls: calls, Stopping: stopping})},
		{"/t/", "tests", tests},
		{"/p/", "tests", tests},
		{"/docs", "docs", manual},
		{"/static/", "static", site.Static()},
		{"/favicon.ico", "static", site.Static()},
		{"/healthz", "health", front.routes()},
		{"/readyz", "health", front.routes()},
		{"/", "dashboard", desk},
	}
	all.count(counted)
	secure := web.SecurityHeaders(typus.Links{BaseURL: o.BaseURL}.Secure(), all)
	return web.WithRequestID(o.Log, web.WithClientIP(o.TrustedProxies, proxies.watch(secure))), nil
}

// refused answers requests that net/http has refused before any face saw them: under
// /api/ in the shape of the API, elsewhere with one line of text.
func refused(o Options, counted *metrics.Metrics) http.Handler {
	all := mounts{{"/api/", "api", api.Refused(o.BaseURL)}, {"", "refused", web.Refused(web.Bare)}}
	all.count(counted)
	return web.WithRequestID(o.Log, web.SecurityHeaders(typus.Links{BaseURL: o.BaseURL}.Secure(), all))
}

// mounts sends a request to the first face whose prefix fits. The standard
// mux would redirect unclean paths, and an API client must never be redirected.
type mounts []struct {
	prefix string
	name   string // in metrics
	face   http.Handler
}

// count lets m note the requests of each face; nil for nobody.
func (all mounts) count(m *metrics.Metrics) {
	for i := range all {
		if m != nil {
			all[i].face = web.Observe(m.Of(all[i].name), all[i].face)
		}
	}
}

func (m mounts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, mount := range m {
		if strings.HasPrefix(r.URL.Path, mount.prefix) {
			mount.face.ServeHTTP(w, r)
			return
		}
	}
	http.NotFound(w, r) // only a path without a slash in front, as in OPTIONS *
}

// Handler answers everything the server answers.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers on ln and brings what is due until ctx ends. Then it stops: requests under
// way are finished, the courier ends or gives back what it holds. /readyz says so from then
// on; if somebody has asked it lately, requests are still taken for a moment. It returns
// within 25 s.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	base, cancelRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelRequests()
	httpServer := web.NewServer(base, s.log, s.handler, s.refused)

	delivering, stopCourier := context.WithCancel(context.WithoutCancel(ctx))
	courierDone := make(chan struct{})
	go func() {
		defer close(courierDone)
		s.courier.Run(delivering)
	}()
	counting, stopCounting := context.WithCancel(context.WithoutCancel(ctx))
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		s.calls.Run(counting)
	}()
	served := make(chan error, 1)
	go func() { served <- httpServer.Serve(ln) }()
	go rest(delivering, s.rest)

	var failed error
	select {
	case <-ctx.Done():
	case failed = <-served:
	}
	stopCourier()
	leave := time.After(drainCourier)
	if s.ready.stop() && failed == nil {
		select {
		case <-time.After(linger):
		case failed = <-served:
		}
	}
	s.stopping()
	drained, cancel := context.WithTimeout(base, drainRequests)
	defer cancel()
	if err := httpServer.Shutdown(drained); err != nil {
		s.log.Warn("requests cut off at the stop", "error", err)
		failed = errors.Join(failed, httpServer.Close())
	}
	stopCounting() // after the last request; it ends within a few seconds
	<-counted
	select {
	case <-courierDone:
	case <-leave:
		s.log.Warn("the courier was left behind at the stop; its leases run out by themselves")
	}
	return failed
}

// ServeMetrics answers GET /metrics on a listener of its own until ctx ends; the server was
// made with Options.Metrics. The error is the listener's.
func (s *Server) ServeMetrics(ctx context.Context, ln net.Listener) error {
	own := &http.Server{
		Handler: s.metrics.Handler(), ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 20 * time.Second, IdleTimeout: 90 * time.Second, MaxHeaderBytes: 16 << 10,
	}
	defer context.AfterFunc(ctx, func() { _ = own.Close() })() // nothing is said to those who scrape meanwhile
	if err := own.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
