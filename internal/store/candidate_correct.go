package store

import (
	"context"

	"typus"
	"typus/internal/db"
	"typus/internal/words"
)

// RenameCandidate stores the name that a repeated invitation gave. NotFound.
func (t *Tx) RenameCandidate(ctx context.Context, accountID, id int64, name string) error {
	d, err := db.One(ctx, t, scanDescribed, noCandidate,
		`select `+describedColumns+` from candidates where account_id = $1 and id = $2 and erased_at is null`, accountID, id)
	if err != nil {
		return err
	}
	d.name = name
	return t.correct(ctx, d)
}

// CorrectCandidate stores another name and e-mail address; openRef, "" for none,
// replaces that of an invitation which can be repeated. NotFound. Conflict:
// another invitation holds openRef; the transaction is lost.
func (t *Tx) CorrectCandidate(ctx context.Context, accountID, id int64, name, email, openRef string) error {
	d, err := db.One(ctx, t, scanDescribed, noCandidate,
		`select `+describedColumns+` from candidates where account_id = $1 and id = $2 and erased_at is null`, accountID, id)
	if err != nil {
		return err
	}
	d.name, d.email = name, email
	if err := t.correct(ctx, d); err != nil {
		return err
	}
	return t.db.Must(ctx, noCandidate, `
		update candidates set open_ref = case when open_ref is null then null else $1 end where account_id = $2 and id = $3`,
		db.TextOrNull(openRef), accountID, id)
}

func (t *Tx) correct(ctx context.Context, d described) error {
	joined, err := t.describe(ctx, d)
	if err != nil {
		return err
	}
	return t.db.Must(ctx, noCandidate, `
		update candidates set name = $1, email = $2, email_key = $3, name_key = $4, words = $5 where account_id = $6 and id = $7`,
		d.name, d.email, typus.MailboxKey(d.email), words.SortKey(d.name), joined, d.accountID, d.id)
}

// SetOpenRef makes an extended invitation repeatable again. NotFound. Conflict: another
// invitation holds openRef; the transaction is lost.
func (t *Tx) SetOpenRef(ctx context.Context, accountID, id int64, openRef string) error {
	return t.db.Must(ctx, noCandidate, `update candidates set open_ref = $1 where account_id = $2 and id = $3`, openRef, accountID, id)
}
