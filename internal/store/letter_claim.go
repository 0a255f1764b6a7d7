package store

import (
	"context"
	"time"

	"typus"
)

// ClaimLetters takes up to limit due letters for the length of the lease. Their
// To is the address to send to now: for letters to candidates the candidate's
// present one.
func (s *Store) ClaimLetters(ctx context.Context, owner string, lease time.Duration, limit int) ([]typus.Letter, error) {
	var claimed []typus.Letter
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := tx.now(ctx)
		if err != nil {
			return err
		}
		claimed, err = all(ctx, tx.reads, scanLetter, `
			with due as (
				select id from letters where state = 'queued' and next_attempt_at <= $1
				order by next_attempt_at, id limit $2`+tx.d.skipLocked+`)
			update letters set state = 'sending', attempts = attempts + 1, lease_owner = $3, lease_until = $4,
				recipient = coalesce((select c.email from candidates c where c.id = letters.candidate_id), recipient)
			where id in (select id from due) and state = 'queued' returning `+letterColumns,
			millis(now), limit, owner, millis(now.Add(lease)))
		return err
	})
	return claimed, err
}

// FinishLetter writes the outcome back if owner still holds the letter: with
// l.State sent or failed for good, held for a person, or queued again, due after
// the given wait; l.To, LastCode and LastError are kept with it. False: somebody
// else owns the letter.
func (s *Store) FinishLetter(ctx context.Context, owner string, l typus.Letter, in time.Duration) (bool, error) {
	var changed int
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := tx.now(ctx)
		if err != nil {
			return err
		}
		var sentAt any
		if l.State == typus.LetterSent {
			sentAt = millis(now)
		}
		changed, err = tx.exec(ctx, `
			update letters set state = $1, recipient = $2, last_code = $3, last_error = $4, next_attempt_at = $5, sent_at = $6,
				lease_owner = '', lease_until = 0
			where account_id = $7 and id = $8 and state = 'sending' and lease_owner = $9 and attempts = $10`,
			string(l.State), l.To, l.LastCode, l.LastError, millis(now.Add(in)), sentAt, l.AccountID, l.ID, owner, l.Attempts)
		return err
	})
	return changed == 1 && err == nil, err
}

// ReleaseLetters gives back what this owner has claimed and not finished, for a
// clean stop, due at once, and says how many letters that were.
func (s *Store) ReleaseLetters(ctx context.Context, owner string) (int, error) {
	return s.requeueLetters(ctx, `lease_owner = $2`, func(time.Time) any { return owner })
}

// SweepLetters puts letters whose lease has expired back into the queue, and
// says how many. Such a letter may have been sent: it is better sent twice than
// never.
func (s *Store) SweepLetters(ctx context.Context) (int, error) {
	return s.requeueLetters(ctx, `lease_until < $2`, func(now time.Time) any { return millis(now) })
}

func (s *Store) requeueLetters(ctx context.Context, condition string, value func(now time.Time) any) (int, error) {
	var n int
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := tx.now(ctx)
		if err != nil {
			return err
		}
		n, err = tx.exec(ctx, `
			update letters set state = 'queued', next_attempt_at = $1, lease_owner = '', lease_until = 0
			where state = 'sending' and `+condition, millis(now), value(now))
		return err
	})
	return n, err
}

// NextLetter is the wait until a letter is due; false when none waits.
func (s *Store) NextLetter(ctx context.Context) (time.Duration, bool, error) {
	return s.waitFor(ctx, `select min(next_attempt_at) from letters where state = 'queued'`)
}
