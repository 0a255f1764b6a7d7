package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// Try is one of the counts that slow guessing down.
type Try struct {
	Failures int64     // in a row, this one included
	Until    time.Time // no further try before
}

func scanTry(row db.Row) (Try, error) {
	var t Try
	err := row.Scan(&t.Failures, (*db.Instant)(&t.Until))
	return t, err
}

// CountTry counts a try of who as failed before its outcome is known, so that tries at
// the same time count as well. Earlier failures do not count if the last of them is
// longer ago than kept, or as far ahead, where only a wrong clock can have put it.
// Until is the wait that is in force; Delay sets the next one.
func (t *Tx) CountTry(ctx context.Context, who string, at time.Time, kept time.Duration) (Try, error) {
	return db.One(ctx, t, scanTry, "", `
		insert into login_failures (who, failures, until, seen_at) values ($1, 1, 0, $2)
		on conflict (who) do update set
			failures = case when login_failures.seen_at < $3 or login_failures.seen_at > $4 then 1 else login_failures.failures + 1 end,
			seen_at = excluded.seen_at
		returning failures, until`,
		who, db.Millis(at), db.Millis(at.Add(-kept)), db.Millis(at.Add(kept)))
}

// Delay sets when who may try again.
func (t *Tx) Delay(ctx context.Context, who string, until time.Time) error {
	_, err := t.db.Exec(ctx, `update login_failures set until = $1 where who = $2`, db.Millis(until), who)
	return err
}

// UncountTry takes back what CountTry counted, with the wait it led to.
func (t *Tx) UncountTry(ctx context.Context, who string) error {
	_, err := t.db.Exec(ctx, `update login_failures set failures = failures - 1, until = 0 where who = $1 and failures > 0`, who)
	return err
}

// KeepTry notes when the outcome of a counted try was known.
func (t *Tx) KeepTry(ctx context.Context, who string, at time.Time) error {
	_, err := t.db.Exec(ctx, `update login_failures set seen_at = $1 where who = $2`, db.Millis(at), who)
	return err
}

// ForgetTries forgets the failures that are counted for somebody.
func (t *Tx) ForgetTries(ctx context.Context, who string) error {
	_, err := t.db.Exec(ctx, `delete from login_failures where who = $1`, who)
	return err
}

// DropTries forgets up to 500 counts that nobody has added to since before, and
// says how many.
func (t *Tx) DropTries(ctx context.Context, before time.Time) (int, error) {
	return t.db.Exec(ctx, `
		delete from login_failures where who in (select who from login_failures where seen_at < $1 order by seen_at limit 500)`,
		db.Millis(before))
}
