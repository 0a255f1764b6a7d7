package store

import (
	"context"
	"slices"
	"strconv"
	"time"

	"typus"
	"typus/internal/db"
)

const letterColumns = letterFacts + `, detail`

// letterFacts are the columns of a letter without what is sealed in it.
const letterFacts = `id, account_id, coalesce(candidate_id, 0), coalesce(user_id, 0), kind, language, recipient, state, attempts, unclear, urgent,
	next_attempt_at, held_until, last_code, last_error, created_at, sent_at`

func scanLetter(row db.Row) (typus.Letter, error) {
	var l typus.Letter
	err := row.Scan(letterFields(&l)...)
	return l, err
}

func letterFields(l *typus.Letter) []any {
	return []any{
		&l.ID, &l.AccountID, &l.CandidateID, &l.UserID, &l.Kind, &l.Language, &l.To, &l.State, &l.Attempts, &l.Unclear, (*db.Truth)(&l.Urgent),
		(*db.Instant)(&l.NextAttemptAt), (*db.Instant)(&l.HeldUntil), &l.LastCode, &l.LastError, (*db.Instant)(&l.CreatedAt), (*db.Instant)(&l.SentAt), &l.Detail,
	}
}

// AddLetter puts a letter into the outbox: queued, due at CreatedAt, unless
// State and NextAttemptAt say otherwise.
func (t *Tx) AddLetter(ctx context.Context, l typus.Letter) (int64, error) {
	list, err := t.lineUp(ctx, l)
	if err != nil {
		return 0, err
	}
	row := letterRow(list[0])
	return db.One(ctx, t, db.ScanInt, "", addLetters+db.RowPlaces(1, len(row))+` returning id`, row...)
}

// AddLetters is AddLetter for many.
func (t *Tx) AddLetters(ctx context.Context, list []typus.Letter) error {
	lined, err := t.lineUp(ctx, list...)
	if err != nil {
		return err
	}
	return db.InsertAll(ctx, t.db, addLetters, lined, letterRow)
}

const addLetters = `
	insert into letters (account_id, candidate_id, user_id, kind, language, recipient, state, kept, urgent, turn, next_attempt_at, created_at, detail)
	values `

func letterRow(l lined) []any {
	return []any{
		l.AccountID, db.IDOrNull(l.CandidateID), db.IDOrNull(l.UserID), string(l.Kind), l.Language, l.To, string(l.State), db.Flag(l.kept), db.Flag(l.Urgent), db.IDOrNull(l.turn),
		db.Millis(l.NextAttemptAt), db.Millis(l.CreatedAt), l.Detail,
	}
}

// completed is a new letter with its defaults filled in.
func completed(l typus.Letter) typus.Letter {
	l.Urgent = l.Urgent || l.Kind.Urgent()
	if l.State == "" {
		l.State = typus.LetterQueued
	}
	if l.NextAttemptAt.IsZero() {
		l.NextAttemptAt = l.CreatedAt
	}
	return l
}

// LastLetter is the newest letter of a kind to a candidate. NotFound.
func (r *reads) LastLetter(ctx context.Context, accountID, candidateID int64, kind typus.LetterKind) (typus.Letter, error) {
	return db.One(ctx, r, scanLetter, noLetter, `
		select `+letterColumns+` from letters
		where account_id`+db.OffIndex+` = $1 and candidate_id = $2 and kind = $3 order by id desc limit 1`,
		accountID, candidateID, string(kind))
}

// AccountLetterSince reports whether a letter of this kind to the account's own people
// was written at or after since, and not later than now. A letter from the future was
// written by a wrong clock and does not count.
func (r *reads) AccountLetterSince(ctx context.Context, accountID int64, kind typus.LetterKind, since, now time.Time) (bool, error) {
	_, found, err := db.Maybe(ctx, r, db.ScanInt, `
		select id from letters where account_id = $1 and kind = $2 and created_at >= $3 and created_at <= $4 and candidate_id is null limit 1`,
		accountID, string(kind), db.Millis(since), db.Millis(now.Add(typus.Skew)))
	return found, err
}

// LastLetterFor is LastLetter for a user. NotFound.
func (r *reads) LastLetterFor(ctx context.Context, reader Reader, candidateID int64, kind typus.LetterKind) (typus.Letter, error) {
	q := reader.statement()
	q.Set("id", candidateID)
	q.Set("kind", string(kind))
	q.Add(`
		select ` + letterColumns + ` from letters
		where account_id` + db.OffIndex + ` = :account and candidate_id = :id and kind = :kind` + reader.about("candidate_id") + reader.posted() + ` order by id desc limit 1`)
	query, args := q.Numbered()
	return db.One(ctx, r, scanLetter, noLetter, query, args...)
}

// lettersFor is a statement: the newest letters about the candidate :id, newest first, without
// what is sealed in them: no page shows it, and a bundle has no place for bytes.
func (r Reader) lettersFor() string {
	return `
		select ` + letterFacts + `, null
		from letters where account_id` + db.OffIndex + ` = :account and candidate_id = :id` + r.about("candidate_id") + r.posted() +
		` order by id desc limit ` + strconv.Itoa(lettersShown)
}

// lettersShown is how many letters are read of one candidate.
const lettersShown = 200

// LettersOf lists the letters about a candidate, oldest first: the newest 200.
func (r *reads) LettersOf(ctx context.Context, accountID, candidateID int64) ([]typus.Letter, error) {
	list, err := db.All(ctx, r, scanLetter, `
		select `+letterColumns+`
		from letters where account_id`+db.OffIndex+` = $1 and candidate_id = $2 order by id desc limit $3`, accountID, candidateID, lettersShown)
	slices.Reverse(list)
	return list, err
}

// A sum has no index: SQLite would read all letters of the account.
var mailStatesQuery = `select candidate_id, state from letters where account_id` + db.OffIndex + ` = $1 and candidate_id in (` + idPlaces + `)
	and ` + isInvitation + ` order by id`

type mailState struct {
	candidateID int64
	state       typus.LetterState
}

func scanMailState(row db.Row) (mailState, error) {
	var m mailState
	err := row.Scan(&m.candidateID, &m.state)
	return m, err
}

// MailStates maps candidates to the state of their newest invitation letter;
// those without one are absent. Invalid: more than 100 ids.
func (r *reads) MailStates(ctx context.Context, accountID int64, candidateIDs []int64) (map[int64]typus.LetterState, error) {
	args, err := idArgs(accountID, candidateIDs)
	if err != nil {
		return nil, err
	}
	list, err := db.All(ctx, r, scanMailState, mailStatesQuery, args...)
	states := make(map[int64]typus.LetterState, len(list))
	for _, m := range list {
		states[m.candidateID] = m.state
	}
	return states, err
}

// Letters lists the newest letters of an account, at most limit, newest first.
func (r *reads) Letters(ctx context.Context, accountID int64, limit int) ([]typus.Letter, error) {
	return db.All(ctx, r, scanLetter, `
		select `+letterColumns+` from letters where account_id = $1 order by id desc limit $2`, accountID, limit)
}

// QueuedLetters counts what waits in the outbox for a mail server, over all accounts.
func (s *Store) QueuedLetters(ctx context.Context) (int, error) {
	n, err := db.One(ctx, s, db.ScanInt, "", `select count(*) from letters where state = 'queued'`+notSent+` and kept = 0`)
	return int(n), err
}
