package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// LookQuery asks what is noted of a user's looks at the results of candidates.
type LookQuery struct {
	IDs          []int64 // up to 100
	UserID       int64
	Since, Until time.Time // which looks count
	Comment      int64     // no newer version of what a candidate says is asked about
}

// Look is what is noted of a user's looks at the result of one candidate.
type Look struct {
	CandidateID int64
	Unrated     bool  // the position is blind to others but not to the reader, and nobody has saved ratings yet
	Viewed      bool  // a look that counts is noted
	Saved       bool  // so is that they kept a file
	Comment     int64 // the newest version that somebody else entered, 0 without one
	Read        int64 // the newest version that the user has read, 0 for none
}

// Looks says of those candidates whom a reader reads what is noted of looks at their results,
// by id. Invalid: more than 100 ids.
func (r *reads) Looks(ctx context.Context, reader Reader, l LookQuery) ([]Look, error) {
	q := reader.statement()
	if err := setIDs(q, l.IDs); err != nil {
		return nil, err
	}
	q.Set("by", l.UserID)
	q.Set("since", db.Millis(l.Since))
	q.Set("until", db.Millis(l.Until))
	q.Set("newest", l.Comment)
	unrated := `0`
	if reader.Blind.Others && !reader.rates() {
		unrated = `case when ` + othersRateFirst("c") + ` then 1 else 0 end`
	}
	const lines = `select 1 from audit_log a where a.account_id` + db.OffIndex + ` = :account and a.candidate_id = c.id and a.user_id = :by`
	const counts = ` and a.created_at >= :since and a.created_at <= :until`
	q.Add(`
		select c.id, ` + unrated + `,
			case when exists (` + lines + ` and a.action in ` + viewed + counts + `) then 1 else 0 end,
			case when exists (` + lines + ` and a.action = '` + string(typus.AuditReportSaved) + `'` + counts + `) then 1 else 0 end,
			coalesce((select max(m.id) from comments m where m.candidate_id = c.id and m.user_id <> :by and m.id <= :newest), 0),
			coalesce((
				select max(cast('0' || a.detail as bigint)) from audit_log a
				where a.account_id` + db.OffIndex + ` = :account and a.candidate_id = c.id and a.user_id = :by and a.action = '` + string(typus.AuditCommentRead) + `'), 0)
		from candidates c
		where c.account_id` + db.OffIndex + ` = :account and c.id in (` + namedIDs + `) and c.erased_at is null` + reader.within("c") + ` order by c.id`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanLook, query, args...)
}

func scanLook(row db.Row) (Look, error) {
	var l Look
	err := row.Scan(&l.CandidateID, (*db.Truth)(&l.Unrated), (*db.Truth)(&l.Viewed), (*db.Truth)(&l.Saved), &l.Comment, &l.Read)
	return l, err
}

// LockCandidates locks up to 100 candidates of an account until the transaction ends, as
// LockCandidate does, in the order of their ids, so that whoever locks some of the same waits
// and neither waits for the other. It passes over those that are not there, or are erased by
// then: whoever reads them afterwards finds that. Invalid: more than 100 ids.
func (t *Tx) LockCandidates(ctx context.Context, accountID int64, ids []int64) error {
	args, err := idArgs(accountID, ids)
	if err != nil {
		return err
	}
	return t.db.Lock(ctx, `select id from candidates where account_id`+db.OffIndex+` = $1 and id in (`+idPlaces+`) order by id`, args...)
}
