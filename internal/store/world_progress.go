package store

import (
	"context"
	"strconv"
	"time"

	"typus/internal/db"
)

// Integration is how far somebody has come who connects a system with an account by way of
// its test world.
type Integration struct {
	Key        bool      // the world has a key that is not revoked
	Invited    bool      // somebody was invited there
	Delivered  bool      // a webhook of the world has received a result
	ReadBackAt time.Time // when a key of the world first read a result, by the machine's clock; zero: not yet
	LiveUsedAt time.Time // when a key of the account itself was last used, to the minute; zero: never
}

// Integration reads how far somebody has come with an account and its test world. It is one
// statement.
func (r *reads) Integration(ctx context.Context, worldID, accountID int64) (Integration, error) {
	return db.One(ctx, r, func(row db.Row) (Integration, error) {
		var (
			in   Integration
			read []byte
		)
		err := row.Scan((*db.Truth)(&in.Key), (*db.Truth)(&in.Invited), (*db.Truth)(&in.Delivered), &read, (*db.Instant)(&in.LiveUsedAt))
		if at, broken := strconv.ParseInt(string(read), 10, 64); broken == nil {
			in.ReadBackAt = time.UnixMilli(at).UTC()
		}
		return in, err
	}, "", `
		select
			case when exists (select 1 from api_keys where account_id = $1 and revoked_at is null) then 1 else 0 end,
			case when exists (select 1 from candidates where account_id = $1) then 1 else 0 end,
			case when exists (select 1 from webhook_deliveries where account_id = $1 and state = 'delivered' and kind <> 'test') then 1 else 0 end,
			(select value from server_marks where name = $2),
			(select max(last_used_at) from api_keys where account_id = $3)`,
		worldID, readBack(worldID), accountID)
}

// readBack names the mark that says when a key of a test world first read a result.
func readBack(worldID int64) string { return "read back " + strconv.FormatInt(worldID, 10) }

// ReadBack notes that a key of a test world has read a result; what counts is the first time.
func (s *Store) ReadBack(ctx context.Context, worldID int64, at time.Time) error {
	known, err := s.Mark(ctx, readBack(worldID))
	if err != nil || known != nil {
		return err
	}
	return s.InTx(ctx, func(tx *Tx) error {
		_, err := tx.SetMark(ctx, readBack(worldID), []byte(strconv.FormatInt(db.Millis(at), 10)))
		return err
	})
}
