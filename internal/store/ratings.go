package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// Rating is what a user heard in answer to a question, and how they rated it.
type Rating struct {
	CandidateID int64 // read only, as Final and Informed
	UserID      int64
	Author      string // who it is, as they were called then
	Question    string // its key
	Mark        *int   // 1 to 5, 0: not asked or not to be judged, nil: not marked yet
	Note        string
	SavedAt     time.Time
	Final       bool // the user has saved the ratings, this is no draft
	Informed    bool // the user had seen the result when they saved them
}

func scanRating(row db.Row) (Rating, error) {
	var (
		r    Rating
		mark int // below 0: none
	)
	err := row.Scan(&r.CandidateID, &r.UserID, &r.Author, &r.Question, &mark, &r.Note, (*db.Instant)(&r.SavedAt), (*db.Truth)(&r.Final), (*db.Truth)(&r.Informed))
	if mark >= 0 {
		r.Mark = &mark
	}
	return r, err
}

// PutRating keeps a user's rating of an answer in place of an earlier one. The caller has
// locked the candidate for the user.
func (t *Tx) PutRating(ctx context.Context, candidateID int64, r Rating) error {
	var mark any
	if r.Mark != nil {
		mark = *r.Mark
	}
	_, err := t.db.Exec(ctx, `
		insert into ratings (candidate_id, user_id, author, question, mark, note, saved_at) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (candidate_id, user_id, question) do update set author = excluded.author, mark = excluded.mark, note = excluded.note, saved_at = excluded.saved_at`,
		candidateID, r.UserID, r.Author, r.Question, mark, r.Note, db.Millis(r.SavedAt))
	return err
}

// DropRating removes a user's rating of an answer, if there is one. The caller has locked
// the candidate for the user.
func (t *Tx) DropRating(ctx context.Context, candidateID, userID int64, question string) error {
	_, err := t.db.Exec(ctx, `delete from ratings where candidate_id = $1 and user_id = $2 and question = $3`, candidateID, userID, question)
	return err
}

// DropRatings removes all ratings of a user. The caller has locked the candidate for the
// user.
func (t *Tx) DropRatings(ctx context.Context, candidateID, userID int64) error {
	_, err := t.db.Exec(ctx, `delete from ratings where candidate_id = $1 and user_id = $2`, candidateID, userID)
	return err
}

// RatedAt is when a user saved the ratings of a candidate, zero: not yet. The caller has
// locked the candidate for the user.
func (t *Tx) RatedAt(ctx context.Context, candidateID, userID int64) (time.Time, error) {
	at, _, err := db.Maybe(ctx, t, db.ScanInstant, `select rated_at from interviews where candidate_id = $1 and user_id = $2`, candidateID, userID)
	return at, err
}

// SetRated stores that a user has saved the ratings of a candidate, which opens the result
// to them for good. The first time counts. The caller has locked the candidate for the
// user.
func (t *Tx) SetRated(ctx context.Context, candidateID, userID int64, at time.Time) error {
	_, err := t.db.Exec(ctx, `
		insert into interviews (candidate_id, user_id, rated_at) values ($1, $2, $3)
		on conflict (candidate_id, user_id) do update set rated_at = excluded.rated_at where interviews.rated_at is null`,
		candidateID, userID, db.Millis(at))
	return err
}

// RatingsOf lists the reader's own ratings of a candidate, drafts too, and those that
// others have saved: only the own ones where the reader is blind to the candidate.
func (r *reads) RatingsOf(ctx context.Context, reader Reader, candidateID int64) ([]Rating, error) {
	q := reader.statement()
	q.Set("id", candidateID)
	q.Add(reader.ratingsOf(`= :id`))
	query, args := q.Numbered()
	return db.All(ctx, r, scanRating, query, args...)
}

// RatingsFor is RatingsOf for up to 100 candidates at once, by id. Invalid: more than 100
// ids.
func (r *reads) RatingsFor(ctx context.Context, reader Reader, ids []int64) ([]Rating, error) {
	q := reader.statement()
	if err := setIDs(q, ids); err != nil {
		return nil, err
	}
	q.Add(reader.ratingsOf(`in (` + namedIDs + `)`))
	query, args := q.Numbered()
	return db.All(ctx, r, scanRating, query, args...)
}

const ratingColumns = `g.candidate_id, g.user_id, g.author, g.question, coalesce(g.mark, -1), g.note, g.saved_at, case when i.rated_at is null then 0 else 1 end,
	case when exists (select 1 from audit_log a where a.candidate_id = g.candidate_id and a.user_id` + db.OffIndex + ` = g.user_id
		and a.action` + db.OffTextIndex + ` in ` + seen + ` and a.created_at < i.rated_at) then 1 else 0 end`

// ratingsOf is the statement of RatingsOf; whose continues the condition on a candidate's id.
func (r Reader) ratingsOf(whose string) string {
	blind := ""
	if r.Blind.Somewhere {
		blind = ` and not ` + r.blindTo("c")
	}
	return `
		select ` + ratingColumns + `
		from candidates c join ratings g on g.candidate_id = c.id left join interviews i on i.candidate_id = c.id and i.user_id = g.user_id
		where c.account_id` + db.OffIndex + ` = :account and c.id ` + whose + r.within("c") + `
			and (g.user_id = :user or i.rated_at is not null` + blind + `) order by g.candidate_id, g.user_id, g.question`
}
