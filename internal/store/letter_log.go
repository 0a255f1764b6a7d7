package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// letterStands say to the database where a letter stands, as typus.Letter.Stand says it
// to the program; a test compares the two.
var letterStands = map[typus.LetterStand]string{
	typus.LetterStandWaiting:   `(state = 'queued' and attempts = 0 or state = 'sending' and attempts <= 1)` + notSent,
	typus.LetterStandDeferred:  `(state = 'queued' and attempts > 0 or state = 'sending' and attempts > 1)` + notSent,
	typus.LetterStandPostponed: `state = 'held' and held_until > 0` + notSent,
	typus.LetterStandSent:      `state = 'sent'`,
	typus.LetterStandUncertain: `state = 'uncertain'` + notSent,
	typus.LetterStandBounced:   `state = 'failed'` + notSent,
	typus.LetterStandHeld:      `state = 'held' and held_until is null` + notSent,
}

// notSent stands behind a condition from which it follows. It names the index of what is
// not sent to the planners, which do not know that one value excludes another; without
// it they read every letter of an account.
const notSent = ` and state <> 'sent'`

// letterLogs begin the statements, one for each stand, and one for all letters.
var letterLogs = func() map[typus.LetterStand]string {
	const all = `select ` + letterColumns + ` from letters where account_id = :account and id < :before`
	queries := map[typus.LetterStand]string{"": all}
	for stand, condition := range letterStands {
		queries[stand] = all + ` and ` + condition
	}
	return queries
}()

// LetterLog lists letters for a user that are older than the letter before (0: the
// newest), at most limit, newest first: those about nobody, and about candidates whom
// the user reads; those that stand so, or all for "". Invalid: no such stand.
func (r *reads) LetterLog(ctx context.Context, reader Reader, stand typus.LetterStand, before int64, limit int) ([]typus.Letter, error) {
	query, known := letterLogs[stand]
	if !known {
		return nil, typus.Errorf(typus.Invalid, "no letter can stand so")
	}
	if before <= 0 {
		before = 1<<63 - 1
	}
	q := reader.statement()
	q.Set("before", before)
	q.Set("limit", limit)
	q.Add(query + reader.about("candidate_id") + reader.posted() + ` order by id desc limit :limit`)
	text, args := q.Numbered()
	return db.All(ctx, r, scanLetter, text, args...)
}

const noLetter = "there is no such letter"

// LetterFor is Letter for a user who reads the candidate that it is about. NotFound.
func (r *reads) LetterFor(ctx context.Context, reader Reader, id int64) (typus.Letter, error) {
	q := reader.statement()
	q.Set("id", id)
	q.Add(`select ` + letterColumns + ` from letters where account_id = :account and id = :id` + reader.about("candidate_id") + reader.posted())
	query, args := q.Numbered()
	return db.One(ctx, r, scanLetter, noLetter, query, args...)
}

// Letter reads a letter of the account. NotFound.
func (r *reads) Letter(ctx context.Context, accountID, id int64) (typus.Letter, error) {
	return db.One(ctx, r, scanLetter, noLetter, `select `+letterColumns+` from letters where account_id = $1 and id = $2`, accountID, id)
}

// RetryLetter queues a letter that failed, is held or uncertain, or waits for its next
// attempt. It is due at once and goes before letters that nobody waits for. It reports
// false if the letter is sent or being sent, its recipient is erased, or there is no
// such letter. An uncertain letter goes once more, and is uncertain again if no mail
// server confirms it.
func (t *Tx) RetryLetter(ctx context.Context, accountID, id int64, at time.Time) (bool, error) {
	t.makesDue()
	last, err := t.behind(ctx, line{accountID, true})
	if err != nil {
		return false, err
	}
	n, err := t.db.Exec(ctx, `
		update letters set state = 'queued', urgent = 1, turn = $1, unclear = case when unclear < $2 then unclear else $3 end,
			held_until = null, sent_at = null, next_attempt_at = $4
		where account_id = $5 and id = $6 and state in ('queued', 'failed', 'held', 'uncertain') and recipient <> ''`,
		last.turn+1, typus.LetterCopies, typus.LetterCopies-1, db.Millis(at), accountID, id)
	return n == 1, err
}

// ReturnLetter marks a letter as failed that has come back after a mail server had taken it:
// the code of the reply and the words say why. It returns the letter; false if this sending
// is not the last one of a letter that is sent or uncertain, its recipient is erased, or
// there is none.
func (t *Tx) ReturnLetter(ctx context.Context, p typus.Posting, code int, why string) (typus.Letter, bool, error) {
	return db.Maybe(ctx, t, scanLetter, `
		update letters set state = 'failed', last_code = $1, last_error = $2
		where account_id = $3 and id = $4 and attempts = $5 and state in ('sent', 'uncertain') and kept = 0 and recipient <> ''
		returning `+letterColumns, code, why, p.AccountID, p.LetterID, p.Attempt)
}

// ForgetRecipients empties the recipient and the detail of up to 500 letters to
// accounts' own people that were written before the given time, oldest first, and
// returns how many those were. The caller repeats it until there are none. Letters
// about candidates are emptied with their candidate.
func (t *Tx) ForgetRecipients(ctx context.Context, before time.Time) (int, error) {
	return t.forgetLetters(ctx,
		`select id from letters where created_at < $1 and candidate_id is null and recipient <> '' order by created_at limit 500`, db.Millis(before))
}

// emptyLetters begins the statement that takes out of letters whom they were for and what
// they brought. Whoever is sending one finds the lease gone and writes nothing back.
const emptyLetters = `
	update letters set recipient = '', last_error = '', detail = null, held_until = null, lease_owner = '', lease_until = 0,
		state = case when state in ('queued', 'sending', 'held') then 'failed' else state end`

// forgetLetters empties letters whose ids a query gives, and returns how many.
func (t *Tx) forgetLetters(ctx context.Context, ids string, args ...any) (int, error) {
	return t.db.Exec(ctx, emptyLetters+` where id in (`+ids+`)`, args...)
}

// LetterTerms returns the account's own text of a letter to a candidate, nil for ours,
// and the address that the candidate may write to: that of the user who invited, if
// there still is one, else the account's own.
func (r *reads) LetterTerms(
	ctx context.Context, account typus.Account, kind typus.LetterKind, language string, invitedBy int64,
) (*typus.LetterTemplate, string, error) {
	own, err := r.LetterTemplate(ctx, account.ID, kind, language)
	if err != nil || invitedBy == 0 {
		return own, account.ContactEmail, err
	}
	u, err := r.User(ctx, account.ID, invitedBy)
	switch {
	case err == nil:
		return own, u.Email, nil
	case typus.Is(err, typus.NotFound):
		return own, account.ContactEmail, nil
	}
	return nil, "", err
}
