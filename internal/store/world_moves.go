package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// Move is one way of a test world's clock to a later time.
type Move struct {
	ID      int64
	WorldID int64
	Target  time.Time // as the world's clock shows it
	DoneAt  time.Time // zero: it is under way
}

const (
	moveColumns = `id, account_id, target_at, done_at`
	noMove      = "the test world has made no such move of its clock since it was last reset"
	movesKept   = 24 * time.Hour
)

func scanMove(row db.Row) (Move, error) {
	var m Move
	err := row.Scan(&m.ID, &m.WorldID, (*db.Instant)(&m.Target), (*db.Instant)(&m.DoneAt))
	return m, err
}

// AddMove begins to move the clock of a world, which the caller has locked, by d, and forgets
// the moves of it that were done a day ago. Conflict: another move is under way; the
// transaction is lost.
func (t *Tx) AddMove(ctx context.Context, worldID int64, d time.Duration) (Move, error) {
	now, err := db.Now(ctx, t)
	if err != nil {
		return Move{}, err
	}
	if _, err := t.db.Exec(ctx, `delete from world_moves where account_id = $1 and done_at < $2`, worldID, db.Millis(now.Add(-movesKept))); err != nil {
		return Move{}, err
	}
	return db.One(ctx, t, scanMove, noWorld, `
		insert into world_moves (account_id, target_at, begun_at) values ($1, (select ahead from accounts where id = $2) + $3, $4) returning `+moveColumns,
		worldID, worldID, db.Millis(now.Add(d)), db.Millis(now))
}

// Moving finds the move of a world that is under way.
func (r *reads) Moving(ctx context.Context, worldID int64) (Move, bool, error) {
	return db.Maybe(ctx, r, scanMove, `select `+moveColumns+` from world_moves where account_id = $1 and done_at is null`, worldID)
}

// Move reads a move. NotFound.
func (r *reads) Move(ctx context.Context, worldID, id int64) (Move, error) {
	return db.One(ctx, r, scanMove, noMove, `select `+moveColumns+` from world_moves where account_id = $1 and id = $2`, worldID, id)
}

// FreeMoves are the moves of all worlds that are under way and in nobody's hands. A lease that
// ends further ahead than a lease can was written by a wrong clock.
func (s *Store) FreeMoves(ctx context.Context, lease time.Duration) ([]Move, error) {
	now, err := db.Now(ctx, s)
	if err != nil {
		return nil, err
	}
	return db.All(ctx, s, scanMove, `
		select `+moveColumns+` from world_moves where done_at is null and (lease_until < $1 or lease_until > $2) and not `+ofIdle(`account_id`)+` order by account_id`,
		db.Millis(now), db.Millis(now.Add(lease)))
}

// HoldMove takes a move, or keeps it, for the length of the lease. False: another owner has
// it, it is done, or the world is suspended.
func (s *Store) HoldMove(ctx context.Context, m Move, owner string, lease time.Duration) (bool, error) {
	held := false
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		held, err = tx.holdMove(ctx, m, owner, lease, now)
		return err
	})
	return held && err == nil, err
}

func (t *Tx) holdMove(ctx context.Context, m Move, owner string, lease time.Duration, now time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `
		update world_moves set lease_owner = $1, lease_until = $2
		where account_id = $3 and id = $4 and done_at is null and (lease_owner = $5 or lease_until < $6 or lease_until > $7)
			and not `+ofIdle(`account_id`),
		owner, db.Millis(now.Add(lease)), m.WorldID, m.ID, owner, db.Millis(now), db.Millis(now.Add(lease)))
	return n == 1, err
}

// FreeMove lets go of a move that is not done.
func (s *Store) FreeMove(ctx context.Context, m Move, owner string) error {
	return s.InTx(ctx, func(tx *Tx) error {
		_, err := tx.db.Exec(ctx, `update world_moves set lease_owner = '', lease_until = 0 where account_id = $1 and id = $2 and lease_owner = $3`, m.WorldID, m.ID, owner)
		return err
	})
}

// Progress is what became of a move.
type Progress int

// What becomes of a move.
const (
	MoveLost  Progress = iota // another owner has the move
	MoveOn                    // the clock was moved to the next stop
	MoveThere                 // the clock shows the target, and the move is done
)

// GoOn moves the clock of a world to the next stop of a move that owner has taken, or ends the
// move if the clock showed its target at since, by which the caller has done what was due. A
// stop is the first full minute at or after something falls due, or the target if that comes
// first.
func (s *Store) GoOn(ctx context.Context, m Move, owner string, lease time.Duration, since time.Time) (Progress, error) {
	progress := MoveLost
	err := s.InTx(ctx, func(tx *Tx) error {
		progress = MoveLost
		if err := tx.LockInviting(ctx, m.WorldID); err != nil { // or somebody is invited between two statements
			return err
		}
		if err := tx.standStill(ctx, m.WorldID); err != nil {
			return err
		}
		now, err := db.Now(ctx, tx) // after all waits
		if err != nil {
			return err
		}
		now = time.UnixMilli(db.Millis(now)) // as it is stored, so that nothing is a fraction too early
		held, err := tx.holdMove(ctx, m, owner, lease, now)
		if err != nil || !held {
			return err
		}
		progress, err = tx.goOn(ctx, m, now, since)
		return err
	})
	return progress, err
}

// standStill locks what is in a test world before its clock is moved: what falls due next is
// written by whoever holds one of these, and would be passed over if it came between the look
// and the move. In the order in which everybody locks them: an erasure begins with imports,
// closing a position goes on to its candidates, the end of a test to webhooks. The caller has
// taken LockInviting.
func (t *Tx) standStill(ctx context.Context, worldID int64) error {
	for _, rows := range []string{rowsOf("imports"), rowsOf("positions"), rowsOf("candidates"), rowsOf("webhook_endpoints")} {
		if err := t.db.Lock(ctx, rows, worldID); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf selects the rows of a table that are a world's ($1), in the order in which they are
// locked.
func rowsOf(table string) string {
	return `select id from ` + table + ` where account_id = $1 order by id`
}

func (t *Tx) goOn(ctx context.Context, m Move, now, since time.Time) (Progress, error) {
	world, err := t.Account(ctx, m.WorldID)
	if err != nil {
		return MoveLost, err
	}
	if !m.Target.After(world.WorldTime(since)) {
		return MoveThere, t.db.Must(ctx, noMove, `
			update world_moves set done_at = $1, lease_owner = '', lease_until = 0 where account_id = $2 and id = $3`, db.Millis(now), m.WorldID, m.ID)
	}
	left := max(0, m.Target.Sub(world.WorldTime(now))) // 0: time itself has come to it, and what is due by now is to be done
	next, err := t.NextDue(ctx, m.WorldID, since)
	if err != nil {
		return MoveLost, err
	}
	if !next.IsZero() {
		left = min(left, max(0, fullMinute(world.WorldTime(next)).Sub(world.WorldTime(now))))
	}
	if left == 0 {
		return MoveOn, nil
	}
	return MoveOn, t.MoveWorld(ctx, m.WorldID, left)
}

// fullMinute is the first full minute at or after a time.
func fullMinute(at time.Time) time.Time {
	down := at.Truncate(time.Minute)
	if down.Before(at) {
		return down.Add(time.Minute)
	}
	return down
}
