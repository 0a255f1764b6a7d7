package faulttest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/faulttest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/web/logtest"
)

// heard is a test that keeps what it is told.
type heard struct {
	testing.TB
	faults []string
}

// Errorf implements testing.TB.
func (h *heard) Errorf(format string, args ...any) {
	h.faults = append(h.faults, fmt.Sprintf(format, args...))
}

// once makes an account of a name unless there is one.
func once(ctx context.Context, s *store.Store, name string) error {
	return s.InTx(ctx, func(tx *store.Tx) error {
		all, err := tx.Accounts(ctx)
		for _, a := range all {
			if a.Name == name {
				return err
			}
		}
		return errors.Join(err, add(ctx, tx, name))
	})
}

func add(ctx context.Context, tx *store.Tx, name string) error {
	_, err := tx.AddAccount(ctx, typus.Account{Name: name, Plan: typus.PlanStarter, CreatedAt: time.Unix(1, 0)})
	return err
}

// Each kind of half work is found, and whole work is left in peace.
func TestHalfWorkIsFound(t *testing.T) {
	fail := func(w http.ResponseWriter, err error) {
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	for name, c := range map[string]struct {
		handle func(w http.ResponseWriter, ctx context.Context, s *store.Store)
		found  string // "": nothing
	}{
		"whole": {func(w http.ResponseWriter, ctx context.Context, s *store.Store) { fail(w, once(ctx, s, "one")) }, ""},
		"halves": {func(w http.ResponseWriter, ctx context.Context, s *store.Store) {
			err := once(ctx, s, "one")
			if err == nil {
				err = once(ctx, s, "two")
			}
			fail(w, err)
		}, "done by halves: [accounts] has changed"},
		"silent": {func(_ http.ResponseWriter, ctx context.Context, s *store.Store) { _ = once(ctx, s, "one") }, "nothing is stored, and the answer is 200"},
		"talkative": {func(w http.ResponseWriter, ctx context.Context, s *store.Store) {
			err := once(ctx, s, "one")
			fail(w, err)
			if e, ok := errors.AsType[*typus.Error](err); ok {
				_, _ = fmt.Fprintln(w, e.Cause)
			}
		}, "the answer shows what the database said"},
		"again and again": {func(w http.ResponseWriter, ctx context.Context, s *store.Store) {
			fail(w, s.InTx(ctx, func(tx *store.Tx) error { return add(ctx, tx, "one") }))
		}, "sent again, [accounts] is not as after one"},
		"never": {func(http.ResponseWriter, context.Context, *store.Store) {}, "changes []"},
	} {
		dsn := storetest.SQLite(t)
		s, faults := faulttest.Inject(storetest.Open(t, dsn))
		h := &heard{TB: t}
		site := faulttest.Site{TB: h, Faults: faults, DSN: dsn, Logged: new(logtest.Log), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c.handle(w, r.Context(), s)
		})}
		site.Play(faulttest.Request{Name: "POST", Make: func() func() *http.Request {
			return func() *http.Request { return httptest.NewRequest("POST", "/", nil) }
		}})
		if said := strings.Join(h.faults, "\n"); !strings.Contains(said, c.found) || (c.found == "") != (said == "") {
			t.Errorf("%s: found %q, want %q", name, said, c.found)
		}
		if all, err := s.Accounts(t.Context()); err != nil || len(all) > 0 {
			t.Errorf("%s leaves %d accounts, %v", name, len(all), err)
		}
	}
}
