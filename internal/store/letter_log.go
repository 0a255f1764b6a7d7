package store

import (
	"context"
	"time"

	"typus"
)

// LetterFilter chooses letters for the log.
type LetterFilter string

// The filters. Each letter is in exactly one of them, but LettersAll.
const (
	LettersAll      LetterFilter = ""
	LettersWaiting  LetterFilter = "waiting"  // not tried yet
	LettersDeferred LetterFilter = "deferred" // tried, and to be tried again
	LettersSent     LetterFilter = "sent"
	LettersBounced  LetterFilter = "bounced" // refused for good
	LettersHeld     LetterFilter = "held"
)

// letterLogs are the statements, one for each filter. What is not sent has an
// index of its own.
var letterLogs = func() map[LetterFilter]string {
	queries := map[LetterFilter]string{}
	for filter, condition := range map[LetterFilter]string{
		LettersAll:      ``,
		LettersWaiting:  ` and state in ('queued', 'sending') and attempts = 0 and state <> 'sent'`,
		LettersDeferred: ` and state in ('queued', 'sending') and attempts > 0 and state <> 'sent'`,
		LettersSent:     ` and state = 'sent'`,
		LettersBounced:  ` and state = 'failed' and state <> 'sent'`,
		LettersHeld:     ` and state = 'held' and state <> 'sent'`,
	} {
		queries[filter] = `select ` + letterColumns + ` from letters where account_id = $1 and id < $2` + condition + ` order by id desc limit $3`
	}
	return queries
}()

// LetterLog lists letters of an account older than the letter before (0: the
// newest), at most limit, newest first. Invalid: no such filter.
func (r reads) LetterLog(ctx context.Context, accountID int64, filter LetterFilter, before int64, limit int) ([]typus.Letter, error) {
	query, known := letterLogs[filter]
	if !known {
		return nil, typus.Errorf(typus.Invalid, "there is no such filter of letters")
	}
	if before <= 0 {
		before = 1<<63 - 1
	}
	return all(ctx, r, scanLetter, query, accountID, before, limit)
}

// Letter reads a letter of the account. NotFound.
func (r reads) Letter(ctx context.Context, accountID, id int64) (typus.Letter, error) {
	return one(ctx, r, scanLetter, "there is no such letter", `select `+letterColumns+` from letters where account_id = $1 and id = $2`, accountID, id)
}

// RetryLetter queues a letter at once that failed, is held, or waits for its
// next attempt; false when it is sent or being sent, when its recipient is erased, or
// when there is no such letter.
func (t *Tx) RetryLetter(ctx context.Context, accountID, id int64, at time.Time) (bool, error) {
	n, err := t.exec(ctx, `
		update letters set state = 'queued', held_until = null, next_attempt_at = $1
		where account_id = $2 and id = $3 and state in ('queued', 'failed', 'held') and recipient <> ''`, millis(at), accountID, id)
	return n == 1, err
}
