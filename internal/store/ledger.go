package store

import (
	"context"
	"database/sql"
	"math"
	"time"

	"typus"
	"typus/internal/db"
)

// LedgerRow is an entry of the ledger with the name of the candidate it is about.
type LedgerRow struct {
	typus.CreditEntry
	Name   string // "" for a grant, once the candidate is erased, and where Hidden
	Hidden bool   // the reader does not read the candidate, or is blind to them: CandidateID is 0, and CreatedAt when the day began for the account's people
}

// Ledger lists entries of the ledger that are older than the entry before, at
// most limit, newest first; 0 begins with the newest. It is the account's and whole for
// every reader, but does not say whom an entry is about whom they do not read, or to whom
// they are blind, nor when on that day: its time is when the test was completed.
func (r *reads) Ledger(ctx context.Context, reader Reader, before int64, limit int) ([]LedgerRow, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	q := reader.statement()
	q.Set("before", before)
	q.Set("limit", limit)
	q.Add(`
		select ` + creditColumns + `,
			(select c.name from candidates c where c.account_id = :account and c.id = credit_ledger.candidate_id` + reader.within("c") + reader.unless("c.id", `0 <> 0`, reader.blindTo) + `),
			(select w.ahead from accounts w where w.id = :account), (select z.zone from accounts z where z.id = :account)
		from credit_ledger where account_id = :account and id < :before order by id desc limit :limit`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanLedgerRow, query, args...)
}

func scanLedgerRow(row db.Row) (LedgerRow, error) {
	var (
		out  LedgerRow
		name sql.NullString // null: not for this reader
		of   typus.Account
		err  error
	)
	out.CreditEntry, err = scanCreditEntry(withMore{row, []any{&name, (*db.Milliseconds)(&of.Ahead), &of.Zone}})
	out.Name, out.Hidden = name.String, !name.Valid && out.CandidateID != 0
	if out.Hidden {
		out.CandidateID, out.CreatedAt = 0, of.DayBegins(out.CreatedAt)
	}
	return out, err
}

// paceEntries is how far back the ledger is read to see how fast credits go.
const paceEntries = 5000

// CreditOutlook is what a forecast of the balance is made from.
type CreditOutlook struct {
	Open      int       // tests that are open or begun, each of which will cost a credit when it is finished
	LastGrant int64     // the newest grant, 0 if there was none
	Finished  int       // completions booked of late
	First     time.Time // when the first of them was, zero for none
}

// CreditOutlook reads what a forecast of the balance is made from: how many tests are
// open at the given time, and the completions since. For the latter it reads only the
// newest 5,000 entries of the ledger.
func (r *reads) CreditOutlook(ctx context.Context, accountID int64, at, since time.Time) (CreditOutlook, error) {
	return db.One(ctx, r, func(row db.Row) (CreditOutlook, error) {
		var o CreditOutlook
		err := row.Scan(&o.Open, &o.LastGrant, &o.Finished, (*db.Instant)(&o.First))
		return o, err
	}, "", `
		select
			(select count(*) from candidates
				where account_id = $1 and `+goesOn+`$2),
			coalesce((select delta from credit_ledger where account_id = $1 and reason = 'grant' order by id desc limit 1), 0),
			count(*), min(created_at)
		from (select reason, created_at from credit_ledger where account_id = $1 order by id desc limit $3) latest
		where created_at >= $4 and reason = 'completion'`, accountID, db.Millis(at), paceEntries, db.Millis(since))
}
