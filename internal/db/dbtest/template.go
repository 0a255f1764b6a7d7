// Package dbtest gives each test fresh databases of both kinds.
package dbtest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Template is a migrated, empty database of each kind, made once per process: most of
// a test's time would otherwise go into the migrations. There is one in a process.
type Template struct {
	sqlite   func() ([]byte, error)
	postgres func() (string, error)
}

// NewTemplate is the template that migrate makes of the empty database at an address.
func NewTemplate(migrate func(dsn string) error) *Template {
	return &Template{
		sqlite: sync.OnceValues(func() ([]byte, error) { return migratedFile(migrate) }),
		postgres: sync.OnceValues(func() (string, error) {
			s, err := theServer()
			if err != nil {
				return "", err
			}
			return s.migrated(migrate)
		}),
	}
}

func migratedFile(migrate func(dsn string) error) ([]byte, error) {
	dir, err := os.MkdirTemp("", "typus-template-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "typus.db")
	if err := migrate(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path) //nolint:gosec // just written
}

// SQLite returns the path of a fresh, migrated SQLite database that goes with
// the test.
func (m *Template) SQLite(t testing.TB) string {
	t.Helper()
	db, err := m.sqlite()
	if err != nil {
		t.Fatalf("migrate SQLite: %v", err)
	}
	dir, err := os.MkdirTemp(place(), "typus-sqlite-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(dir, "typus.db")
	if err := os.WriteFile(path, db, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Postgres returns the address of a fresh, migrated PostgreSQL database that
// goes with the test. Without PostgreSQL the test fails; with -short it is skipped.
func (m *Template) Postgres(t testing.TB) string {
	t.Helper()
	s := serverFor(t)
	from, err := m.postgres()
	if err != nil {
		t.Fatalf("migrate PostgreSQL: %v", err)
	}
	return s.fresh(t, from)
}

// Run runs a test on both databases, as the subtests sqlite and postgres, with the
// address of a fresh, migrated one.
func (m *Template) Run(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, m.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, m.Postgres(t)) })
}

// RunEmpty runs a test with the address of an empty database of each kind,
// which nothing has migrated.
func RunEmpty(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "typus.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, EmptyPostgres(t)) })
}
