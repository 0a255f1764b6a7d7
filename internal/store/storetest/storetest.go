// Package storetest gives each test fresh databases of both kinds.
package storetest

import (
	"testing"

	"typus/internal/store"
)

// Run runs a test on both databases, as the subtests sqlite and postgres, each
// with a fresh, migrated database.
func Run(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, OpenSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, Open(t, Postgres(t))) })
}
