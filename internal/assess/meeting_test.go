package assess_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"typus/internal/assess"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
)

// runAt is run with the address of the database.
func runAt(t *testing.T, test func(w *world, dsn string)) {
	t.Run("sqlite", func(t *testing.T) {
		dsn := storetest.SQLite(t)
		test(newWorld(t, storetest.Open(t, dsn)), dsn)
	})
	t.Run("postgres", func(t *testing.T) {
		dsn := storetest.Postgres(t)
		test(newWorld(t, storetest.Open(t, dsn)), dsn)
	})
}

// raw is a connection past the store.
func (w *world) raw(dsn string) *sql.DB {
	w.Helper()
	driver := "sqlite"
	if strings.HasPrefix(dsn, "postgres") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = db.Close() })
	return db
}

// exec runs a statement past the store.
func exec(w *world, db *sql.DB, query string, args ...any) {
	w.Helper()
	if _, err := db.ExecContext(w.Ctx, query, args...); err != nil {
		w.Fatalf("%s: %v", query, err)
	}
}

// withClock are the steps of the same world that do something first whenever they ask
// for the time.
func (w *world) withClock(first func()) *assess.Steps {
	w.Helper()
	return w.AssessWith(func(o *assess.Options) {
		o.Clock = func() time.Time {
			first()
			return w.Now()
		}
	})
}

// meets takes a step while a transaction that has done something is not committed: it
// is once the step waits for it or has ended. On SQLite, where one writes after the
// other, the step comes second. It returns the error of the step.
func (w *world) meets(dsn string, transaction func(tx *store.Tx) error, step func() error) error {
	w.Helper()
	did, commit, committed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		committed <- w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			err := transaction(tx)
			close(did)
			<-commit
			return err
		})
	}()
	<-did
	stepped := make(chan error, 1)
	go func() { stepped <- step() }()
	var err error
	ended := false
	if w.Store.Dialect() == "postgres" {
		db := w.raw(dsn)
		waittest.Until(w, "the step waits or ends", func() bool {
			select {
			case err = <-stepped:
				ended = true
			default:
			}
			return ended || w.blocked(db) > 0
		})
	}
	close(commit)
	if first := <-committed; first != nil {
		w.Errorf("the transaction that came first: %v", first)
	}
	if !ended {
		err = <-stepped
	}
	return err
}

// blocked counts the transactions of a PostgreSQL database that wait for a lock.
func (w *world) blocked(db *sql.DB) (n int) {
	w.Helper()
	err := db.QueryRowContext(w.Ctx, `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).Scan(&n)
	if err != nil {
		w.Fatal(err)
	}
	return n
}
