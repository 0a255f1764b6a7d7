package store

import (
	"context"
	"strconv"
	"time"

	"typus"
	"typus/internal/db"
)

// HandingOver is called before a mail server gets the text of a letter. If owner still
// holds the letter, it notes that the letter may arrive from now on without our
// knowing; FinishLetter replaces that note. False means that somebody else owns the
// letter, and it must not go out.
func (s *Store) HandingOver(ctx context.Context, owner string, l typus.Letter) (bool, error) {
	var changed int
	err := s.InTx(ctx, func(tx *Tx) error {
		var err error
		changed, err = tx.db.Exec(ctx, `
			update letters set unclear = $1 where account_id = $2 and id = $3 and state = 'sending' and lease_owner = $4 and attempts = $5`,
			l.Unclear+1, l.AccountID, l.ID, owner, l.Attempts)
		return err
	})
	return changed == 1 && err == nil, err
}

// FinishLetter writes the outcome back if owner still holds the letter. l.State is
// sent, uncertain, failed for good, held for a person, or queued again and due after
// the given wait. It also stores l.To, Unclear, LastCode and LastError. False means
// that somebody else owns the letter.
func (s *Store) FinishLetter(ctx context.Context, owner string, l typus.Letter, in time.Duration) (bool, error) {
	var mine bool
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		mine, err = tx.finishLetter(ctx, owner, l, now, in)
		return err
	})
	return mine && err == nil, err
}

func (t *Tx) finishLetter(ctx context.Context, owner string, l typus.Letter, now time.Time, in time.Duration) (bool, error) {
	var sentAt any
	if l.State == typus.LetterSent || l.State == typus.LetterUncertain {
		sentAt = db.Millis(now)
	}
	changed, err := t.db.Exec(ctx, `
		update letters set state = $1, recipient = $2, unclear = $3, last_code = $4, last_error = $5, next_attempt_at = $6, sent_at = $7,
			turn = null, lease_owner = '', lease_until = 0
		where account_id = $8 and id = $9 and state = 'sending' and lease_owner = $10 and attempts = $11`,
		string(l.State), l.To, l.Unclear, l.LastCode, l.LastError, db.Millis(now.Add(in)), sentAt, l.AccountID, l.ID, owner, l.Attempts)
	return changed == 1, err
}

// ReleaseLetters gives back what this owner has claimed and not finished, for a clean
// stop. The letters are due at once. It returns how many those were.
func (s *Store) ReleaseLetters(ctx context.Context, owner string) (int, error) {
	return s.takeLettersFrom(ctx, `lease_owner = $6`, owner)
}

// TakeBackLetters gives back what all owners have claimed, and returns how many letters
// those were. The caller must know that none of the owners is alive.
func (s *Store) TakeBackLetters(ctx context.Context) (int, error) {
	return s.takeLettersFrom(ctx, `lease_owner <> $6`, "")
}

func (s *Store) takeLettersFrom(ctx context.Context, condition, owner string) (int, error) {
	var n int
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err == nil {
			n, err = tx.requeueLetters(ctx, now, condition, owner)
		}
		return err
	})
	return n, err
}

// Ahead is how far ahead of now the times in the outbox can lie. A time beyond that was
// written by a wrong clock and counts as past.
type Ahead struct {
	Lease time.Duration // of a letter that is being sent
	Again time.Duration // of one that was tried and is to be tried again
}

// ahead is how far ahead of now a letter can be due that was not tried yet. Daily
// letters wait until the next morning.
const ahead = 24*time.Hour + typus.Skew

// SweepLetters queues letters again whose lease has expired, and makes letters due that
// wait for an impossible time. It returns how many those were. A letter that may have
// arrived LetterCopies times is not queued again; it becomes uncertain.
func (s *Store) SweepLetters(ctx context.Context, most Ahead) (int, error) {
	var n int
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		freed, err := tx.requeueLetters(ctx, now, `(lease_until < $6 or lease_until > $7)`, db.Millis(now), db.Millis(now.Add(most.Lease)))
		if err != nil {
			return err
		}
		tried, err := tx.dueAfterAll(ctx, now, `attempts > 0 and next_attempt_at > $2`, most.Again)
		if err != nil {
			return err
		}
		others, err := tx.dueAfterAll(ctx, now, `kept in (0, 1) and urgent in (0, 1) and next_attempt_at > $2`, ahead)
		n = freed + tried + others
		return err
	})
	return n, err
}

// requeueLetters takes letters from their owner and queues them again. The parameters
// of the condition begin at 6.
func (t *Tx) requeueLetters(ctx context.Context, now time.Time, condition string, more ...any) (int, error) {
	return t.dueNow(ctx, `
		update letters set state = case when unclear >= $1 then 'uncertain' else 'queued' end,
			sent_at = case when unclear >= $2 then $3 else sent_at end, last_error = case when unclear > 0 then $4 else last_error end,
			turn = null, next_attempt_at = $5, lease_owner = '', lease_until = 0
		where state = 'sending' and `+condition,
		append([]any{typus.LetterCopies, typus.LetterCopies, db.Millis(now), typus.Unknown, db.Millis(now)}, more...)...)
}

// dueAfterAll makes letters due now that wait for a time further ahead than most.
func (t *Tx) dueAfterAll(ctx context.Context, now time.Time, condition string, most time.Duration) (int, error) {
	return t.dueNow(ctx, `update letters set next_attempt_at = $1 where state = 'queued' and turn is null and `+condition,
		db.Millis(now), db.Millis(now.Add(most)))
}

// NextLetter is the wait until a letter is due that is to be sent; false when none waits.
func (s *Store) NextLetter(ctx context.Context) (time.Duration, bool, error) {
	return s.waitFor(ctx, nextLetter(false))
}

// NextKeptLetter is NextLetter for the letters of test worlds.
func (s *Store) NextKeptLetter(ctx context.Context) (time.Duration, bool, error) {
	return s.waitFor(ctx, nextLetter(true))
}

func nextLetter(kept bool) string {
	queued := ` from letters where kept = ` + strconv.FormatInt(db.Flag(kept), 10) + ` and state = 'queued' and turn is `
	return `
		with waiting as (
			select 1 as at where exists (select 1` + queued + `not null)
			union all
			select min(next_attempt_at)` + queued + `null and urgent = 1
			union all
			select min(next_attempt_at)` + queued + `null and urgent = 0)
		select min(at) from waiting`
}
