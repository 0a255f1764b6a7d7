package accountfile

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/webhook"
)

// AccountOrder says which account is to be written into which file.
type AccountOrder struct {
	Store   *store.Store
	Box     *seal.Box
	Account int64
	To      string // a file that is not there yet
	Key     []byte // of the file
	Version string
	Now     time.Time
}

// ExportedAccount is an account that was written into a file.
type ExportedAccount struct {
	File       string `json:"file"`
	Bytes      int64  `json:"bytes"`
	SHA256     string `json:"sha256"`
	Account    int64  `json:"account"`
	Candidates int    `json:"candidates"` // with the erased ones, and those of the test world
	Rows       int    `json:"rows"`
}

// ExportAccount writes everything of an account and of its test world, as it is at one
// moment, into a file that has its name only when it is complete and synced. The file is
// sealed as a whole under its key, and what was sealed under the server's key stands in it
// opened. Conflict: the file is there, or the account is being deleted; NotFound: there is no
// such account, or it is a test world; Internal: a stored secret does not open.
func ExportAccount(ctx context.Context, o AccountOrder) (ExportedAccount, error) {
	account, err := o.Store.Account(ctx, o.Account)
	if err != nil {
		return ExportedAccount{}, err
	}
	if account.IsWorld() {
		return ExportedAccount{}, typus.Errorf(typus.NotFound, "the account %d is the test world of another one, with which it is exported", o.Account)
	}
	if !account.DeletingAt.IsZero() {
		return ExportedAccount{}, o.deleted()
	}
	if err := backup.Writable(o.To); err != nil {
		return ExportedAccount{}, err
	}
	h, err := o.header(ctx)
	if err != nil {
		return ExportedAccount{}, err
	}
	err = o.Store.InTx(ctx, func(tx *store.Tx) error {
		return tx.AddAudit(ctx, typus.AuditEntry{AccountID: o.Account, Actor: typus.ActorOperator, Action: typus.AuditAccountExported, CreatedAt: o.Now})
	})
	if err != nil {
		return ExportedAccount{}, err
	}
	part := o.To + ".part"
	defer func() { _ = os.Remove(part) }() // once it has its name, this is a second one
	done, err := o.write(ctx, part, h)
	if err != nil {
		return ExportedAccount{}, err
	}
	if done.SHA256, done.Bytes, err = sumOf(part); err != nil {
		return ExportedAccount{}, err
	}
	if err := backup.GiveName(part, o.To); err != nil {
		return ExportedAccount{}, err
	}
	if err := backup.SyncDir(filepath.Dir(o.To)); err != nil {
		return ExportedAccount{}, db.Refused(filepath.Dir(o.To), err)
	}
	done.File, done.Account = o.To, o.Account
	return done, nil
}

func (o AccountOrder) header(ctx context.Context) (accountHeader, error) {
	name, err := seal.NameOf(o.Key)
	if err != nil {
		return accountHeader{}, err
	}
	schema, err := o.Store.Newest(ctx)
	salt := make([]byte, 32)
	_, _ = rand.Read(salt) // it never fails
	return accountHeader{
		Typus: "account", Format: accountFormat, Version: o.Version, Schema: schema, MadeAt: o.Now.UTC().Truncate(time.Second),
		Account: o.Account, Key: name, Salt: base64.StdEncoding.EncodeToString(salt),
	}, err
}

// write writes the file under another name, and has it on the disk.
func (o AccountOrder) write(ctx context.Context, part string, h accountHeader) (ExportedAccount, error) {
	f, err := beginPart(part)
	if err != nil {
		return ExportedAccount{}, err
	}
	done, err := o.writeRows(ctx, part, h, f)
	if err != nil {
		return ExportedAccount{}, errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return ExportedAccount{}, db.Refused(part, err)
	}
	return done, nil
}

// beginPart makes a file for its owner only, under the name that it has until it is complete.
// What is there under this name was left by one that was cut off.
func beginPart(part string) (*os.File, error) {
	_ = os.Remove(part)
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, db.Refused(part, err)
	}
	return f, nil
}

func (o AccountOrder) writeRows(ctx context.Context, part string, h accountHeader, f *os.File) (ExportedAccount, error) {
	w, err := newAccountWriter(f, h, o.Key)
	if err != nil {
		return ExportedAccount{}, db.Refused(part, err)
	}
	var done ExportedAccount
	err = o.Store.ReadMoved(ctx, o.Account, func(table int, row []any) error {
		t := store.MovedTables()[table]
		if t.Name == "accounts" && valueOf(t, row, "deleting_at") != nil {
			return o.deleted()
		}
		if err := eachSealed(t, row, o.Box.Open); err != nil {
			return typus.Errorf(typus.Internal, "a secret in the table %s does not open: %v", t.Name, err).WithCause(err)
		}
		if t.Name == "candidates" {
			done.Candidates++
		}
		if err := w.row(table, row); err != nil {
			return orRefused(part, err)
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	if w.rows == 0 {
		return done, o.deleted()
	}
	done.Rows = w.rows
	if err := w.close(); err != nil {
		return done, db.Refused(part, err)
	}
	return done, nil
}

// deleted is the Conflict of an account that goes, also of one that went before its snapshot.
func (o AccountOrder) deleted() error {
	return typus.Errorf(typus.Conflict, "the account %d is being deleted", o.Account)
}

func orRefused(path string, err error) error {
	if own, ok := errors.AsType[*typus.Error](err); ok {
		return own
	}
	return db.Refused(path, err)
}

// eachSealed changes each sealed value of a row, where there is one, by what does it with the
// place that it is bound to.
func eachSealed(t store.MovedTable, row []any, change func(value []byte, place string) ([]byte, error)) error {
	for i, c := range t.Columns {
		value, ok := row[i].([]byte)
		if c.Kind != store.MovedSealed || !ok || len(value) == 0 {
			continue
		}
		changed, err := change(value, placeOf(t, row))
		if err != nil {
			return err
		}
		row[i] = changed
	}
	return nil
}

// placeOf is the place that the sealed value of a row is bound to.
func placeOf(t store.MovedTable, row []any) string {
	number := func(column string) int64 { n, _ := valueOf(t, row, column).(int64); return n }
	text := func(column string) string { s, _ := valueOf(t, row, column).(string); return s }
	switch t.Name {
	case "users":
		return access.TOTPPlace(number("id"))
	case "account_senders":
		return typus.Sender{AccountID: number("account_id")}.KeyAAD()
	case "candidates":
		return typus.Candidate{TokenHash: text("token_hash")}.TokenAAD()
	case "public_links":
		return typus.PublicLink{TokenHash: text("token_hash")}.TokenAAD()
	case "role_experts":
		return typus.RoleExpert{TokenHash: text("token_hash")}.TokenAAD()
	case "webhook_endpoints":
		return webhook.HeaderAAD(number("id"))
	case "webhook_secrets":
		return webhook.SecretAAD(number("id"), number("endpoint_id"))
	case "letters":
		return typus.Letter{Kind: typus.LetterKind(text("kind")), CandidateID: number("candidate_id"), UserID: number("user_id")}.DetailAAD()
	case "kept_letters":
		return typus.KeptLetter{AccountID: number("account_id"), LetterID: number("letter_id")}.AAD()
	}
	panic("accountfile: nobody knows where a value of " + t.Name + " is sealed") // a test walks them all
}

// valueOf is a column of a row.
func valueOf(t store.MovedTable, row []any, column string) any {
	for i, c := range t.Columns {
		if c.Name == column {
			return row[i]
		}
	}
	panic("accountfile: no column " + t.Name + "." + column) // a slip in this package
}
