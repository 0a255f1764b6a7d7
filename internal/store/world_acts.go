package store

import (
	"context"
	"math"
	"time"

	"typus"
	"typus/internal/db"
)

// WorldAct is what somebody in a test world will do next by themselves.
type WorldAct struct {
	WorldID     int64
	CandidateID int64
	Act         typus.Act
	Vector      string // the answers they give
	Step        int    // how many steps of it are done
	DueAt       time.Time
}

const actColumns = `account_id, candidate_id, act, vector, step, due_at`

func scanAct(row db.Row) (WorldAct, error) {
	var a WorldAct
	err := row.Scan(&a.WorldID, &a.CandidateID, &a.Act, &a.Vector, &a.Step, (*db.Instant)(&a.DueAt))
	return a, err
}

// AddWorldActs stores what candidates of test worlds will do next; each does one thing at a
// time.
func (t *Tx) AddWorldActs(ctx context.Context, list []WorldAct) error {
	return db.InsertAll(ctx, t.db, `insert into world_acts (account_id, candidate_id, act, vector, step, due_at) values `, list,
		func(a WorldAct) []any {
			return []any{a.WorldID, a.CandidateID, string(a.Act), a.Vector, a.Step, db.Millis(a.DueAt)}
		})
}

// TakeWorldAct takes what a candidate does next away, so that it is done once. False: it is
// done already, or not due at that time. The caller has locked the candidate.
func (t *Tx) TakeWorldAct(ctx context.Context, a WorldAct, at time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `delete from world_acts where account_id = $1 and candidate_id = $2 and act = $3 and step = $4 and due_at <= $5`,
		a.WorldID, a.CandidateID, string(a.Act), a.Step, db.Millis(at))
	return n == 1, err
}

// DueWorldActs lists what is to be done by a time in all test worlds that are not suspended,
// the longest due first, up to limit: what comes behind after, the zero WorldAct for the first
// page.
func (r *reads) DueWorldActs(ctx context.Context, at time.Time, after WorldAct, limit int) ([]WorldAct, error) {
	return db.All(ctx, r, scanAct, `
		select `+actColumns+` from world_acts where due_at <= $1 and (due_at, candidate_id) > ($2, $3) and not `+ofIdle(`account_id`)+` order by due_at, candidate_id limit $4`,
		db.Millis(at), after.millis(), after.CandidateID, limit)
}

// DueActsOf is DueWorldActs of one world.
func (r *reads) DueActsOf(ctx context.Context, worldID int64, at time.Time, after WorldAct, limit int) ([]WorldAct, error) {
	return db.All(ctx, r, scanAct, `
		select `+actColumns+` from world_acts
		where account_id = $1 and due_at <= $2 and (due_at, candidate_id) > ($3, $4) order by due_at, candidate_id limit $5`,
		worldID, db.Millis(at), after.millis(), after.CandidateID, limit)
}

// millis is when an act falls due, as it is stored; before all others for the zero WorldAct.
func (a WorldAct) millis() int64 {
	if a.DueAt.IsZero() {
		return math.MinInt64
	}
	return db.Millis(a.DueAt)
}

// EndNow has the invitation of a candidate run out at a time, who is locked.
func (t *Tx) EndNow(ctx context.Context, worldID, candidateID int64, at time.Time) error {
	return t.db.Must(ctx, noCandidate, `update candidates set expires_at = $1 where account_id = $2 and id = $3`, db.Millis(at), worldID, candidateID)
}

// RemindersOf is DueReminders of one account.
func (r *reads) RemindersOf(ctx context.Context, accountID int64, now time.Time, after Due, limit int) ([]Due, error) {
	return db.All(ctx, r, scanDue, `
		select account_id, id, remind_at from candidates
		where account_id = $1 and remind_at`+db.OffIndex+` <= $2 and (remind_at, id) > ($3, $4) order by remind_at, id limit $5`,
		accountID, db.Millis(now), db.Millis(after.At), after.CandidateID, limit)
}

// ExpiriesOf is DueExpiries of one account.
func (r *reads) ExpiriesOf(ctx context.Context, accountID int64, now time.Time, after Due, limit int) ([]Due, error) {
	return db.All(ctx, r, scanDue, `
		select account_id, id, expires_at from candidates
		where account_id = $1 and `+ranOut+`$2 and expired_at is null and (expires_at, id) > ($3, $4) order by expires_at, id limit $5`,
		accountID, db.Millis(now), db.Millis(after.At), after.CandidateID, limit)
}
