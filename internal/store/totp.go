package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// SetTOTP stores the sealed seed of a second factor, which counts once it is confirmed;
// nil removes the second factor. It forgets which time steps were used. NotFound.
func (t *Tx) SetTOTP(ctx context.Context, accountID, userID int64, sealed []byte) error {
	return t.db.Must(ctx, noUser, `
		update users set totp_sealed = $1, totp_at = null, totp_step = 0 where account_id = $2 and id = $3`,
		sealed, accountID, userID)
}

// ConfirmTOTP makes the seed count from now on. NotFound: there is none.
func (t *Tx) ConfirmTOTP(ctx context.Context, accountID, userID int64, at time.Time) error {
	return t.db.Must(ctx, noUser, `
		update users set totp_at = $1 where account_id = $2 and id = $3 and totp_sealed is not null`, db.Millis(at), accountID, userID)
}

// farthestStep is how many time steps the last used code can lie ahead of a code that
// is valid now: one step for each device, and some for the clocks of two servers. A
// code further ahead was used while a clock was ahead, and nobody has to wait until
// that time comes.
const farthestStep = 4

// UseTOTPStep notes the time step of a code. False: a code of this step or of a
// later one was used before (RFC 6238, 5.2).
func (t *Tx) UseTOTPStep(ctx context.Context, accountID, userID, step int64) (bool, error) {
	n, err := t.db.Exec(ctx, `
		update users set totp_step = $1 where account_id = $2 and id = $3 and totp_sealed is not null and (totp_step < $1 or totp_step > $4)`,
		step, accountID, userID, step+farthestStep)
	return n == 1, err
}

// SetRecoveryCodes replaces a user's recovery codes by those with the given
// hashes; none removes them.
func (t *Tx) SetRecoveryCodes(ctx context.Context, accountID, userID int64, hashes []string) error {
	if _, err := t.User(ctx, accountID, userID); err != nil {
		return err
	}
	if _, err := t.db.Exec(ctx, `delete from recovery_codes where user_id = $1`, userID); err != nil {
		return err
	}
	for _, hash := range hashes {
		if _, err := t.db.Exec(ctx, `insert into recovery_codes (user_id, hash) values ($1, $2)`, userID, hash); err != nil {
			return err
		}
	}
	return nil
}

// UseRecoveryCode spends a code of a user. False: it is none, or was used before.
func (t *Tx) UseRecoveryCode(ctx context.Context, accountID, userID int64, hash string, at time.Time) (bool, error) {
	if _, err := t.User(ctx, accountID, userID); err != nil {
		return false, err
	}
	n, err := t.db.Exec(ctx, `update recovery_codes set used_at = $1 where user_id = $2 and hash = $3 and used_at is null`,
		db.Millis(at), userID, hash)
	return n == 1, err
}

// RecoveryCodesLeft counts the codes that a user of the account has not used.
func (r *reads) RecoveryCodesLeft(ctx context.Context, accountID, userID int64) (int, error) {
	n, err := db.One(ctx, r, db.ScanInt, "", `
		select count(*) from users u join recovery_codes c on c.user_id = u.id
		where u.account_id = $1 and u.id = $2 and c.used_at is null`, accountID, userID)
	return int(n), err
}
