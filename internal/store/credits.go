package store

import (
	"context"

	"typus"
	"typus/internal/db"
)

const creditColumns = `id, account_id, delta, reason, coalesce(candidate_id, 0), note, actor, balance_after, created_at, coalesce(reference, '')` //nolint:gosec // names of columns

// BookCredit changes the balance by e.Delta, even below zero, appends the entry to the
// ledger and returns it with ID and BalanceAfter. NotFound: no such account. Conflict:
// a completion of this candidate, or a grant with this reference, is already booked;
// then the transaction is lost.
func (t *Tx) BookCredit(ctx context.Context, e typus.CreditEntry) (typus.CreditEntry, error) {
	balance, err := db.One(ctx, t, db.ScanInt, noAccount,
		`update accounts set credits = credits + $1 where id = $2 returning credits`, e.Delta, e.AccountID)
	if err != nil {
		return typus.CreditEntry{}, err
	}
	e.BalanceAfter = balance
	// The unique index on candidate and reason is the second proof, beside the
	// candidate's status, that nobody pays twice.
	e.ID, err = db.One(ctx, t, db.ScanInt, "", `
		insert into credit_ledger (account_id, delta, reason, candidate_id, note, actor, balance_after, created_at, reference)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
		e.AccountID, e.Delta, string(e.Reason), db.IDOrNull(e.CandidateID), e.Note, e.Actor, e.BalanceAfter, db.Millis(e.CreatedAt), db.TextOrNull(e.Reference))
	return e, err
}

// CreditEntries lists the newest entries of the ledger, at most limit, newest first.
func (r *reads) CreditEntries(ctx context.Context, accountID int64, limit int) ([]typus.CreditEntry, error) {
	return db.All(ctx, r, scanCreditEntry, `
		select `+creditColumns+`
		from credit_ledger where account_id = $1 order by id desc limit $2`, accountID, limit)
}

func scanCreditEntry(row db.Row) (typus.CreditEntry, error) {
	var e typus.CreditEntry
	err := row.Scan(&e.ID, &e.AccountID, &e.Delta, &e.Reason, &e.CandidateID, &e.Note, &e.Actor, &e.BalanceAfter, (*db.Instant)(&e.CreatedAt), &e.Reference)
	return e, err
}

// LastGrant is the newest grant; an entry without an id when there was none.
func (r *reads) LastGrant(ctx context.Context, accountID int64) (typus.CreditEntry, error) {
	e, _, err := db.Maybe(ctx, r, scanCreditEntry, `
		select `+creditColumns+` from credit_ledger where account_id = $1 and reason = 'grant' order by id desc limit 1`, accountID)
	return e, err
}

// GrantByReference finds the grant that was booked under a reference.
func (r *reads) GrantByReference(ctx context.Context, accountID int64, reference string) (typus.CreditEntry, bool, error) {
	return db.Maybe(ctx, r, scanCreditEntry, `
		select `+creditColumns+` from credit_ledger where account_id = $1 and reference = $2`, accountID, reference)
}
