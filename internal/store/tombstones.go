package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// Tombstone says that a candidate was erased, or an account deleted, and nothing about who it
// was.
type Tombstone struct {
	Account   bool // of an account; else of a candidate
	ID        int64
	CreatedAt time.Time
	ErasedAt  time.Time
}

// Tombstones lists the erased candidates of live accounts and the deleted accounts in the order
// in which they were erased: up to limit of them, after a place, which is the time and the id
// of one.
func (r *reads) Tombstones(ctx context.Context, after Cursor, limit int) ([]Tombstone, error) {
	return db.All(ctx, r, func(row db.Row) (Tombstone, error) {
		var t Tombstone
		err := row.Scan(&t.ID, (*db.Instant)(&t.CreatedAt), (*db.Instant)(&t.ErasedAt), (*db.Truth)(&t.Account))
		return t, err
	}, `
		select c.id, c.created_at, c.erased_at as gone_at, 0 from candidates c
		where c.erased_at >= $1 and (c.erased_at > $1 or c.id > $2) and c.erased_at is not null
			and (select a.parent_id from accounts a where a.id = c.account_id) is null
		union all
		select t.id, t.created_at, t.erased_at, 0 from tombstones t where t.erased_at >= $1 and (t.erased_at > $1 or t.id > $2)
		union all
		select d.account_id, d.created_at, d.begun_at, 1 from account_deletions d where d.begun_at >= $1 and (d.begun_at > $1 or d.account_id > $2)
		order by gone_at, id limit $3`, db.Millis(after.At), after.ID, limit)
}

// StillThere is the account of a candidate who was erased according to a tombstone, and is
// there all the same. False: there is nobody of this id and time, or they are erased.
func (r *reads) StillThere(ctx context.Context, t Tombstone) (int64, bool, error) {
	return db.Maybe(ctx, r, db.ScanInt, `
		select account_id from candidates where id = $1 and created_at = $2 and erased_at is null`, t.ID, db.Millis(t.CreatedAt))
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
func (r *reads) CountVolume(ctx context.Context) (Volume, error) {
	return db.One(ctx, r, func(row db.Row) (Volume, error) {
		var v Volume
		err := row.Scan(&v.Accounts, &v.Candidates, &v.Results)
		return v, err
	}, "", `
		select (select count(*) from accounts where parent_id is null), (select count(*) from candidates), (select count(*) from results)`)
}
