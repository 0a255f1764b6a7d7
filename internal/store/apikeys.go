package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	keyColumns = `id, account_id, name, hash, created_by, created_at, last_used_at, expires_at, revoked_at,
		scope, coalesce(position_id, 0), coalesce((select p.standard from positions p where p.id = position_id), 0),
		(select case when a.parent_id is null then 0 else 1 end from accounts a where a.id = account_id),
		coalesce((select a.host from accounts a where a.id = account_id), ''), (select a.suspended_at from accounts a where a.id = account_id)`
	noKey = "there is no such API key"
)

func scanKey(row db.Row) (typus.APIKey, error) {
	var k typus.APIKey
	err := row.Scan(&k.ID, &k.AccountID, &k.Name, &k.Hash, &k.CreatedBy, (*db.Instant)(&k.CreatedAt),
		(*db.Instant)(&k.LastUsedAt), (*db.Instant)(&k.ExpiresAt), (*db.Instant)(&k.RevokedAt), &k.Scope, &k.PositionID, (*db.Truth)(&k.AtStandard), (*db.Truth)(&k.Test), &k.Host, (*db.Instant)(&k.SuspendedAt))
	return k, err
}

// AddAPIKey adds a key; its position is one of the account's. Conflict: a key with this hash
// is there already.
func (t *Tx) AddAPIKey(ctx context.Context, k typus.APIKey) (int64, error) {
	return db.One(ctx, t, db.ScanInt, "", `
		insert into api_keys (account_id, name, hash, created_by, created_at, expires_at, scope, position_id)
		values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
		k.AccountID, k.Name, k.Hash, k.CreatedBy, db.Millis(k.CreatedAt), db.MillisOrNull(k.ExpiresAt), string(k.Scope), db.IDOrNull(k.PositionID))
}

// APIKeys lists the keys of an account by id, revoked and expired ones too.
func (r *reads) APIKeys(ctx context.Context, accountID int64) ([]typus.APIKey, error) {
	return db.All(ctx, r, scanKey, `select `+keyColumns+` from api_keys where account_id = $1 order by id`, accountID)
}

// APIKeyByHash finds a key, live or not, by the hex SHA-256 of the whole key;
// the account is what the caller learns from it. NotFound.
func (r *reads) APIKeyByHash(ctx context.Context, hash string) (typus.APIKey, error) {
	return db.One(ctx, r, scanKey, noKey, `select `+keyColumns+` from api_keys where hash = $1`, hash)
}

// APIKey reads a key, revoked and expired ones too. NotFound.
func (r *reads) APIKey(ctx context.Context, accountID, id int64) (typus.APIKey, error) {
	return db.One(ctx, r, scanKey, noKey, `select `+keyColumns+` from api_keys where account_id = $1 and id = $2`, accountID, id)
}

// RevokeAPIKey revokes a key and reports whether this call did so. A key that is
// revoked already keeps its time. It also reports false for an unknown key.
func (t *Tx) RevokeAPIKey(ctx context.Context, accountID, id int64, at time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `update api_keys set revoked_at = $1 where account_id = $2 and id = $3 and revoked_at is null`,
		db.Millis(at), accountID, id)
	return n == 1, err
}

// TouchAPIKey notes the use of a key, to the minute, so that a busy key is
// written once a minute. An unknown key is no error.
func (t *Tx) TouchAPIKey(ctx context.Context, accountID, id int64, at time.Time) error {
	minute := db.Millis(at.Truncate(time.Minute))
	_, err := t.db.Exec(ctx, `
		update api_keys set last_used_at = $1
		where account_id = $2 and id = $3 and (last_used_at is null or last_used_at < $4)`,
		minute, accountID, id, minute)
	return err
}
