package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// The row of an endpoint says in due_at when its next attempt can be made, so that a
// claim costs the same however many endpoints there are (decision 0043). Two rules keep
// it right although completions add deliveries without a lock that would hide the
// endpoint from a claim:
//
//   - Whoever makes something due moves due_at forward only, never back.
//   - Only a claim moves it back or empties it, and further than lookAgain only while
//     nobody adds: it takes the row alone, which a foreign key of a delivery that is
//     not committed prevents, and looks after that. Who adds later waits for it, and
//     reads what it has left.
//
// If due_at is too early, that costs one look.

const (
	// lookAgain is how soon an endpoint is looked at again if it has no room for
	// another attempt, or if somebody is adding a delivery at the moment.
	lookAgain = time.Second
	// farthestAttempt is the longest possible wait, 24 h and jitter, with a reserve. A
	// time farther ahead means that the clock was set back.
	farthestAttempt = 24*time.Hour + 30*time.Minute
)

// earliest is when an attempt that waits until at can be made: not before the
// endpoint's bucket has room again and its receiver has had the rest it asked for.
func earliest(e typus.Endpoint, at, now time.Time) time.Time {
	free := e.Rate.Next(e.BucketFullAt, now)
	rest := now.Add(typus.Ahead(e.ProbeAfter, now, farthestAttempt))
	return latest(at, free, rest)
}

func latest(first time.Time, others ...time.Time) time.Time {
	for _, t := range others {
		if t.After(first) {
			first = t
		}
	}
	return first
}

// resting reports whether the endpoint's receiver has asked for rest. Test events do
// not wait for that, because somebody who has mended something waits for them.
func resting(e typus.Endpoint, now time.Time) bool {
	return typus.Ahead(e.ProbeAfter, now, farthestAttempt) > 0
}

// nextDue is, for each of some endpoints, when something that waits for it can be
// attempted. Endpoints for which nothing waits are absent.
func (t *Tx) nextDue(ctx context.Context, now time.Time, endpoints ...typus.Endpoint) (map[int64]time.Time, error) {
	first, test := map[int64]time.Time{}, map[int64]time.Time{}
	_, err := db.All(ctx, t, func(row db.Row) (struct{}, error) {
		var id int64
		var any, tests db.Instant
		err := row.Scan(&id, &any, &tests)
		first[id], test[id] = time.Time(any), time.Time(tests)
		return struct{}{}, err
	}, `
		select e.id,
			(select min(d.next_attempt_at) from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending'),
			(select min(d.next_attempt_at) from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending' and d.kind = 'test')
		from webhook_endpoints e where e.id in (`+endpointPlaces+`)`, endpointArgs(endpoints)...)
	next := map[int64]time.Time{}
	for _, e := range endpoints {
		switch {
		case first[e.ID].IsZero():
		case resting(e, now) && !test[e.ID].IsZero():
			next[e.ID] = latest(test[e.ID], e.Rate.Next(e.BucketFullAt, now))
		default:
			next[e.ID] = earliest(e, first[e.ID], now)
		}
	}
	return next, err
}

// suspended is a column of an endpoint e: whether nothing is sent for its account.
var suspended = `case when ` + ofIdle(`e.account_id`) + ` then 1 else 0 end`

// bringForward moves due_at of an endpoint forward to due. It does nothing if the
// endpoint is off or is looked at by enough anyway, so that a busy endpoint is not
// written each time.
func (t *Tx) bringForward(ctx context.Context, e typus.Endpoint, due, enough time.Time) error {
	if !e.On() || due.IsZero() || !e.DueAt.IsZero() && !e.DueAt.After(enough) {
		return nil
	}
	_, err := t.db.Exec(ctx, `
		update webhook_endpoints set due_at = $1
		where account_id = $2 and id = $3 and status in ('active', 'failing') and (due_at is null or due_at > $4)`,
		db.Millis(due), e.AccountID, e.ID, db.Millis(due))
	return err
}

// makeDue moves due_at of an endpoint forward to the first delivery that waits for it
// now.
func (t *Tx) makeDue(ctx context.Context, e typus.Endpoint, now time.Time) error {
	if !e.On() || !e.DueAt.IsZero() && !e.DueAt.After(now) {
		return nil
	}
	next, err := t.nextDue(ctx, now, e)
	if err != nil {
		return err
	}
	return t.bringForward(ctx, e, next[e.ID], next[e.ID])
}

// alone returns those of some endpoints to which nobody is adding a delivery. The
// caller has locked them. Whoever wants to add one waits from then on.
func (t *Tx) alone(ctx context.Context, endpoints ...typus.Endpoint) (map[int64]bool, error) {
	ids, err := t.db.LockAlone(ctx, endpointIDs(endpoints), `select id from webhook_endpoints where id in (`+endpointPlaces+`)`, endpointArgs(endpoints)...)
	alone := map[int64]bool{}
	for _, id := range ids {
		alone[id] = true
	}
	return alone, err
}

// endpointPlaces are the parameters of a statement about the endpoints that are served
// at once, so that there is one for any number of them.
var endpointPlaces = db.Params(1, claimEndpoints)

// endpointArgs are the arguments for endpointPlaces; those left over are 0, which no
// endpoint has.
func endpointArgs(endpoints []typus.Endpoint) []any {
	return db.Padded(endpointIDs(endpoints), claimEndpoints, 0)
}

func endpointIDs(endpoints []typus.Endpoint) []int64 {
	ids := make([]int64, len(endpoints))
	for i, e := range endpoints {
		ids[i] = e.ID
	}
	return ids
}
