package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// Interview is what a user has done with the result of a candidate.
type Interview struct {
	CandidateID int64
	UserID      int64
	RatedAt     time.Time // when the ratings were saved, zero: not yet
	OpenedAt    time.Time // when the result was opened without them, zero: it was not
	Reason      string    // why it was
}

func scanInterview(row db.Row) (Interview, error) {
	var i Interview
	err := row.Scan(&i.CandidateID, &i.UserID, (*db.Instant)(&i.RatedAt), (*db.Instant)(&i.OpenedAt), &i.Reason)
	return i, err
}

// OpenUnrated stores that a user opens a candidate's result without having rated, and
// why. It reports false if they have rated or opened it before. The caller has locked
// the candidate for the user.
func (t *Tx) OpenUnrated(ctx context.Context, candidateID, userID int64, reason string, at time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `
		insert into interviews (candidate_id, user_id, opened_at, opened_without_reason) values ($1, $2, $3, $4)
		on conflict (candidate_id, user_id) do update set opened_at = excluded.opened_at, opened_without_reason = excluded.opened_without_reason
			where interviews.rated_at is null and interviews.opened_at is null`,
		candidateID, userID, db.Millis(at), reason)
	return n == 1, err
}

// InterviewsOf lists what users have done with the result of a candidate whom the reader
// reads: only what the reader has, where they are blind to the candidate.
func (r *reads) InterviewsOf(ctx context.Context, reader Reader, candidateID int64) ([]Interview, error) {
	q := reader.statement()
	q.Set("id", candidateID)
	q.Add(reader.interviewsOf())
	query, args := q.Numbered()
	return db.All(ctx, r, scanInterview, query, args...)
}

const interviewColumns = `i.candidate_id, i.user_id, i.rated_at, i.opened_at, i.opened_without_reason`

// interviewsOf is the statement of InterviewsOf, about the candidate :id.
func (r Reader) interviewsOf() string {
	blind := ""
	if r.Blind.Somewhere {
		blind = `
			and (i.user_id = :user or not ` + r.blindTo("c") + `)`
	}
	return `
		select ` + interviewColumns + `
		from candidates c join interviews i on i.candidate_id = c.id
		where c.account_id = :account and c.id = :id` + r.within("c") + blind + ` order by i.user_id`
}
