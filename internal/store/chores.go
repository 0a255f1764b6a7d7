package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// chore is a row of chores.
type chore struct{ next, lease time.Time }

func scanChore(row db.Row) (chore, error) {
	var c chore
	err := row.Scan((*db.Instant)(&c.next), (*db.Instant)(&c.lease))
	return c, err
}

// wait is how long it takes until somebody may take the chore's turn, 0 if somebody may
// now. A time further ahead than a turn or a lease can reach was written by a wrong
// clock and counts as past.
func (c chore) wait(now time.Time, every, lease time.Duration) time.Duration {
	ahead := func(at time.Time, most time.Duration) time.Duration {
		if d := at.Sub(now); d > 0 && d <= most {
			return d
		}
		return 0
	}
	return max(ahead(c.next, every), ahead(c.lease, lease))
}

const choreQuery = `select next_at, lease_until from chores where name = $1`

// ClaimChore takes the turn of a chore for the length of the lease, if the turn is due
// and nobody else has it. Otherwise it returns how long to wait before asking again.
// every is the time between two turns.
func (s *Store) ClaimChore(ctx context.Context, name, owner string, every, lease time.Duration) (bool, time.Duration, error) {
	// Most calls find that it is not time yet, and those should not write.
	now, err := db.Now(ctx, s)
	if err != nil {
		return false, 0, err
	}
	seen, _, err := db.Maybe(ctx, s, scanChore, choreQuery, name)
	if wait := seen.wait(now, every, lease); err != nil || wait > 0 {
		return false, wait, err
	}
	var wait time.Duration
	err = s.InTx(ctx, func(tx *Tx) error {
		_, err := tx.db.Exec(ctx, `insert into chores (name) values ($1) on conflict (name) do nothing`, name)
		if err != nil {
			return err
		}
		c, err := db.One(ctx, tx, scanChore, "the chore is gone", choreQuery+tx.db.LockRows(), name)
		if err != nil {
			return err
		}
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if wait = c.wait(now, every, lease); wait > 0 {
			return nil
		}
		return tx.db.Must(ctx, "the chore is gone", `update chores set lease_owner = $1, lease_until = $2 where name = $3`,
			owner, db.Millis(now.Add(lease)), name)
	})
	return err == nil && wait == 0, wait, err
}

// KeepChore makes the lease of a turn last from now on. False: somebody else has
// the turn by now.
func (s *Store) KeepChore(ctx context.Context, name, owner string, lease time.Duration) (bool, error) {
	var changed int
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		changed, err = tx.db.Exec(ctx, `update chores set lease_until = $1 where name = $2 and lease_owner = $3`, db.Millis(now.Add(lease)), name, owner)
		return err
	})
	return changed == 1 && err == nil, err
}

// FinishChore ends the turn that owner has, done or not; the next is due after the given
// time. False: somebody else has the turn by now, and keeps it.
func (s *Store) FinishChore(ctx context.Context, name, owner string, next time.Duration, done bool) (bool, error) {
	var changed int
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		ended := time.Time{}
		if done {
			ended = now
		}
		changed, err = tx.db.Exec(ctx, `
			update chores set next_at = $1, done_at = coalesce(cast($2 as bigint), done_at), lease_owner = '', lease_until = 0
			where name = $3 and lease_owner = $4`,
			db.Millis(now.Add(next)), db.MillisOrNull(ended), name, owner)
		return err
	})
	return changed == 1 && err == nil, err
}
