// Package servertest runs a whole server on a free port of this machine.
package servertest

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/sandbox"
	"typus/internal/seal"
	"typus/internal/server"
	"typus/internal/store"
	"typus/internal/web/logtest"
	"typus/internal/webhook"
)

// Site is a running server with one account.
type Site struct {
	URL      string
	Store    *store.Store
	Steps    *assess.Steps
	Access   *access.Steps
	Accounts *accounts.Steps
	Sandbox  *sandbox.Steps
	Account  int64
	Key      string
	Log      *logtest.Log // what the server has logged
	stop     context.CancelFunc
	ended    chan error
}

// Start runs a server on st until the test ends. It may call receivers on this
// machine.
func Start(t testing.TB, st *store.Store) *Site {
	t.Helper()
	return StartAt(t, st, nil)
}

// StartAt is Start with a clock for everything but the store, which has its own.
func StartAt(t testing.TB, st *store.Store, clock typus.Clock) *Site {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	s := &Site{URL: "http://localhost:" + port, Store: st, Log: new(logtest.Log), ended: make(chan error, 1)}
	box, err := seal.New([]byte(strings.Repeat("s", seal.MinSecret)))
	if err != nil {
		t.Fatal(err)
	}
	guard := webhook.NewGuard(webhook.Policy{
		AllowHTTP: true, AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		OwnListeners: []string{ln.Addr().String(), "localhost:" + port},
	})
	client, err := webhook.NewClient(webhook.ClientOptions{Guard: guard, BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(server.Options{
		Store: st, Box: box, Instrument: instrument.Own(), Guard: guard, Client: client,
		BaseURL: s.URL, Version: "test", Clock: clock, Log: slog.New(slog.NewJSONHandler(s.Log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Steps = assess.New(assess.Options{Store: st, Box: box, Instrument: instrument.Own(), BaseURL: s.URL})
	s.Accounts = accounts.New(accounts.Options{Store: st, Box: box, Instrument: instrument.Own(), Guard: guard, BaseURL: s.URL})
	s.Access = access.New(access.Options{Store: st, Box: box, Instrument: instrument.Own(), BaseURL: s.URL})
	s.Sandbox = sandbox.New(sandbox.Options{Store: st, Assess: s.Steps, Box: box})
	s.fill(t)
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() { s.ended <- srv.Serve(ctx, ln) }()
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return s
}

func (s *Site) fill(t testing.TB) {
	t.Helper()
	var err error
	if s.Account, err = s.Access.CreateAccount(t.Context(), typus.Account{Name: "Muster GmbH"}, 100); err != nil {
		t.Fatal(err)
	}
	if _, s.Key, err = s.Access.CreateKey(t.Context(), s.Account, "test", typus.Actor{Name: "operator"}); err != nil {
		t.Fatal(err)
	}
}

// StartInTestMode is Start with the account's test world, and a key of it, as Account and Key.
func StartInTestMode(t testing.TB, st *store.Store) *Site {
	t.Helper()
	s := Start(t, st)
	s.Account, s.Key = s.TestWorld(t)
	return s
}

// TestWorld makes the test world of the account and a key that opens it.
func (s *Site) TestWorld(t testing.TB) (int64, string) {
	t.Helper()
	world, err := s.Sandbox.World(t.Context(), s.Account)
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := s.Access.CreateKey(t.Context(), world.ID, "CI", typus.Actor{Name: "operator"})
	if err != nil {
		t.Fatal(err)
	}
	return world.ID, key
}

// Stop ends the server as SIGTERM does and waits for it; stopping again does
// nothing.
func (s *Site) Stop() error {
	s.stop()
	select {
	case err := <-s.ended:
		s.ended <- nil
		return err
	case <-time.After(40 * time.Second):
		return context.DeadlineExceeded
	}
}
