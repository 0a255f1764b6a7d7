// Package storetest gives each test fresh databases of both kinds.
package storetest

import (
	"path/filepath"
	"sync/atomic"
	"testing"

	"typus/internal/store"
)

// Run runs a test on both databases, as the subtests sqlite and postgres, each
// with a fresh, migrated database; with -short on SQLite only.
func Run(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, OpenSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, Open(t, Postgres(t))) })
}

// Counted is the same open database, and how many statements were run through it.
func Counted(s *store.Store) (*store.Store, *atomic.Int64) {
	var ran atomic.Int64
	return s.Watched(func(string) error {
		ran.Add(1)
		return nil
	}), &ran
}

// RunEmpty runs a test with the address of an empty database of each kind,
// which nothing has migrated.
func RunEmpty(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "typus.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, EmptyPostgres(t)) })
}
