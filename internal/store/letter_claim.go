package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"typus"
)

// Claim says which letters are wanted.
type Claim struct {
	Owner string
	Lease time.Duration
	Limit int
	// PerDay is how many letters of one account go out to others in a day (UTC),
	// 0 for any number. What is above it is held until the next day.
	PerDay int
}

// ClaimLetters takes due letters for the length of the lease. Their To is the
// address to send to now: for letters to candidates the candidate's present one.
func (s *Store) ClaimLetters(ctx context.Context, want Claim) ([]typus.Letter, error) {
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
				recipient = case when kind in ('invitation', 'reminder', 'receipt')
					then coalesce((select c.email from candidates c where c.id = letters.candidate_id), recipient) else recipient end
			where id in (select id from due) and state = 'queued' returning `+letterColumns,
			millis(now), want.Limit, want.Owner, millis(now.Add(want.Lease)))
		if err == nil && want.PerDay > 0 {
			claimed, err = tx.holdAbove(ctx, want.PerDay, claimed, now)
		}
		return err
	})
	return claimed, err
}

// holdAbove holds the claimed letters that are above the daily number of their
// account until the next day, and returns the others. The account is locked, so
// that two instances do not both find room for the last one.
func (t *Tx) holdAbove(ctx context.Context, perDay int, claimed []typus.Letter, now time.Time) ([]typus.Letter, error) {
	today := now.UTC().Truncate(24 * time.Hour)
	slices.SortFunc(claimed, func(a, b typus.Letter) int {
		return cmp.Or(cmp.Compare(a.AccountID, b.AccountID), cmp.Compare(a.ID, b.ID))
	})
	var (
		going []typus.Letter
		room  = map[int64]int{}
	)
	for _, l := range claimed {
		if !l.Kind.Counted() {
			going = append(going, l)
			continue
		}
		if _, known := room[l.AccountID]; !known {
			if _, err := t.LockAccount(ctx, l.AccountID); err != nil {
				return nil, err
			}
			used, err := t.lettersOn(ctx, l.AccountID, today)
			if err != nil {
				return nil, err
			}
			mine := 0
			for _, other := range claimed {
				if other.AccountID == l.AccountID && other.Kind.Counted() {
					mine++
				}
			}
			room[l.AccountID] = perDay - (used - mine)
		}
		if room[l.AccountID]--; room[l.AccountID] >= 0 {
			going = append(going, l)
			continue
		}
		_, err := t.exec(ctx, `
			update letters set state = 'held', held_until = $1, attempts = attempts - 1, lease_owner = '', lease_until = 0 where account_id = $2 and id = $3`,
			millis(today.Add(24*time.Hour)), l.AccountID, l.ID)
		if err != nil {
			return nil, err
		}
	}
	return going, nil
}

// lettersOn counts the letters of an account to others that went out since the
// given time, and those that are going out right now.
func (t *Tx) lettersOn(ctx context.Context, accountID int64, since time.Time) (int, error) {
	sent, err := one(ctx, t.reads, scanInt, "", `
		select count(*) from letters where account_id = $1 and sent_at >= $2 and kind in ('invitation', 'reminder', 'receipt', 'team_invitation')`,
		accountID, millis(since))
	if err != nil {
		return 0, err
	}
	going, err := one(ctx, t.reads, scanInt, "", `
		select count(*) from letters
		where account_id = $1 and state = 'sending' and state <> 'sent' and kind in ('invitation', 'reminder', 'receipt', 'team_invitation')`, accountID)
	return int(sent + going), err
}

// ReleaseHeld queues the letters again that were held for their day, and says how
// many. A day that lies further ahead than one can was set by a wrong clock.
func (s *Store) ReleaseHeld(ctx context.Context) (int, error) {
	var n int
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := tx.now(ctx)
		if err != nil {
			return err
		}
		n, err = tx.exec(ctx, `
			update letters set state = 'queued', held_until = null, next_attempt_at = $1
			where state = 'held' and held_until is not null and (held_until <= $2 or held_until > $3)`,
			millis(now), millis(now), millis(now.Add(24*time.Hour)))
		return err
	})
	return n, err
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
