package store

import (
	"context"
	"time"

	"typus"
)

// The row of an endpoint says in due_at when its next attempt can be made, so that a
// claim costs the same however many endpoints there are. Two rules keep it right
// while completions add deliveries without a lock that would hide their endpoint:
//
//   - Whoever makes something due moves due_at forward only, never back.
//   - Only a claim moves it back or empties it, and further than lookAgain only while
//     nobody adds: it takes the row alone, which a foreign key of a delivery that is
//     not committed prevents, and looks after that. Who adds later waits for it, and
//     reads what it has left.
//
// A due_at that is too early costs one look.

const (
	// lookAgain is how soon an endpoint is looked at again that has no place for
	// another attempt, or to which somebody adds at this moment.
	lookAgain = time.Second
	// farthestAttempt is the longest legal wait, 24 h and jitter, with reserve: a
	// time farther ahead means that the clock was set back.
	farthestAttempt = 24*time.Hour + 30*time.Minute
)

// earliest is when an attempt that waits until at can be made: after that, when the
// endpoint's bucket is free again and its receiver has had the rest it asked for.
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

// nextDue is when something that waits for an endpoint can be attempted, zero when
// nothing does. Tests do not wait for a rest.
func (t *Tx) nextDue(ctx context.Context, e typus.Endpoint, now time.Time) (time.Time, error) {
	const first = `select min(next_attempt_at) from webhook_deliveries where endpoint_id = $1 and state = 'pending'`
	if typus.Ahead(e.ProbeAfter, now, farthestAttempt) > 0 {
		test, err := one(ctx, t.reads, scanInstant, "", first+` and kind = 'test'`, e.ID)
		if err != nil || !test.IsZero() {
			return latest(test, e.Rate.Next(e.BucketFullAt, now)), err
		}
	}
	at, err := one(ctx, t.reads, scanInstant, "", first, e.ID)
	if err != nil || at.IsZero() {
		return time.Time{}, err
	}
	return earliest(e, at, now), nil
}

// bringForward has an endpoint looked at when something is due, unless it is off or
// is looked at soon enough anyway: a busy one is not written.
func (t *Tx) bringForward(ctx context.Context, e typus.Endpoint, due, enough time.Time) error {
	if !e.On() || due.IsZero() || !e.DueAt.IsZero() && !e.DueAt.After(enough) {
		return nil
	}
	_, err := t.exec(ctx, `
		update webhook_endpoints set due_at = $1
		where account_id = $2 and id = $3 and status in ('active', 'failing') and (due_at is null or due_at > $4)`,
		millis(due), e.AccountID, e.ID, millis(due))
	return err
}

// makeDue brings an endpoint forward to what waits for it by now.
func (t *Tx) makeDue(ctx context.Context, e typus.Endpoint, now time.Time) error {
	if !e.On() || !e.DueAt.IsZero() && !e.DueAt.After(now) {
		return nil
	}
	due, err := t.nextDue(ctx, e, now)
	if err != nil {
		return err
	}
	return t.bringForward(ctx, e, due, due)
}

// alone reports whether nobody adds to an endpoint that the caller has locked. Who
// wants to waits from then on.
func (t *Tx) alone(ctx context.Context, e typus.Endpoint) (bool, error) {
	if t.d.aloneRows == "" {
		return true, nil
	}
	_, found, err := maybe(ctx, t.reads, scanInt, `select 1 from webhook_endpoints where account_id = $1 and id = $2`+t.d.aloneRows, e.AccountID, e.ID)
	return found, err
}
