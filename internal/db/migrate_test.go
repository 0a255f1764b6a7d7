package db_test

import (
	"database/sql"
	"strings"
	"sync/atomic"
	"testing"

	"typus"
	"typus/internal/db"
	"typus/internal/db/dbtest"
)

func TestADatabaseIsMigratedOnce(t *testing.T) {
	dbtest.RunEmpty(t, func(t *testing.T, dsn string) {
		var applied, servers atomic.Int64
		dbtest.AtOnce(4, func(int) {
			s, err := db.Open(t.Context(), dsn, schema)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			names, err := s.Migrate(t.Context())
			if err != nil {
				t.Error(err)
			}
			if applied.Add(int64(len(names))); len(names) > 0 {
				servers.Add(1)
			}
		})
		want := int64(2)
		if strings.HasPrefix(dsn, "postgres://") {
			want = 3 // one is for it alone
		}
		if applied.Load() != want || servers.Load() != 1 {
			t.Errorf("%d migrations applied by %d of four servers, want %d by one", applied.Load(), servers.Load(), want)
		}
		s := open(t, dsn)
		if names, err := s.Migrate(t.Context()); len(names) != 0 || err != nil {
			t.Errorf("migrated again: %q, %v", names, err)
		}
		newAccount(t, s)
	})
}

// A migration may take longer than anybody waits for a lock otherwise: a second
// server that starts meanwhile waits for its end.
func TestAServerWaitsForTheMigrationOfAnother(t *testing.T) {
	dsn := dbtest.EmptyPostgres(t)
	other := must[*sql.DB](t)(sql.Open("pgx", dsn))
	defer other.Close()
	tx := must[*sql.Tx](t)(other.BeginTx(t.Context(), nil))
	defer func() { _ = tx.Rollback() }()
	exec := func(query string) {
		if _, err := tx.ExecContext(t.Context(), query); err != nil {
			t.Error(err)
		}
	}
	exec(`select pg_advisory_xact_lock(8437209561)`)
	migrated := make(chan error)
	go func() {
		s, err := db.Open(t.Context(), dsn, schema)
		if err == nil {
			_, err = s.Migrate(t.Context())
			_ = s.Close()
		}
		migrated <- err
	}()
	exec(`select pg_sleep(6)`) // lock_timeout is 5 s
	select {
	case err := <-migrated:
		t.Fatalf("the second server did not wait: %v", err)
	default:
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	if err := <-migrated; err != nil {
		t.Error(err)
	}
}

func TestAnOlderSchemaAsksForMigration(t *testing.T) {
	dbtest.RunEmpty(t, func(t *testing.T, dsn string) {
		s := open(t, dsn)
		if fresh := must[bool](t)(s.Fresh(t.Context())); !fresh {
			t.Error("an empty database is not fresh")
		}
		err := s.CheckSchema(t.Context())
		hasKind(t, "an empty database", err, typus.Conflict)
		if !strings.Contains(err.Error(), "typus migrate") {
			t.Errorf("no remedy in %q", err)
		}
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.CheckSchema(t.Context()); err != nil {
			t.Errorf("after migration: %v", err)
		}
		if fresh := must[bool](t)(s.Fresh(t.Context())); fresh {
			t.Error("a migrated database is fresh")
		}
	})
}

func TestANewerSchemaIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, s *db.DB) {
		write(t, s, func(tx *db.Tx) error {
			return exec(t.Context(), tx, `insert into schema_migrations (name, applied_at) values ('9999_future.sql', 0)`)
		})
		_, err := s.Migrate(t.Context())
		hasKind(t, "migrating a newer schema", err, typus.Conflict)
		hasKind(t, "checking a newer schema", s.CheckSchema(t.Context()), typus.Conflict)
	})
}
