package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	publicLinkColumns = `l.id, l.account_id, l.position_id, l.token_hash, l.token_sealed, l.most, l.confirmed, l.ends_at, l.created_at, l.revoked_at`
	noPublicLink      = "there is no such public link"
)

func scanPublicLink(row db.Row) (typus.PublicLink, error) {
	var l typus.PublicLink
	err := row.Scan(&l.ID, &l.AccountID, &l.PositionID, &l.TokenHash, &l.SealedToken, &l.Most, &l.Confirmed,
		(*db.Instant)(&l.EndsAt), (*db.Instant)(&l.CreatedAt), (*db.Instant)(&l.RevokedAt))
	return l, err
}

// PublicLinkByToken finds a public link by the hex SHA-256 of its token, also one that was
// revoked. It takes no account, because the token tells which one it is. NotFound.
func (r *reads) PublicLinkByToken(ctx context.Context, tokenHash string) (typus.PublicLink, error) {
	return db.One(ctx, r, scanPublicLink, noPublicLink, `select `+publicLinkColumns+` from public_links l where l.token_hash = $1`, tokenHash)
}

// PublicLinkOf is the link of a position that was not revoked; the zero one for none. The
// caller knows that the position may be read.
func (r *reads) PublicLinkOf(ctx context.Context, accountID, positionID int64) (typus.PublicLink, error) {
	l, _, err := db.Maybe(ctx, r, scanPublicLink, `
		select `+publicLinkColumns+` from public_links l where l.position_id = $1 and l.account_id = $2 and l.revoked_at is null`, positionID, accountID)
	return l, err
}

// LockPublicLink reads a public link and locks it until the transaction ends, so that those
// who confirm their addresses wait for each other. Its position is locked or shared before.
// NotFound.
func (t *Tx) LockPublicLink(ctx context.Context, accountID, id int64) (typus.PublicLink, error) {
	return db.One(ctx, t, scanPublicLink, noPublicLink,
		`select `+publicLinkColumns+` from public_links l where l.account_id = $1 and l.id = $2`+t.db.LockRows(), accountID, id)
}

// AddPublicLink adds a link to a position, which the caller has locked, and returns its id.
// Conflict: there is one already that was not revoked.
func (t *Tx) AddPublicLink(ctx context.Context, l typus.PublicLink) (int64, error) {
	return db.One(ctx, t, db.ScanInt, noPublicLink, `
		insert into public_links (account_id, position_id, token_hash, token_sealed, most, confirmed, ends_at, created_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
		l.AccountID, l.PositionID, l.TokenHash, l.SealedToken, l.Most, l.Confirmed, db.MillisOrNull(l.EndsAt), db.Millis(l.CreatedAt))
}

// SetPublicLink stores Most and EndsAt. NotFound.
func (t *Tx) SetPublicLink(ctx context.Context, l typus.PublicLink) error {
	return t.db.Must(ctx, noPublicLink, `update public_links set most = $1, ends_at = $2 where account_id = $3 and id = $4`,
		l.Most, db.MillisOrNull(l.EndsAt), l.AccountID, l.ID)
}

// RevokePublicLink ends a link. NotFound: it was revoked already, or there is none.
func (t *Tx) RevokePublicLink(ctx context.Context, accountID, id int64, at time.Time) error {
	return t.db.Must(ctx, noPublicLink, `update public_links set revoked_at = $1 where account_id = $2 and id = $3 and revoked_at is null`,
		db.Millis(at), accountID, id)
}

// CountConfirmed counts one more who has confirmed an address at a link, which the caller has
// locked and found open. NotFound.
func (t *Tx) CountConfirmed(ctx context.Context, accountID, id int64) error {
	return t.db.Must(ctx, noPublicLink, `update public_links set confirmed = confirmed + 1 where account_id = $1 and id = $2 and confirmed < most`, accountID, id)
}
