package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// DueFinished lists the finished candidates of an account whose retention was over at a
// time, as typus.Account.EraseAt says, in the order in which they finished: up to limit of
// them, after the given one (zero: from the beginning).
func (r *reads) DueFinished(ctx context.Context, a typus.Account, at time.Time, after Due, limit int) ([]Due, error) {
	q := retentionAt(a, at)
	q.Set("after", db.Millis(after.At))
	q.Set("afterid", after.CandidateID)
	q.Set("limit", limit)
	q.Add(`select account_id, id, completed_at from candidates where ` + finishedDue(a) + `
			and (completed_at, id) > (:after, :afterid) order by completed_at, id limit :limit`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanDue, query, args...)
}

// CountDueFinished counts those whom DueFinished lists, up to a number.
func (r *reads) CountDueFinished(ctx context.Context, a typus.Account, at time.Time, most int) (int, error) {
	return r.countDue(ctx, a, at, finishedDue(a), most)
}

// DueUnfinished lists the candidates of an account who never finished and whose retention was
// over at a time, in the order in which their invitations ended, as DueFinished does.
func (r *reads) DueUnfinished(ctx context.Context, a typus.Account, at time.Time, after Due, limit int) ([]Due, error) {
	q := retentionAt(a, at)
	q.Set("after", db.Millis(after.At))
	q.Set("afterid", after.CandidateID)
	q.Set("limit", limit)
	q.Add(`select account_id, id, expires_at from candidates where ` + unfinishedDue + `
			and (expires_at, id) > (:after, :afterid) order by expires_at, id limit :limit`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanDue, query, args...)
}

// CountDueUnfinished counts those whom DueUnfinished lists, up to a number.
func (r *reads) CountDueUnfinished(ctx context.Context, a typus.Account, at time.Time, most int) (int, error) {
	return r.countDue(ctx, a, at, unfinishedDue, most)
}

func (r *reads) countDue(ctx context.Context, a typus.Account, at time.Time, which string, most int) (int, error) {
	q := retentionAt(a, at)
	q.Set("most", most)
	q.Add(`select count(*) from (select 1 from candidates where ` + which + ` limit :most) counted`)
	query, args := q.Numbered()
	n, err := db.One(ctx, r, db.ScanInt, "", query, args...)
	return int(n), err
}

// retentionAt begins a statement about the retention of an account at a time.
func retentionAt(a typus.Account, at time.Time) *db.StatementBuilder {
	before := func(days int) int64 { return db.Millis(at.Add(-time.Duration(days) * 24 * time.Hour)) }
	var q db.StatementBuilder
	q.Set("account", a.ID)
	q.Set("at", db.Millis(at))
	q.Set("finished", before(a.KeepFinishedDays))
	q.Set("unfinished", before(a.KeepUnfinishedDays))
	undecided := before(a.KeepUndecidedDays)
	if a.KeepUndecidedDays == 0 {
		undecided = 0
	}
	q.Set("undecided", undecided)
	return &q
}

// Conditions on candidates, each of whom is gone along the index of what it begins with.
const (
	kept          = `coalesce(keep_until, 0)`
	unfinishedDue = `account_id = :account and expires_at < :unfinished and ` + unfinished + ` and ` + kept + ` < :at`

	// decidedAt is when something was decided that ends the application, null where it was not.
	decidedAt = `(select d.created_at from decisions d where d.candidate_id = candidates.id and d.stage in (` + ending + `)
			and d.id = (select max(n.id) from decisions n where n.candidate_id = candidates.id))`
	closedAt = `(select p.closed_at from positions p where p.id = candidates.position_id)`
	ending   = `'` + string(typus.StageOffer) + `', '` + string(typus.StageRejection) + `', '` + string(typus.StageWithdrew) + `'`
)

func finishedDue(a typus.Account) string {
	due := `account_id = :account and completed_at < :finished and completed_at is not null and erased_at is null and ` + kept + ` < :at`
	if !a.KeepFromDecision {
		return due
	}
	return due + `
			and case when coalesce(` + decidedAt + `, ` + closedAt + `, 0) < :finished or completed_at < :undecided and ` + decidedAt + ` is null then 1 else 0 end <> 0`
}

// keepingColumns are of a candidate c: all that typus.Keeping holds.
const keepingColumns = `
	(select d.created_at from decisions d where d.candidate_id = c.id and d.stage in (` + ending + `)
		and d.id = (select max(n.id) from decisions n where n.candidate_id = c.id)) as decided_at,
	(select p.closed_at from positions p where p.id = c.position_id) as closed_at, c.keep_until, c.keep_reason`

func scanKeeping(row db.Row) (typus.Keeping, error) {
	var k typus.Keeping
	err := row.Scan((*db.Instant)(&k.DecidedAt), (*db.Instant)(&k.ClosedAt), (*db.Instant)(&k.Until), &k.Reason)
	return k, err
}

// KeepingOf is what decides how long a candidate is kept. The caller has locked the
// candidate. NotFound.
func (t *Tx) KeepingOf(ctx context.Context, accountID, id int64) (typus.Keeping, error) {
	return db.One(ctx, t, scanKeeping, noCandidate, `select `+keepingColumns+` from candidates c where c.account_id = $1 and c.id = $2 and c.erased_at is null`, accountID, id)
}

// keepingFor is a statement: what decides how long the candidate :id is kept, and nothing for
// a reader who is blind to them, because it tells of a decision.
func (r Reader) keepingFor() string {
	return `
		select ` + keepingColumns + `
		from candidates c where c.account_id = :account and c.id = :id and c.erased_at is null and not ` + r.blindTo("c") + r.within("c")
}

// SetKeep stores until when a candidate is to be kept, and why. The zero time and "" say that
// nobody asks for it. NotFound.
func (t *Tx) SetKeep(ctx context.Context, accountID, id int64, until time.Time, reason string) error {
	return t.db.Must(ctx, noCandidate, `update candidates set keep_until = $1, keep_reason = $2 where account_id = $3 and id = $4 and erased_at is null`,
		db.MillisOrNull(until), reason, accountID, id)
}

// RetentionTurn is what a turn of the retention did for an account.
type RetentionTurn struct {
	At         time.Time
	Finished   int // results that were erased
	Unfinished int // invitations that were erased
	Waiting    int // people who are due, and wait for an owner's word
	Failed     int // people who could not be erased, and are tried again
}

// AddRetentionTurn keeps what a turn did.
func (t *Tx) AddRetentionTurn(ctx context.Context, accountID int64, turn RetentionTurn) error {
	_, err := t.db.Exec(ctx, `
		insert into retention_turns (account_id, at, finished, unfinished, waiting, failed) values ($1, $2, $3, $4, $5, $6)`,
		accountID, db.Millis(turn.At), turn.Finished, turn.Unfinished, turn.Waiting, turn.Failed)
	return err
}

// RetentionTurns are the newest turns of an account that did something, newest first, at most
// limit.
func (r *reads) RetentionTurns(ctx context.Context, accountID int64, limit int) ([]RetentionTurn, error) {
	return db.All(ctx, r, func(row db.Row) (RetentionTurn, error) {
		var t RetentionTurn
		err := row.Scan((*db.Instant)(&t.At), &t.Finished, &t.Unfinished, &t.Waiting, &t.Failed)
		return t, err
	}, `select at, finished, unfinished, waiting, failed from retention_turns where account_id = $1 order by id desc limit $2`, accountID, limit)
}
