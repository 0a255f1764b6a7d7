package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// Due is a candidate of some account for whom something is due, and since when.
type Due struct {
	AccountID   int64
	CandidateID int64
	At          time.Time
}

func scanDue(row db.Row) (Due, error) {
	var d Due
	err := row.Scan(&d.AccountID, &d.CandidateID, (*db.Instant)(&d.At))
	return d, err
}

// DueReminders lists candidates whose reminder is to be considered now, of all accounts for
// which something is sent, the longest due first: up to limit of them, after the given one
// (zero: from the beginning).
func (r *reads) DueReminders(ctx context.Context, now time.Time, after Due, limit int) ([]Due, error) {
	return db.All(ctx, r, scanDue, `
		select account_id, id, remind_at from candidates
		where remind_at is not null and remind_at <= $1 and (remind_at, id) > ($2, $3) and not `+ofIdle(`account_id`)+` order by remind_at, id limit $4`,
		db.Millis(now), db.Millis(after.At), after.CandidateID, limit)
}

// RemindersAfter lists candidates whose reminder is planned for after the given time,
// in the way of DueReminders.
func (r *reads) RemindersAfter(ctx context.Context, at time.Time, after Due, limit int) ([]Due, error) {
	return db.All(ctx, r, scanDue, `
		select account_id, id, remind_at from candidates
		where remind_at is not null and remind_at > $1 and (remind_at, id) > ($2, $3) order by remind_at, id limit $4`,
		db.Millis(at), db.Millis(after.At), after.CandidateID, limit)
}

// Reminding is what decides whether a candidate is reminded, and when.
type Reminding struct {
	Sent    int       // reminders that went out by themselves
	Next    time.Time // when the next one is considered, zero: never
	OffAt   time.Time // when the candidate asked for none, zero: not
	SavedAt time.Time // when an answer was last saved, zero: never
}

func scanReminding(row db.Row) (Reminding, error) {
	var r Reminding
	err := row.Scan(&r.Sent, (*db.Instant)(&r.Next), (*db.Instant)(&r.OffAt), (*db.Instant)(&r.SavedAt))
	return r, err
}

// Reminding reads how a candidate is reminded. NotFound.
func (r *reads) Reminding(ctx context.Context, accountID, id int64) (Reminding, error) {
	return db.One(ctx, r, scanReminding, noCandidate, `
		select c.reminded, c.remind_at, c.reminders_off_at, s.saved_at
		from candidates c left join sheets s on s.candidate_id = c.id where c.account_id = $1 and c.id = $2`, accountID, id)
}

// SetReminding stores how many reminders went out by themselves and when the
// next is considered, the zero time for never. NotFound.
func (t *Tx) SetReminding(ctx context.Context, accountID, id int64, sent int, next time.Time) error {
	return t.db.Must(ctx, noCandidate, `update candidates set reminded = $1, remind_at = $2 where account_id = $3 and id = $4`,
		sent, db.MillisOrNull(next), accountID, id)
}

// StopReminders stores that the candidate wants none; false when that is stored
// already, or there is no such candidate.
func (t *Tx) StopReminders(ctx context.Context, accountID, id int64, at time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `
		update candidates set reminders_off_at = $1, remind_at = null where account_id = $2 and id = $3 and reminders_off_at is null`,
		db.Millis(at), accountID, id)
	return n == 1, err
}

// DueExpiries lists candidates of all accounts whose invitation has run out unfinished
// and is not noted as expired, the earliest first: up to limit of them, after the given
// one (zero: from the beginning).
func (r *reads) DueExpiries(ctx context.Context, now time.Time, after Due, limit int) ([]Due, error) {
	return db.All(ctx, r, scanDue, `
		select account_id, id, expires_at from candidates
		where `+ranOut+`$1 and expired_at is null
			and (expires_at, id) > ($2, $3) order by expires_at, id limit $4`,
		db.Millis(now), db.Millis(after.At), after.CandidateID, limit)
}

// ExpireCandidate notes that an invitation has run out, frees its OpenRef and ends its
// reminders. It reports false if the invitation has not run out, or that is already
// noted.
func (t *Tx) ExpireCandidate(ctx context.Context, accountID, id int64, now time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `
		update candidates set expired_at = $1, open_ref = null, remind_at = null
		where account_id = $2 and id = $3 and `+ranOut+`$4 and expired_at is null`,
		db.Millis(now), accountID, id, db.Millis(now))
	return n == 1, err
}
