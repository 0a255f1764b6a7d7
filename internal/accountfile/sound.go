package accountfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"typus"
	"typus/internal/accounts"
	"typus/internal/auth"
	"typus/internal/backup"
	"typus/internal/store"
)

// What one row may hold. Whoever has the key of a file can write anything into it, and all
// accounts of a server share its memory, its counters, and what it keeps of notices and logos.
const (
	mostMovedID  = backup.MostID / 2 // ids of candidates begin at a tenth; what is given next must stay below it
	mostText     = 1 << 20           // bytes; longer is only what is stored as bytes
	mostAttempts = 1000              // deliveries of a webhook at once, and in a second
)

// sound refuses a row that could harm more than the account it belongs to.
func (f *inFile) sound(ctx context.Context, t store.MovedTable, row []any) error {
	for i, c := range t.Columns {
		n, isNumber := row[i].(int64)
		text, _ := row[i].(string)
		switch {
		case isNumber && c.Kind == store.MovedNumber && (n > backup.MostTime || n < -backup.MostTime), len(text) > mostText:
			return f.wrong(t.Name, c.Name+" is too large")
		case row[i] == nil && c.Name == "account_id":
			return f.wrong(t.Name, "a row belongs to nobody")
		}
	}
	switch t.Name {
	case "accounts", "positions":
		if t.Name == "accounts" && valueOf(t, row, "deleting_at") != nil {
			return f.wrong(t.Name, "the account is being deleted")
		}
		f.logos[t.Name][row[0].(int64)] = typus.Logo{MediaType: textOf(t, row, "logo_type"), Hash: textOf(t, row, "logo_hash")}
	case "account_logos":
		return f.soundLogo(ctx, t, "accounts", row)
	case "position_logos":
		return f.soundLogo(ctx, t, "positions", row)
	case "account_senders":
		if row[0] != f.ids["accounts"][0] {
			return f.wrong(t.Name, "the test world has a sender of its own")
		}
	case "users":
		return f.soundUser(t, row)
	case "webhook_endpoints":
		for _, column := range []string{"max_in_flight", "rate_per_s", "burst"} {
			if n, _ := valueOf(t, row, column).(int64); n < 0 || n > mostAttempts {
				return f.wrong(t.Name, column+" is too large a number")
			}
		}
	case "notices":
		sum := sha256.Sum256([]byte(textOf(t, row, "body")))
		if textOf(t, row, "version") != hex.EncodeToString(sum[:]) {
			return f.wrong(t.Name, "a text is not that of its version")
		}
	}
	return nil
}

// soundLogo wants a picture that a form would have taken, of the type that the server says of
// it, and under its own hash: by that a letterhead is known, of which letters of all accounts
// have one.
func (f *inFile) soundLogo(ctx context.Context, t store.MovedTable, of string, row []any) error {
	id, _ := row[0].(int64)
	l := f.logos[of][id]
	l.Body, _ = row[1].([]byte)
	err := accounts.CheckLogo(ctx, l)
	if typus.Is(err, typus.Invalid) {
		return f.wrong(t.Name, "a logo is no picture that may be one")
	}
	return err
}

// soundUser wants a role that there is, a password that does not take all of the memory to
// check, and the key that belongs to the address: another one could keep a stranger from ever
// getting a login.
func (f *inFile) soundUser(t store.MovedTable, row []any) error {
	password := textOf(t, row, "password_hash")
	account, _ := valueOf(t, row, "account_id").(int64)
	switch {
	case !typus.UserRole(textOf(t, row, "role")).Valid():
		return f.wrong(t.Name, "there is no such role")
	case password != "" && !auth.Checkable(password):
		return f.wrong(t.Name, "a password cannot be checked")
	case !store.IsLogin(textOf(t, row, "email_key"), textOf(t, row, "email"), account):
		return f.wrong(t.Name, "an address has the key of another one")
	}
	return nil
}

// textOf is a column of a row that holds a text, "" for none.
func textOf(t store.MovedTable, row []any, column string) string {
	text, _ := valueOf(t, row, column).(string)
	return text
}
