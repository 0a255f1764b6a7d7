package store_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// end is how long a request may take whose database is frozen.
const end = 15 * time.Second

// A server that is frozen acknowledges what it is sent and never answers: neither
// the network nor its own time-outs end anything.
func TestNobodyWaitsForAFrozenServerWithoutAnEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("PostgreSQL: not with -short")
	}
	server, err := dbtest.StartPostgres()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	s := storetest.Open(t, server.URL)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	account := newAccount(t, s)
	refused := errors.New("refused")
	frozen := make(chan struct{})
	var ready, all sync.WaitGroup
	// inside is a transaction that meets the frost after its first statement.
	inside := func(name string, then func(tx *store.Tx) error) func() error {
		ready.Add(1)
		return func() error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				err := addNamed(t.Context(), tx, name)
				ready.Done()
				<-frozen
				if err != nil {
					return err
				}
				return then(tx)
			})
		}
	}
	after := func(do func() error) func() error {
		return func() error {
			<-frozen
			return do()
		}
	}
	kinds := map[string]typus.Kind{"commit": typus.OutcomeUnknown, "rollback": typus.Internal}
	for name, do := range map[string]func() error{
		"statement": inside("statement", func(tx *store.Tx) error { return addNamed(t.Context(), tx, "statement2") }),
		"commit":    inside("commit", func(*store.Tx) error { return nil }),
		"rollback":  inside("rollback", func(*store.Tx) error { return refused }),
		"read":      after(func() error { _, err := s.Account(t.Context(), account); return err }),
		"write": after(func() error {
			return s.InTx(t.Context(), func(tx *store.Tx) error { return addNamed(t.Context(), tx, "new") })
		}),
		"ping":  after(func() error { return s.Ping(t.Context()) }),
		"sweep": after(func() error { _, err := s.SweepLetters(t.Context(), reach); return err }),
		"chore": after(func() error {
			_, _, err := s.ClaimChore(t.Context(), "digest", "me", time.Hour, time.Minute)
			return err
		}),
		"rate": after(func() error { _, err := s.TakeRequest(t.Context(), 1, 100, time.Minute); return err }),
		"many": after(func() error { // more than there are connections
			var some sync.WaitGroup
			for range 40 {
				some.Go(func() { _, _ = s.Account(t.Context(), account) })
			}
			some.Wait()
			return s.Ping(t.Context())
		}),
	} {
		all.Go(func() {
			err := do()
			want, ok := kinds[name]
			if !ok {
				want = typus.Unavailable
			}
			hasKind(t, name, err, want)
		})
	}
	ready.Wait()
	server.Freeze(t)
	began := time.Now()
	close(frozen)
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	select {
	case <-ended:
		t.Logf("all ended after %s", time.Since(began))
	case <-time.After(2 * end):
		t.Errorf("some wait after %s still", 2*end)
	}
	server.Thaw(t)
	<-ended
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for s.InTx(ctx, func(tx *store.Tx) error { return addNamed(ctx, tx, "afterwards") }) != nil {
		if ctx.Err() != nil {
			t.Fatal("nothing can be written after the frost")
		}
	}
	got := names(t, s)
	for _, gone := range []string{"statement", "rollback", "new"} {
		if strings.Contains(got, gone) {
			t.Errorf("%s was stored although it failed: %s", gone, got)
		}
	}
}
