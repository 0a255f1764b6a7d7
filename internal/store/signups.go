package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

func scanSignUp(row db.Row) (typus.SignUp, error) {
	var s typus.SignUp
	err := row.Scan(&s.Hash, &s.Email, &s.Name, &s.AccountName, &s.Language, &s.PasswordHash, &s.KeepDays, &s.Zone, (*db.Instant)(&s.CreatedAt), (*db.Instant)(&s.ExpiresAt))
	return s, err
}

// AddSignUp stores an account that waits for its address to be confirmed, and replaces
// one that waits for the same address. Of two at the same time the later one stays,
// because of the unique index.
func (t *Tx) AddSignUp(ctx context.Context, s typus.SignUp) error {
	_, err := t.db.Exec(ctx, `
		insert into signups (token_hash, email, email_key, name, account_name, language, password_hash, created_at, expires_at, keep_finished_days, zone)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		on conflict (email_key) do update set
			token_hash = excluded.token_hash, email = excluded.email, name = excluded.name, account_name = excluded.account_name, language = excluded.language,
			password_hash = excluded.password_hash, created_at = excluded.created_at, expires_at = excluded.expires_at,
			keep_finished_days = excluded.keep_finished_days, zone = excluded.zone`,
		s.Hash, s.Email, typus.MailboxKey(s.Email), s.Name, s.AccountName, s.Language, s.PasswordHash, db.Millis(s.CreatedAt), db.Millis(s.ExpiresAt), s.KeepDays, string(s.Zone))
	return err
}

// SignUpByToken finds a waiting account, whether or not its link has run out, by
// the hex SHA-256 of its token. NotFound.
func (r *reads) SignUpByToken(ctx context.Context, hash string) (typus.SignUp, error) {
	return db.One(ctx, r, scanSignUp, "there is no such sign-up", `
		select token_hash, email, name, account_name, language, password_hash, keep_finished_days, zone, created_at, expires_at from signups where token_hash = $1`, hash)
}

// RemoveSignUp takes a waiting account away, once. NotFound.
func (t *Tx) RemoveSignUp(ctx context.Context, hash string) error {
	return t.db.Must(ctx, "there is no such sign-up", `delete from signups where token_hash = $1`, hash)
}

// DropSignUps removes up to 500 waiting accounts whose link has run out and says
// how many.
func (t *Tx) DropSignUps(ctx context.Context, now time.Time) (int, error) {
	return t.db.Exec(ctx, `
		delete from signups where token_hash in (select token_hash from signups where expires_at <= $1 order by expires_at limit 500)`,
		db.Millis(now))
}
