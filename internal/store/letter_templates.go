package store

import (
	"context"

	"typus"
	"typus/internal/db"
)

const templateColumns = `account_id, kind, language, subject, body, changed_by, changed_at`

func scanTemplate(row db.Row) (typus.LetterTemplate, error) {
	var t typus.LetterTemplate
	err := row.Scan(&t.AccountID, &t.Kind, &t.Language, &t.Subject, &t.Body, &t.ChangedBy, (*db.Instant)(&t.ChangedAt))
	return t, err
}

// LetterTemplate reads the account's own text of a letter, nil while it has none.
func (r *reads) LetterTemplate(ctx context.Context, accountID int64, kind typus.LetterKind, language string) (*typus.LetterTemplate, error) {
	t, found, err := db.Maybe(ctx, r, scanTemplate, `
		select `+templateColumns+` from letter_templates where account_id = `+homeOf(`$1`)+` and kind = $2 and language = $3`,
		accountID, string(kind), language)
	if err != nil || !found {
		return nil, err
	}
	return &t, nil
}

// LetterTemplates lists the account's own texts.
func (r *reads) LetterTemplates(ctx context.Context, accountID int64) ([]typus.LetterTemplate, error) {
	return db.All(ctx, r, scanTemplate, `
		select `+templateColumns+` from letter_templates where account_id = $1 order by kind, language`, accountID)
}

// SetLetterTemplate stores an own text in place of the earlier one.
func (t *Tx) SetLetterTemplate(ctx context.Context, l typus.LetterTemplate) error {
	_, err := t.db.Exec(ctx, `
		insert into letter_templates (`+templateColumns+`) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (account_id, kind, language) do update set subject = excluded.subject, body = excluded.body,
			changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
		l.AccountID, string(l.Kind), l.Language, l.Subject, l.Body, l.ChangedBy, db.Millis(l.ChangedAt))
	return err
}

// DropLetterTemplate takes an own text away, so that ours is sent again; false
// when there was none.
func (t *Tx) DropLetterTemplate(ctx context.Context, accountID int64, kind typus.LetterKind, language string) (bool, error) {
	n, err := t.db.Exec(ctx, `delete from letter_templates where account_id = $1 and kind = $2 and language = $3`, accountID, string(kind), language)
	return n == 1, err
}
