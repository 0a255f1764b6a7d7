package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"typus/internal/store"
)

// template is a migrated, empty SQLite database, made once per process: most of
// a test's time would otherwise go into the migrations.
var template = sync.OnceValues(func() ([]byte, error) {
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
})

// migrate makes an empty database at the given address ready.
func migrate(dsn string) error {
	s, err := store.Open(context.Background(), dsn)
	if err != nil {
		return err
	}
	_, err = s.Migrate(context.Background())
	if err2 := s.Close(); err == nil {
		err = err2
	}
	return err
}

// SQLite returns the path of a fresh, migrated SQLite database that goes with
// the test.
func SQLite(t testing.TB) string {
	t.Helper()
	db, err := template()
	if err != nil {
		t.Fatalf("migrate SQLite: %v", err)
	}
	path := filepath.Join(t.TempDir(), "typus.db")
	if err := os.WriteFile(path, db, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
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
