package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// Usage counts what an account has used in a month, without its test world.
type Usage struct {
	Completions int `json:"completions"` // as booked in the ledger, a credit each; those of the erased too
	TakenOver   int `json:"taken_over"`  // likewise, of earlier answers, for 0 credits
	Invitations int `json:"invitations"`
	Letters     int `json:"letters"`    // that a mail server has taken, those to the team too
	Deliveries  int `json:"deliveries"` // of webhooks, that were received; no test events
	People      int `json:"people"`     // stored and not erased, at the end of the month, or now while it lasts
}

// DeletedUsage is the usage of an account that was deleted since.
type DeletedUsage struct {
	AccountID int64
	DeletedAt time.Time // when the deletion began
	PeopleAt  time.Time // when the people were counted; zero: an earlier version has not kept it
	Usage
}

func (u *Usage) fields() []any {
	return []any{&u.Completions, &u.TakenOver, &u.Invitations, &u.Letters, &u.Deliveries, &u.People}
}

// Usage counts what an account has used from a time on until before another one.
func (r *reads) Usage(ctx context.Context, accountID int64, from, to time.Time) (Usage, error) {
	return db.One(ctx, r, func(row db.Row) (Usage, error) {
		var u Usage
		err := row.Scan(u.fields()...)
		return u, err
	}, "", `
		select
			(select count(*) from credit_ledger where account_id = $1 and reason = 'completion' and created_at >= $2 and created_at < $3),
			(select count(*) from credit_ledger where account_id = $1 and reason = 'taken_over' and created_at >= $2 and created_at < $3),
			(select count(*) from candidates where account_id = $1 and created_at >= $2 and created_at < $3),
			(select count(*) from letters where account_id = $1 and sent_at >= $2 and sent_at < $3),
			(select count(*) from webhook_deliveries where account_id = $1 and state = 'delivered' and kind <> 'test' and finished_at >= $2 and finished_at < $3),
			(select count(*) from candidates where account_id = $1 and created_at < $3 and (erased_at is null or erased_at >= $3))`,
		accountID, db.Millis(from), db.Millis(to))
}

// KeepUsage keeps what an account has used in a month beyond its deletion, which has begun. Its
// people were counted as of a time.
func (t *Tx) KeepUsage(ctx context.Context, accountID int64, m typus.Month, peopleAt time.Time, u Usage) error {
	_, err := t.db.Exec(ctx, `
		insert into deleted_usage (account_id, month, completions, taken_over, invitations, letters, deliveries, people, people_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		accountID, m.String(), u.Completions, u.TakenOver, u.Invitations, u.Letters, u.Deliveries, u.People, db.Millis(peopleAt))
	return err
}

// DeletedUsage lists what accounts that were deleted since have used in a month, as far as it
// was kept, by id.
func (r *reads) DeletedUsage(ctx context.Context, m typus.Month) ([]DeletedUsage, error) {
	return db.All(ctx, r, func(row db.Row) (DeletedUsage, error) {
		var d DeletedUsage
		err := row.Scan(append([]any{&d.AccountID, (*db.Instant)(&d.DeletedAt), (*db.Instant)(&d.PeopleAt)}, d.fields()...)...)
		return d, err
	}, `
		select u.account_id, d.begun_at, u.people_at, u.completions, u.taken_over, u.invitations, u.letters, u.deliveries, u.people
		from deleted_usage u join account_deletions d on d.account_id = u.account_id where u.month = $1 order by u.account_id`, m.String())
}
