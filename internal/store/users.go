package store

import (
	"context"
	"strings"
	"time"

	"typus"
)

// AddUser adds a user; passwordHash is "" until a password is set. Conflict: the
// address (without case) has a login already, in whatever account.
func (t *Tx) AddUser(ctx context.Context, u typus.User, passwordHash string) (int64, error) {
	id, added, err := maybe(ctx, t.reads, scanInt, `
		insert into users (account_id, email, email_key, role, password_hash, created_at)
		values ($1, $2, $3, $4, $5, $6) on conflict (email_key) do nothing returning id`,
		u.AccountID, u.Email, strings.ToLower(u.Email), string(u.Role), passwordHash, millis(u.CreatedAt))
	if err == nil && !added {
		return 0, typus.Errorf(typus.Conflict, "there is a user with the address %s already", u.Email)
	}
	return id, err
}

// UserByEmail finds a user of the account by address, without case. NotFound.
func (r reads) UserByEmail(ctx context.Context, accountID int64, email string) (typus.User, error) {
	return one(ctx, r, scanUser, "there is no user with this address",
		`select id, account_id, email, role, created_at from users where account_id = $1 and email_key = $2`,
		accountID, strings.ToLower(email))
}

func scanUser(row scanner) (typus.User, error) {
	var u typus.User
	err := row.Scan(&u.ID, &u.AccountID, &u.Email, &u.Role, (*instant)(&u.CreatedAt))
	return u, err
}

// OwnerEmails lists the owners' addresses, or the account's contact address
// while there is no owner; none when there is neither. NotFound: no such account.
func (r reads) OwnerEmails(ctx context.Context, accountID int64) ([]string, error) {
	owners, err := all(ctx, r, scanText, `select email from users where account_id = $1 and role = 'owner' order by id`, accountID)
	if err != nil || len(owners) > 0 {
		return owners, err
	}
	a, err := r.Account(ctx, accountID)
	if err != nil || a.ContactEmail == "" {
		return nil, err
	}
	return []string{a.ContactEmail}, nil
}

// AddUserLink stores the hex SHA-256 of a one-time token that sets a password.
func (t *Tx) AddUserLink(ctx context.Context, userID int64, tokenHash string, at, expires time.Time) error {
	_, err := t.exec(ctx, `insert into user_links (token_hash, user_id, created_at, expires_at) values ($1, $2, $3, $4)`,
		tokenHash, userID, millis(at), millis(expires))
	return err
}
