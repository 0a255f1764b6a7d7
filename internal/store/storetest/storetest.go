// Package storetest gives each test a store on fresh databases of both kinds.
package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"typus/internal/db/dbtest"
	"typus/internal/store"
)

var template = dbtest.NewTemplate(func(dsn string) error {
	s, err := store.Open(context.Background(), dsn)
	if err != nil {
		return err
	}
	_, err = s.Migrate(context.Background())
	return errors.Join(err, s.Close())
})

// SQLite returns the path of a fresh, migrated SQLite database that goes with
// the test.
func SQLite(t testing.TB) string {
	t.Helper()
	return template.SQLite(t)
}

// Postgres returns the address of a fresh, migrated PostgreSQL database that
// goes with the test. Without PostgreSQL the test fails; with -short it is skipped.
func Postgres(t testing.TB) string {
	t.Helper()
	return template.Postgres(t)
}

// Run runs a test on both databases, as the subtests sqlite and postgres, each
// with a fresh, migrated database; with -short on SQLite only.
func Run(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	template.Run(t, func(t *testing.T, dsn string) { test(t, Open(t, dsn)) })
}

// OpenSQLite opens a fresh, migrated SQLite database that goes with the test.
func OpenSQLite(t testing.TB) *store.Store {
	t.Helper()
	return Open(t, SQLite(t))
}

// Open opens a database and closes it with the test.
func Open(t testing.TB, dsn string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// Counted is the same open database, and how many statements were run through it.
func Counted(s *store.Store) (*store.Store, *atomic.Int64) {
	var ran atomic.Int64
	return s.Watched(func(string) error {
		ran.Add(1)
		return nil
	}), &ran
}
