package db_test

import (
	"testing"
	"time"

	"typus/internal/db"
)

// Whoever awaits a number outlasts the bound of all locks, which holds again afterwards; others
// hear that they have waited in vain.
func TestWhoAwaitsANumberOutlastsTheBoundOfLocks(t *testing.T) {
	d := open(t, template.Postgres(t))
	const number = 7
	bound := ""
	briefly := func(lock func(tx *db.Tx) error) error {
		return d.InTx(t.Context(), func(tx *db.Tx) error {
			if err := exec(t.Context(), tx, `set local lock_timeout = '1ms'`); err != nil {
				return err
			}
			return lock(tx)
		})
	}
	done := make(chan error, 1)
	write(t, d, func(tx *db.Tx) error {
		if err := tx.LockNumber(t.Context(), number); err != nil {
			return err
		}
		if err := briefly(func(tx *db.Tx) error { return tx.LockNumber(t.Context(), number) }); !db.WaitedInVain(err) {
			t.Errorf("who does not await it: %v", err)
		}
		go func() {
			done <- briefly(func(tx *db.Tx) error {
				if err := tx.AwaitNumber(t.Context(), number); err != nil {
					return err
				}
				var err error
				bound, err = db.One(t.Context(), tx, db.ScanText, "", `select current_setting('lock_timeout')`)
				return err
			})
		}()
		for {
			waits, err := db.One(t.Context(), tx, db.ScanInt, "", `
				select count(*) from pg_locks where locktype = 'advisory' and not granted
					and database = (select oid from pg_database where datname = current_database())`)
			if err != nil || waits > 0 || len(done) > 0 {
				time.Sleep(20 * time.Millisecond) // who waits as briefly as others has given up by then
				return err
			}
		}
	})
	if err := <-done; err != nil || bound != "5s" {
		t.Errorf("%v, and locks are waited for as long as %q", err, bound)
	}
}
