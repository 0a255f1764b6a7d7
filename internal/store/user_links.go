package store

import (
	"context"
	"time"

	"typus"
)

// AddUserLink keeps a one-time link of a user of the account. NotFound: the
// account has no such user.
func (t *Tx) AddUserLink(ctx context.Context, accountID int64, l typus.UserLink) error {
	return t.must(ctx, noUser, `
		insert into user_links (token_hash, user_id, purpose, detail, created_at, expires_at)
		select cast($1 as text), id, cast($2 as text), cast($3 as text), cast($4 as bigint), cast($5 as bigint) from users
		where account_id = $6 and id = $7`,
		l.Hash, string(l.Purpose), l.Detail, millis(l.CreatedAt), millis(l.ExpiresAt), accountID, l.UserID)
}

// LinkOwner is a one-time link with the user and the account it belongs to.
type LinkOwner struct {
	Link    typus.UserLink
	User    typus.User
	Account typus.Account
}

func scanLinkOwner(row scanner) (LinkOwner, error) {
	var o LinkOwner
	fields := append([]any{&o.Link.Hash, &o.Link.UserID, &o.Link.Purpose, &o.Link.Detail,
		(*instant)(&o.Link.CreatedAt), (*instant)(&o.Link.ExpiresAt), (*instant)(&o.Link.UsedAt)}, userFields(&o.User)...)
	err := row.Scan(append(fields, accountFields(&o.Account)...)...)
	return o, err
}

// UserLinkByToken finds a one-time link, whether or not it can still be used, by
// the hex SHA-256 of its token. NotFound.
func (r reads) UserLinkByToken(ctx context.Context, hash string) (LinkOwner, error) {
	return one(ctx, r, scanLinkOwner, "there is no such link", `
		select l.token_hash, l.user_id, l.purpose, l.detail, l.created_at, l.expires_at, l.used_at, u.*, a.*
		from user_links l
			join (select `+userColumns+` from users) u on u.id = l.user_id
			join (select `+accountColumns+` from accounts) a on a.id = u.account_id
		where l.token_hash = $1`, hash)
}

// UseUserLink spends a link and all others of its user. False: it was used
// before or has run out; then nothing has changed.
func (t *Tx) UseUserLink(ctx context.Context, accountID, userID int64, hash string, at time.Time) (bool, error) {
	n, err := t.exec(ctx, `
		update user_links set used_at = $1
		where token_hash = $2 and user_id = (select id from users where account_id = $3 and id = $4) and used_at is null and expires_at > $1`,
		millis(at), hash, accountID, userID)
	if err != nil || n == 0 {
		return false, err
	}
	return true, t.EndUserLinks(ctx, accountID, userID, at)
}

// EndUserLinks makes the links of a user that were not used useless.
func (t *Tx) EndUserLinks(ctx context.Context, accountID, userID int64, at time.Time) error {
	_, err := t.exec(ctx, `
		update user_links set used_at = $1 where user_id = (select id from users where account_id = $2 and id = $3) and used_at is null`,
		millis(at), accountID, userID)
	return err
}

// DropUserLinks removes up to 500 links that ran out before a time and says how many.
func (t *Tx) DropUserLinks(ctx context.Context, before time.Time) (int, error) {
	return t.exec(ctx, `
		delete from user_links where token_hash in (select token_hash from user_links where expires_at < $1 order by expires_at limit 500)`,
		millis(before))
}
