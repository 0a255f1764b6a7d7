package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// SentForm is the id of what came of a form that was sent before; false when it
// was not.
func (r *reads) SentForm(ctx context.Context, accountID int64, form string) (int64, bool, error) {
	return db.Maybe(ctx, r, db.ScanInt, `select made_id from sent_forms where account_id = $1 and form = $2`, accountID, form)
}

// ClaimForm reserves a form for this transaction. It reports false if the form was sent
// before. It waits for the same form if that is being handled at the moment.
func (t *Tx) ClaimForm(ctx context.Context, accountID int64, form string, at time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `
		insert into sent_forms (account_id, form, made_id, created_at) values ($1, $2, 0, $3)
		on conflict (account_id, form) do nothing`, accountID, form, db.Millis(at))
	return n == 1, err
}

// SettleForm stores the id of what came of a form: a candidate, a key or anything
// else. NotFound: it was not claimed.
func (t *Tx) SettleForm(ctx context.Context, accountID int64, form string, id int64) error {
	return t.db.Must(ctx, "this form was not claimed",
		`update sent_forms set made_id = $1 where account_id = $2 and form = $3`, id, accountID, form)
}

// DropSentForms forgets forms sent before the given time, at most 500, and says
// how many; the caller repeats it until there are none.
func (t *Tx) DropSentForms(ctx context.Context, before time.Time) (int, error) {
	return t.db.Exec(ctx, `
		delete from sent_forms where (account_id, form) in (
			select account_id, form from sent_forms where created_at < $1 order by created_at limit 500)`, db.Millis(before))
}
