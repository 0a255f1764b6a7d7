package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"modernc.org/libc"
	_ "modernc.org/sqlite" // the driver "sqlite", by which the bench prepares its files
	sqlite3 "modernc.org/sqlite/lib"

	"typus/internal/api"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/server"
	"typus/internal/store"
	"typus/internal/webhook"
)

// secretKey seals what the databases of a run hold.
const secretKey = "a secret that seals nothing of value"

// unlimited lifts the limit per key: all load comes through one.
type unlimited struct{}

// Take implements api.Limiter.
func (unlimited) Take(context.Context, int64) (api.Quota, error) {
	return api.Quota{Remaining: 1, Wait: time.Minute}, nil
}

// serve is the whole server on a database, built as typus serve builds it.
// Beside it, on a listener of its own, stand the counter of commits and the
// profiler.
func serve(ctx context.Context, path string) error {
	countCommits()
	st, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer st.Close()
	if err := st.Lock(); err != nil {
		return err
	}
	ln, err := listen()
	if err != nil {
		return err
	}
	options, err := serverOptions(st, ln)
	if err != nil {
		return err
	}
	srv, err := server.New(options)
	if err != nil {
		return err
	}
	control, err := listen()
	if err != nil {
		return err
	}
	counters := &http.Server{Handler: counters(), ReadHeaderTimeout: time.Minute}
	defer counters.Close()
	go func() { _ = counters.Serve(control) }()
	announce(ln, control)
	return srv.Serve(ctx, ln)
}

func serverOptions(st *store.Store, ln net.Listener) (server.Options, error) {
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	base := "http://localhost:" + port
	box, err := seal.New([]byte(secretKey))
	if err != nil {
		return server.Options{}, err
	}
	guard := loopbackGuard(ln.Addr().String())
	client, err := webhook.NewClient(webhook.ClientOptions{Guard: guard, BaseURL: base})
	return server.Options{
		Store: st, Box: box, Instrument: instrument.Own(), Guard: guard, Client: client, Limiter: unlimited{},
		BaseURL: base, Version: "bench", Log: slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	}, err
}

// loopbackGuard lets webhooks go to this machine, but not to own.
func loopbackGuard(own ...string) *webhook.Guard {
	return webhook.NewGuard(webhook.Policy{
		AllowHTTP: true, AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, OwnListeners: own,
	})
}

// commits counts the write transactions that SQLite commits in this process.
var commits atomic.Int64

// countCommits has SQLite count them on every connection that is opened from now on.
// With synchronous=FULL each of them syncs the log once.
func countCommits() {
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_auto_extension(tls, *(*uintptr)(unsafe.Pointer(&struct {
		f func(tls *libc.TLS, db, message, api uintptr) int32
	}{opened})))
}

// opened is called by SQLite with a connection that has been opened.
func opened(tls *libc.TLS, db, _, _ uintptr) int32 {
	sqlite3.Xsqlite3_commit_hook(tls, db, *(*uintptr)(unsafe.Pointer(&struct {
		f func(*libc.TLS, uintptr) int32
	}{committed})), 0)
	return sqlite3.SQLITE_OK
}

func committed(*libc.TLS, uintptr) int32 {
	commits.Add(1)
	return 0
}

func counters() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/commits", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, commits.Load()) })
	mux.HandleFunc("/profile", pprof.Profile)
	mux.Handle("/allocs", pprof.Handler("allocs"))
	return mux
}

// sqliteVersion asks the driver.
func sqliteVersion(ctx context.Context, dir string) (string, error) {
	st, err := store.Open(ctx, dir+"/version.db")
	if err != nil {
		return "", err
	}
	settings, err := st.Settings(ctx)
	return strings.TrimSpace(settings["sqlite_version"]), errors.Join(err, st.Close())
}
