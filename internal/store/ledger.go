package store

import (
	"context"
	"math"
	"time"

	"typus"
)

// Ledger lists entries of the ledger that are older than the entry before, at
// most limit, newest first; 0 begins with the newest.
func (r reads) Ledger(ctx context.Context, accountID, before int64, limit int) ([]typus.CreditEntry, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return all(ctx, r, scanCreditEntry, `
		select `+creditColumns+`
		from credit_ledger where account_id = $1 and id < $2 order by id desc limit $3`, accountID, before, limit)
}

// paceEntries is how far back the ledger is read to see how fast credits go.
const paceEntries = 5000

// CreditPace counts the completions booked at or after since and says when the
// first of them was; it looks at the newest 5,000 entries only.
func (r reads) CreditPace(ctx context.Context, accountID int64, since time.Time) (int, time.Time, error) {
	type pace struct {
		n     int
		first instant
	}
	p, err := one(ctx, r, func(row scanner) (pace, error) {
		var p pace
		err := row.Scan(&p.n, &p.first)
		return p, err
	}, "", `
		select count(*), min(created_at) from (
			select reason, created_at from credit_ledger where account_id = $1 order by id desc limit $2) latest
		where created_at >= $3 and reason = 'completion'`, accountID, paceEntries, millis(since))
	return p.n, time.Time(p.first), err
}

// OpenInvitations counts the tests that can still be finished at the given time,
// each of which will cost a credit then.
func (r reads) OpenInvitations(ctx context.Context, accountID int64, at time.Time) (int, error) {
	n, err := one(ctx, r, scanInt, "", `
		select count(*) from candidates
		where account_id = $1 and status in ('offen', 'begonnen') and expires_at > $2
			and cancelled_at is null and declined_at is null and erased_at is null`, accountID, millis(at))
	return int(n), err
}
