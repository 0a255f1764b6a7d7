package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// Tombstone says that a candidate was erased, and nothing about who it was.
type Tombstone struct {
	ID        int64
	CreatedAt time.Time
	ErasedAt  time.Time
}

// Tombstones lists the erased candidates of live accounts in the order in which they were
// erased: up to limit of them, after a place, which is the time and the id of one.
func (r reads) Tombstones(ctx context.Context, after Cursor, limit int) ([]Tombstone, error) {
	return db.All(ctx, r, func(row db.Row) (Tombstone, error) {
		var t Tombstone
		err := row.Scan(&t.ID, (*db.Instant)(&t.CreatedAt), (*db.Instant)(&t.ErasedAt))
		return t, err
	}, `
		select c.id, c.created_at, c.erased_at from candidates c
		where c.erased_at >= $1 and (c.erased_at > $1 or c.id > $2) and c.erased_at is not null
			and (select a.parent_id from accounts a where a.id = c.account_id) is null
		order by c.erased_at, c.id limit $3`, db.Millis(after.At), after.ID, limit)
}

// StillThere is the account of a candidate who was erased according to a tombstone, and is
// there all the same. False: there is nobody of this id and time, or they are erased.
func (r reads) StillThere(ctx context.Context, t Tombstone) (int64, bool, error) {
	return db.Maybe(ctx, r, db.ScanInt, `
		select account_id from candidates where id = $1 and created_at = $2 and erased_at is null`, t.ID, db.Millis(t.CreatedAt))
}

// MoveCandidateIDs has new candidates get ids above least, and above all that there were, by
// so many more. It returns the last id that nobody gets.
func (t *Tx) MoveCandidateIDs(ctx context.Context, least, by int64) (int64, error) {
	return t.db.MoveKeys(ctx, "candidates", least, by)
}

// MovePositionIDs has new positions get ids above all that there were, by so many more.
func (t *Tx) MovePositionIDs(ctx context.Context, by int64) error {
	_, err := t.db.MoveKeys(ctx, "positions", 0, by)
	return err
}

// MoveLetterIDs does the same for letters.
func (t *Tx) MoveLetterIDs(ctx context.Context, by int64) error {
	_, err := t.db.MoveKeys(ctx, "letters", 0, by)
	return err
}

// EndSessions ends all logins of all accounts, and returns how many.
func (t *Tx) EndSessions(ctx context.Context) (int, error) {
	return t.db.Exec(ctx, `delete from sessions`)
}

// Volume is how much a database holds, for its operator.
type Volume struct {
	Accounts   int `json:"accounts"`   // test worlds not counted
	Candidates int `json:"candidates"` // with the erased ones, and those of test worlds
	Results    int `json:"results"`
}

// CountVolume counts what the database holds. It reads indexes from end to end.
func (r reads) CountVolume(ctx context.Context) (Volume, error) {
	return db.One(ctx, r, func(row db.Row) (Volume, error) {
		var v Volume
		err := row.Scan(&v.Accounts, &v.Candidates, &v.Results)
		return v, err
	}, "", `
		select (select count(*) from accounts where parent_id is null), (select count(*) from candidates), (select count(*) from results)`)
}
