package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	userColumns = `id, account_id, email, role, name, language, theme, case when password_hash = '' then 0 else 1 end as has_password,
		case when totp_at is null then 0 else 1 end as has_totp, only_named, created_at, last_login_at, results_read_at`
	noUser = "there is no such user"
)

func userFields(u *typus.User) []any {
	return []any{&u.ID, &u.AccountID, &u.Email, &u.Role, &u.Name, &u.Language, &u.Theme, (*db.Truth)(&u.HasPassword),
		(*db.Truth)(&u.HasTOTP), (*db.Truth)(&u.OnlyNamed), (*db.Instant)(&u.CreatedAt), (*db.Instant)(&u.LastLoginAt), (*db.Instant)(&u.ResultsReadAt)}
}

func scanUser(row db.Row) (typus.User, error) {
	var u typus.User
	err := row.Scan(userFields(&u)...)
	return u, err
}

// invitedKey is the key by which the address of an invited person is found until they
// accept. It differs from that of a login, so that an account does not learn from an
// invitation that the address has a login in another account.
func invitedKey(accountID int64, email string) string {
	return keyOfInvited(accountID, typus.MailboxKey(email))
}

func keyOfInvited(accountID int64, key string) string {
	return fmt.Sprintf("invited|%d|%s", accountID, key)
}

// IsLogin reports whether a user of an account with an address can be found by a key.
func IsLogin(key, email string, accountID int64) bool {
	for _, address := range []string{typus.MailboxKey(email), formerKey(email)} {
		if key == address || key == keyOfInvited(accountID, address) {
			return true
		}
	}
	return false
}

// LoginMoved is by what a user with an address is found after their account has got another id:
// who is only invited is found by a key that holds it.
func LoginMoved(key, email string, was, is int64) string {
	for _, address := range []string{typus.MailboxKey(email), formerKey(email)} {
		if key == keyOfInvited(was, address) {
			return keyOfInvited(is, address)
		}
	}
	return key
}

// formerKey is the key that an address had in an earlier version, in which two spellings of a
// mailbox could be two users. Those keep it whose mailbox somebody else has (decision 0074).
func formerKey(email string) string { return strings.ToLower(email) }

// spelled is who of the users of one mailbox is meant by an address: whose it is in this
// spelling, or else the first; false for none. Two there are only of an earlier version.
func spelled[T any](list []T, of func(T) string, email string) (T, bool) {
	if i := slices.IndexFunc(list, func(one T) bool { return formerKey(of(one)) == formerKey(email) }); i > 0 {
		return list[i], true
	}
	if len(list) == 0 {
		var none T
		return none, false
	}
	return list[0], true
}

// AddUser adds a user; passwordHash is "" until a password is set. Conflict: there is
// already a login with the mailbox (typus.MailboxKey) in some account.
func (t *Tx) AddUser(ctx context.Context, u typus.User, passwordHash string) (int64, error) {
	return t.addUser(ctx, u, typus.MailboxKey(u.Email), passwordHash)
}

// AddInvitedUser adds a user whose address becomes a login only when the first
// password is set. Conflict: the account has invited the address already.
func (t *Tx) AddInvitedUser(ctx context.Context, u typus.User) (int64, error) {
	return t.addUser(ctx, u, invitedKey(u.AccountID, u.Email), "")
}

func (t *Tx) addUser(ctx context.Context, u typus.User, key, passwordHash string) (int64, error) {
	id, added, err := db.Maybe(ctx, t, db.ScanInt, `
		insert into users (account_id, email, email_key, role, password_hash, name, language, created_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (email_key) do nothing returning id`,
		u.AccountID, u.Email, key, string(u.Role), passwordHash, u.Name, u.Language, db.Millis(u.CreatedAt))
	if err == nil && !added {
		return 0, typus.Errorf(typus.Conflict, "there is a user with the address %s already", u.Email)
	}
	return id, err
}

// A test world has no users of its own: they are those of the account that it belongs to.

// User reads a user of the account. NotFound.
func (r *reads) User(ctx context.Context, accountID, id int64) (typus.User, error) {
	return db.One(ctx, r, scanUser, noUser, `select `+userColumns+` from users where account_id = `+homeOf(`$1`)+` and id = $2`, accountID, id)
}

// UserByEmail finds a user of the account by their mailbox (typus.MailboxKey), invited ones
// too. NotFound.
func (r *reads) UserByEmail(ctx context.Context, accountID int64, email string) (typus.User, error) {
	list, err := db.All(ctx, r, scanUser, `select `+userColumns+` from users where account_id = $1 and email_key in ($2, $3, $4, $5) order by id`,
		accountID, typus.MailboxKey(email), invitedKey(accountID, email), formerKey(email), keyOfInvited(accountID, formerKey(email)))
	if err != nil {
		return typus.User{}, err
	}
	u, found := spelled(list, func(u typus.User) string { return u.Email }, email)
	if !found {
		return u, typus.Errorf(typus.NotFound, "there is no user with this address")
	}
	return u, nil
}

// Users lists the users of an account by id, invited ones too.
func (r *reads) Users(ctx context.Context, accountID int64) ([]typus.User, error) {
	return db.All(ctx, r, scanUser, `select `+userColumns+` from users where account_id = `+homeOf(`$1`)+` order by id`, accountID)
}

// Credentials are what a user logs in with.
type Credentials struct {
	typus.User
	PasswordHash string    // argon2id in PHC form, "" until set
	SealedTOTP   []byte    // the seed of the second factor, nil for none; HasTOTP says whether it counts
	TOTPAt       time.Time // since when it counts, zero: it does not
}

const credentialColumns = userColumns + `, password_hash, totp_sealed, totp_at`

func scanCredentials(row db.Row) (Credentials, error) {
	var c Credentials
	err := row.Scan(append(userFields(&c.User), &c.PasswordHash, &c.SealedTOTP, (*db.Instant)(&c.TOTPAt))...)
	return c, err
}

// Credentials reads what a user of the account logs in with. NotFound.
func (r *reads) Credentials(ctx context.Context, accountID, userID int64) (Credentials, error) {
	return db.One(ctx, r, scanCredentials, noUser,
		`select `+credentialColumns+` from users where account_id = $1 and id = $2`, accountID, userID)
}

// LockCredentials is Credentials, and locks the user until the transaction ends.
// NotFound.
func (t *Tx) LockCredentials(ctx context.Context, accountID, userID int64) (Credentials, error) {
	return db.One(ctx, t, scanCredentials, noUser,
		`select `+credentialColumns+` from users where account_id = $1 and id = $2`+t.db.LockRows(), accountID, userID)
}

// CredentialsByLogin finds a user by the mailbox (typus.MailboxKey) of the address they log in
// with. It takes no account, because the address tells which one it is. False means
// that there is none.
func (r *reads) CredentialsByLogin(ctx context.Context, email string) (Credentials, bool, error) {
	if !db.Storable(email) {
		return Credentials{}, false, nil
	}
	list, err := db.All(ctx, r, scanCredentials, `select `+credentialColumns+` from users where email_key in ($1, $2) order by id`,
		typus.MailboxKey(email), formerKey(email))
	list = slices.DeleteFunc(list, func(c Credentials) bool { return !typus.SameMailbox(c.Email, email) }) // what an invited person is found by is no address
	c, found := spelled(list, func(c Credentials) string { return c.Email }, email)
	return c, found, err
}

// SetPassword sets a user's password and makes the address a login. Conflict: it is somebody
// else's already, unless the user has had a password. NotFound.
func (t *Tx) SetPassword(ctx context.Context, accountID, userID int64, passwordHash string) error {
	u, err := t.User(ctx, accountID, userID)
	if err != nil {
		return err
	}
	n, err := t.db.Exec(ctx, `
		update users set password_hash = $1, email_key = case when exists (select 1 from users o where o.email_key = $2 and o.id <> $3) then email_key else $2 end
		where account_id = $4 and id = $3 and (password_hash <> '' or not exists (select 1 from users o where o.email_key = $2 and o.id <> $3))`,
		passwordHash, typus.MailboxKey(u.Email), userID, accountID)
	return takenUnless(n, err)
}

// SetEmail changes the address a user logs in with. Conflict: it is somebody's
// login already. NotFound.
func (t *Tx) SetEmail(ctx context.Context, accountID, userID int64, email string) error {
	if _, err := t.User(ctx, accountID, userID); err != nil {
		return err
	}
	n, err := t.db.Exec(ctx, `
		update users set email = $1, email_key = $2
		where account_id = $3 and id = $4 and not exists (select 1 from users o where o.email_key = $2 and o.id <> $4)`,
		email, typus.MailboxKey(email), accountID, userID)
	return takenUnless(n, err)
}

// takenUnless is the Conflict of a login that another user has, unless n says that a
// row was changed.
func takenUnless(n int, err error) error {
	if err == nil && n == 0 {
		return typus.Errorf(typus.Conflict, "this address is used already")
	}
	return err
}

// SetUserName changes what a user is called. NotFound.
func (t *Tx) SetUserName(ctx context.Context, accountID, userID int64, name string) error {
	return t.db.Must(ctx, noUser, `update users set name = $1 where account_id = $2 and id = $3`, name, accountID, userID)
}

// SetPreferences keeps a user's language and theme. NotFound.
func (t *Tx) SetPreferences(ctx context.Context, accountID, userID int64, language, theme string) error {
	return t.db.Must(ctx, noUser, `update users set language = $1, theme = $2 where account_id = $3 and id = $4`,
		language, theme, accountID, userID)
}

// SetUserRole changes what a user may do. NotFound.
func (t *Tx) SetUserRole(ctx context.Context, accountID, userID int64, role typus.UserRole) error {
	return t.db.Must(ctx, noUser, `update users set role = $1 where account_id = $2 and id = $3`, string(role), accountID, userID)
}

// TouchLogin notes when a user has logged in. NotFound.
func (t *Tx) TouchLogin(ctx context.Context, accountID, userID int64, at time.Time) error {
	return t.db.Must(ctx, noUser, `update users set last_login_at = $1 where account_id = $2 and id = $3`, db.Millis(at), accountID, userID)
}

// Owners counts the owners of an account who can log in.
func (r *reads) Owners(ctx context.Context, accountID int64) (int, error) {
	n, err := db.One(ctx, r, db.ScanInt, "", `select count(*) from users where account_id = $1 and role = 'owner' and password_hash <> ''`, accountID)
	return int(n), err
}

// RemoveUser removes a user with all that lets them in: sessions, links, recovery codes.
// Their drafts of ratings go, because nobody else reads them. Who is letting them in meanwhile
// is waited for. NotFound.
func (t *Tx) RemoveUser(ctx context.Context, accountID, userID int64) error {
	if err := t.db.LockToDelete(ctx, `select id from users where account_id = $1 and id = $2`, accountID, userID); err != nil {
		return err
	}
	if _, err := t.LockCredentials(ctx, accountID, userID); err != nil {
		return err
	}
	for _, query := range []string{
		`delete from sessions where user_id = $1`,
		`delete from user_links where user_id = $1`,
		`delete from recovery_codes where user_id = $1`,
		`delete from position_members where user_id = $1`,
		`delete from ratings where user_id = $1 and not exists (
			select 1 from interviews i where i.candidate_id = ratings.candidate_id and i.user_id = ratings.user_id and i.rated_at is not null)`,
	} {
		if _, err := t.db.Exec(ctx, query, userID); err != nil {
			return err
		}
	}
	return t.db.Must(ctx, noUser, `delete from users where account_id = $1 and id = $2`, accountID, userID)
}
