package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// ReplaceUserLink stores a one-time link of a user of the account and ends the user's
// earlier links of the same purpose, so that only the newest holds. The user is locked
// until the transaction ends, so that of two links made at the same time the later one
// ends the other. NotFound: the account has no such user.
func (t *Tx) ReplaceUserLink(ctx context.Context, accountID int64, l typus.UserLink) error {
	if _, err := t.LockCredentials(ctx, accountID, l.UserID); err != nil {
		return err
	}
	_, err := t.db.Exec(ctx, `
		update user_links set ended_at = $1 where user_id = $2 and purpose = $3 and used_at is null and ended_at is null`,
		db.Millis(l.CreatedAt), l.UserID, string(l.Purpose))
	if err != nil {
		return err
	}
	return t.AddUserLink(ctx, accountID, l)
}

// AddRestoreLink stores a link that takes back a change of the address. Earlier links
// of this kind stay valid, and this one comes after them whatever the clock says,
// because their order tells a user's former addresses from those of an intruder. The
// caller has locked the user. NotFound: the account has no such user.
func (t *Tx) AddRestoreLink(ctx context.Context, accountID int64, l typus.UserLink) error {
	l.Purpose = typus.LinkRestore
	if err := t.AddUserLink(ctx, accountID, l); err != nil {
		return err
	}
	_, err := t.db.Exec(ctx, `
		update user_links set place = 1 + (select max(place) from user_links where user_id = $1) where token_hash = $2`,
		l.UserID, l.Hash)
	return err
}

// AddUserLink keeps a one-time link of a user of the account beside the others.
// NotFound: the account has no such user.
func (t *Tx) AddUserLink(ctx context.Context, accountID int64, l typus.UserLink) error {
	return t.db.Must(ctx, noUser, `
		insert into user_links (token_hash, user_id, purpose, detail, created_at, expires_at, totp_at)
		select cast($1 as text), id, cast($2 as text), cast($3 as text), cast($4 as bigint), cast($5 as bigint), cast($6 as bigint) from users
		where account_id = $7 and id = $8`,
		l.Hash, string(l.Purpose), l.Detail, db.Millis(l.CreatedAt), db.Millis(l.ExpiresAt), db.MillisOrNull(l.TOTPAt), accountID, l.UserID)
}

// LinkOwner is a one-time link with the user and the account it belongs to.
type LinkOwner struct {
	Link    typus.UserLink
	User    typus.User
	Account typus.Account
}

func scanLinkOwner(row db.Row) (LinkOwner, error) {
	var o LinkOwner
	fields := append([]any{&o.Link.Hash, &o.Link.UserID, &o.Link.Purpose, &o.Link.Detail,
		(*db.Instant)(&o.Link.CreatedAt), (*db.Instant)(&o.Link.ExpiresAt),
		(*db.Instant)(&o.Link.UsedAt), (*db.Instant)(&o.Link.EndedAt), (*db.Instant)(&o.Link.TOTPAt)}, userFields(&o.User)...)
	err := row.Scan(append(fields, accountFields(&o.Account)...)...)
	return o, err
}

// UserLinkByToken finds a one-time link, whether or not it can still be used, by
// the hex SHA-256 of its token. NotFound.
func (r *reads) UserLinkByToken(ctx context.Context, hash string) (LinkOwner, error) {
	return db.One(ctx, r, scanLinkOwner, "there is no such link", `
		select l.token_hash, l.user_id, l.purpose, l.detail, l.created_at, l.expires_at, l.used_at, l.ended_at, l.totp_at, u.*, a.*
		from user_links l
			join (select `+userColumns+` from users) u on u.id = l.user_id
			join (select `+accountColumns+` from accounts) a on a.id = u.account_id
		where l.token_hash = $1`, hash)
}

// UseUserLink spends a link and ends the other links of its user as EndUserLinks does.
// A link that takes back a change of the address also ends those of later changes, and
// a link of the operator those of all changes. The update is guarded, so of two uses at
// the same time one gets true. False means that the link was used or ended before, or
// has run out; then nothing has changed.
func (t *Tx) UseUserLink(ctx context.Context, accountID, userID int64, hash string, at time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `
		update user_links set used_at = $1
		where token_hash = $2 and user_id = (select id from users where account_id = $3 and id = $4)
			and used_at is null and ended_at is null and expires_at > $1`,
		db.Millis(at), hash, accountID, userID)
	if err != nil || n == 0 {
		return false, err
	}
	if err := t.endRestores(ctx, userID, hash, at); err != nil {
		return false, err
	}
	return true, t.EndUserLinks(ctx, accountID, userID, at)
}

// endRestores ends the links that take back a change of the address and that are
// overruled by the link with the given hash.
func (t *Tx) endRestores(ctx context.Context, userID int64, hash string, at time.Time) error {
	_, err := t.db.Exec(ctx, `
		update user_links set ended_at = $1
		where user_id = $2 and purpose = 'restore' and used_at is null and ended_at is null and exists (
			select 1 from user_links l where l.token_hash = $3
				and (l.purpose = 'restore' and l.place < user_links.place or l.purpose = 'password' and l.detail = $4))`,
		db.Millis(at), userID, hash, typus.LinkOfOperator)
	return err
}

// TakeRescue reports whether a user has set a password by a link of the operator that
// has not run out yet. It reports true only once. The caller has locked the user.
func (t *Tx) TakeRescue(ctx context.Context, accountID, userID int64, at time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `
		update user_links set detail = ''
		where user_id = (select id from users where account_id = $1 and id = $2)
			and purpose = 'password' and detail = $3 and used_at is not null and expires_at > $4`,
		accountID, userID, typus.LinkOfOperator, db.Millis(at))
	return n > 0, err
}

// EndUserLinks ends the links of a user that set a password or confirm an address.
// Links that take back a change of the address stay valid, because otherwise an
// intruder could end them.
func (t *Tx) EndUserLinks(ctx context.Context, accountID, userID int64, at time.Time) error {
	_, err := t.db.Exec(ctx, `
		update user_links set ended_at = $1
		where user_id = (select id from users where account_id = $2 and id = $3) and purpose <> 'restore'
			and used_at is null and ended_at is null`,
		db.Millis(at), accountID, userID)
	return err
}

// DropUserLinks removes up to 500 links that ran out before a time and says how many.
func (t *Tx) DropUserLinks(ctx context.Context, before time.Time) (int, error) {
	return t.db.Exec(ctx, `
		delete from user_links where token_hash in (select token_hash from user_links where expires_at < $1 order by expires_at limit 500)`,
		db.Millis(before))
}
