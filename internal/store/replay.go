package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// ReplaySource is a delivery that somebody wants to have sent again.
type ReplaySource struct {
	typus.Delivery
	CandidateID int64
	Kept        bool // its event has its payload, which an erasure takes
	Endpoint    typus.Endpoint
}

// LockToReplay reads a delivery and locks, in this order, its candidate, so that no erasure
// comes in between, its endpoint, also a deleted one, and the delivery itself. NotFound.
func (t *Tx) LockToReplay(ctx context.Context, accountID int64, id string) (ReplaySource, error) {
	d, err := t.Delivery(ctx, accountID, id)
	if err != nil {
		return ReplaySource{}, err
	}
	s := ReplaySource{Delivery: d}
	const ofEvent = ` from webhook_events where account_id = $1 and id = $2`
	if s.CandidateID, err = db.One(ctx, t, db.ScanInt, noDelivery, `select candidate_id`+ofEvent, accountID, d.EventID); err != nil {
		return s, err
	}
	if err := t.LockCandidates(ctx, accountID, []int64{s.CandidateID}); err != nil {
		return s, err
	}
	if s.Endpoint, err = t.lockEndpoint(ctx, accountID, d.EndpointID); err != nil {
		return s, err
	}
	s.Delivery, err = db.One(ctx, t, scanDelivery, noDelivery,
		`select `+deliveryColumns+` from webhook_deliveries d where d.account_id = $1 and d.id = $2`+t.db.LockRows(), accountID, id)
	if err != nil {
		return s, err
	}
	kept, err := db.One(ctx, t, db.ScanInt, noDelivery, `select case when payload is null then 0 else 1 end`+ofEvent, accountID, d.EventID)
	s.Kept = kept == 1
	return s, err
}

// AttemptNow makes a pending delivery due that waits for its next attempt. The caller has
// locked it and its endpoint (LockToReplay).
func (t *Tx) AttemptNow(ctx context.Context, s ReplaySource) error {
	now, err := db.Now(ctx, t)
	if err != nil {
		return err
	}
	_, err = t.dueNow(ctx, `
		update webhook_deliveries set next_attempt_at = $1
		where account_id = $2 and id = $3 and state = 'pending' and next_attempt_at > $4`, db.Millis(now), s.AccountID, s.ID, db.Millis(now))
	if err != nil {
		return err
	}
	return t.makeDue(ctx, s.Endpoint, now)
}

// AddReplay adds a delivery of the same event to the same endpoint, pending and due at once.
// The caller has locked the source (LockToReplay), which has its payload and whose endpoint
// is on.
func (t *Tx) AddReplay(ctx context.Context, s ReplaySource, id string) error {
	return t.addReplays(ctx, s.Endpoint, 0, []replayed{{id, s.EventID}})
}

// replayed is a new delivery of an event.
type replayed struct{ id, event string }

// addReplays adds deliveries to an endpoint of which the caller knows that it stays as it is
// until they are committed: it has locked it, or keeps it as AddEvent does.
func (t *Tx) addReplays(ctx context.Context, e typus.Endpoint, runID int64, list []replayed) error {
	now, err := db.Now(ctx, t)
	if err != nil {
		return err
	}
	err = db.InsertAll(ctx, t.db, `insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, next_attempt_at, replay_id) values `, list,
		func(r replayed) []any {
			return []any{r.id, e.AccountID, r.event, e.ID, typus.DeliveryReplay, string(e.Waits()), db.Millis(now), db.IDOrNull(runID)}
		})
	if err != nil {
		return err
	}
	t.makesDue()
	due := earliest(e, now, now)
	return t.bringForward(ctx, e, due, latest(due, now.Add(lookAgain)))
}

// ReplayRun sends again what a filter of the log finds for one endpoint, oldest first.
type ReplayRun struct {
	ID         int64
	AccountID  int64
	Filter     DeliveryFilter // names the endpoint
	State      typus.ReplayState
	Total      int // found when it began; ReplayCounted+1 for more
	Made       int // sent off so far
	CreatedAt  time.Time
	FinishedAt time.Time // zero until ended
	through    string
	after      string
}

const (
	replayColumns = `id, account_id, endpoint_id, of_state, of_outcome, coalesce(of_candidate, 0), from_at, until_at, state, total, made,
		created_at, finished_at, through_id, after_id`
	noReplay = "there is no such run"
)

func scanReplay(row db.Row) (ReplayRun, error) {
	var r ReplayRun
	f := &r.Filter
	err := row.Scan(&r.ID, &r.AccountID, &f.EndpointID, &f.State, &f.Outcome, &f.CandidateID, (*db.Instant)(&f.From), (*db.Instant)(&f.Until),
		&r.State, &r.Total, &r.Made, (*db.Instant)(&r.CreatedAt), (*db.Instant)(&r.FinishedAt), &r.through, &r.after)
	return r, err
}

// AddReplayRun begins a run with all deliveries that there are now. The caller has locked
// the endpoint. Conflict: another run of the endpoint has not ended; the transaction is lost.
func (t *Tx) AddReplayRun(ctx context.Context, r ReplayRun) (int64, error) {
	f := r.Filter
	return db.One(ctx, t, db.ScanInt, "", `
		insert into webhook_replays (account_id, endpoint_id, state, of_state, of_outcome, of_candidate, from_at, until_at, total, created_at, through_id)
		values ($1, $2, 'running', $3, $4, $5, $6, $7, $8, $9, (select coalesce(max(id), '') from webhook_deliveries where account_id = $10)) returning id`,
		r.AccountID, f.EndpointID, string(f.State), f.Outcome, db.IDOrNull(f.CandidateID), db.MillisOrNull(f.From), db.MillisOrNull(f.Until),
		r.Total, db.Millis(r.CreatedAt), r.AccountID)
}

// ReplayRun reads a run. NotFound.
func (r *reads) ReplayRun(ctx context.Context, accountID, id int64) (ReplayRun, error) {
	return db.One(ctx, r, scanReplay, noReplay, `select `+replayColumns+` from webhook_replays where account_id = $1 and id = $2`, accountID, id)
}

// LockReplayRun is ReplayRun that locks the run until the transaction ends, before anything
// else is locked. NotFound.
func (t *Tx) LockReplayRun(ctx context.Context, accountID, id int64) (ReplayRun, error) {
	return db.One(ctx, t, scanReplay, noReplay, `select `+replayColumns+` from webhook_replays where account_id = $1 and id = $2`+t.db.LockRows(), accountID, id)
}

// ClaimReplayRun is LockReplayRun of a run that goes on. It reports false if it has ended, or
// another instance works on it.
func (t *Tx) ClaimReplayRun(ctx context.Context, accountID, id int64) (ReplayRun, bool, error) {
	return db.Maybe(ctx, t, scanReplay, `
		select `+replayColumns+` from webhook_replays where account_id = $1 and id = $2 and finished_at is null`+t.db.SkipLocked(), accountID, id)
}

// LastReplayRun is the newest run of an endpoint; false when there is none.
func (r *reads) LastReplayRun(ctx context.Context, accountID, endpointID int64) (ReplayRun, bool, error) {
	return db.Maybe(ctx, r, scanReplay, `
		select `+replayColumns+` from webhook_replays where account_id = $1 and endpoint_id = $2 order by id desc limit 1`, accountID, endpointID)
}

// RunningReplays lists the runs of all accounts that have not ended, one of an endpoint at
// most. The comparison makes both databases walk the index of those.
func (s *Store) RunningReplays(ctx context.Context) ([]ReplayRun, error) {
	return db.All(ctx, s, scanReplay, `select `+replayColumns+` from webhook_replays where finished_at is null and endpoint_id > 0 order by endpoint_id`)
}

// EndReplayRun ends a locked run.
func (t *Tx) EndReplayRun(ctx context.Context, r ReplayRun, state typus.ReplayState, at time.Time) error {
	_, err := t.db.Exec(ctx, `
		update webhook_replays set state = $1, finished_at = $2 where account_id = $3 and id = $4 and finished_at is null`,
		string(state), db.Millis(at), r.AccountID, r.ID)
	return err
}

// ReplayOutcomes counts the deliveries of a run by their state.
func (r *reads) ReplayOutcomes(ctx context.Context, accountID, runID int64) (map[typus.DeliveryState]int, error) {
	counts := map[typus.DeliveryState]int{}
	_, err := db.All(ctx, r, func(row db.Row) (struct{}, error) {
		var state typus.DeliveryState
		var n int
		err := row.Scan(&state, &n)
		counts[state] = n
		return struct{}{}, err
	}, `
		select state, count(*) from webhook_deliveries
		where replay_id = (select id from webhook_replays where account_id = $1 and id = $2) group by state`, accountID, runID)
	return counts, err
}
