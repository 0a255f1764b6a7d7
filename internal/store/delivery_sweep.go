package store

import (
	"context"
	"math"
	"time"

	"typus"
)

const (
	// farthestAttempt is the longest legal wait, 24 h and jitter, with reserve: a
	// time farther ahead means that the clock was set back.
	farthestAttempt = 24*time.Hour + 30*time.Minute
	sweepBatch      = 500
)

// ReleaseDeliveries gives back what this owner has claimed and not finished,
// for a clean stop, and says how much that was. The judge says what follows for each.
func (s *Store) ReleaseDeliveries(ctx context.Context, owner string, judge Judge) (int, error) {
	return s.endAttempts(ctx, leases{owner: owner}, judge)
}

// TakeBackDeliveries ends the attempts of all owners, and says how many. It must be
// known that none of them lives.
func (s *Store) TakeBackDeliveries(ctx context.Context, judge Judge) (int, error) {
	return s.endAttempts(ctx, leases{all: true}, judge)
}

// SweepDeliveries mends what was left behind and says how many deliveries that
// were: it ends the attempts whose lease has expired, as the judge says, holds or
// cancels pending deliveries of endpoints that are off, and makes deliveries due whose
// time lies more than 24.5 h ahead. A lease that lies further ahead than one can reach
// was written while the clock was wrong and has expired.
func (s *Store) SweepDeliveries(ctx context.Context, lease time.Duration, judge Judge) (int, error) {
	n, err := s.endAttempts(ctx, leases{length: lease}, judge)
	if err != nil {
		return n, err
	}
	for _, step := range []func(*Tx, context.Context, time.Time) (int, error){(*Tx).holdDeliveries, (*Tx).cancelDeliveries, (*Tx).pullDeliveries} {
		err := s.InTx(ctx, func(tx *Tx) error {
			now, err := tx.now(ctx)
			if err != nil {
				return err
			}
			changed, err := step(tx, ctx, now)
			n += changed
			return err
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// leases are those of an owner, or all, or those of a length that have run out.
type leases struct {
	owner  string
	all    bool
	length time.Duration
}

// bounds are times between which the end of a lease lies that is not meant.
func (l leases) bounds(now time.Time) (from, until int64) {
	switch {
	case l.all:
		return math.MaxInt64, math.MaxInt64
	case l.owner != "":
		return 0, math.MaxInt64
	default:
		return millis(now), millis(now.Add(l.length))
	}
}

// endAttempts ends the attempts under way under some leases, all of one endpoint in
// one step, and says how many those were.
func (s *Store) endAttempts(ctx context.Context, l leases, judge Judge) (int, error) {
	now, err := s.now(ctx)
	if err != nil {
		return 0, err
	}
	from, until := l.bounds(now)
	endpoints, err := all(ctx, s.reads, scanEndpoint, `
		select `+endpointColumns+` from webhook_endpoints e where e.id in (
			select endpoint_id from webhook_deliveries where state = 'sending' and (lease_owner = $1 or lease_until < $2 or lease_until > $3))
		order by e.id`, l.owner, from, until)
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, e := range endpoints {
		n := 0
		err := s.InTx(ctx, func(tx *Tx) error {
			var err error
			n, err = tx.endAttempts(ctx, e.AccountID, e.ID, l, judge)
			return err
		})
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

func (t *Tx) endAttempts(ctx context.Context, accountID, endpointID int64, l leases, judge Judge) (int, error) {
	e, err := t.lockEndpoint(ctx, accountID, endpointID)
	if err != nil {
		return 0, err
	}
	now, err := t.now(ctx)
	if err != nil {
		return 0, err
	}
	// Looked for anew: what was finished before the lock is not under way any more, and
	// what was claimed before it has a lease that ends within one from now.
	from, until := l.bounds(now)
	list, err := all(ctx, t.reads, scanDelivery, `
		select `+deliveryColumns+` from webhook_deliveries d
		where d.endpoint_id = $1 and d.state = 'sending' and (d.lease_owner = $2 or d.lease_until < $3 or d.lease_until > $4)
		order by d.id`+t.d.lockRows, e.ID, l.owner, from, until)
	if err != nil {
		return 0, err
	}
	for _, d := range list {
		v := judge(e, d, false, now)
		_, err := t.exec(ctx, `update webhook_attempts set outcome = $1 where delivery_id = $2 and n = $3 and outcome = 'started'`, v.Outcome, d.ID, d.Attempt)
		if err != nil {
			return 0, err
		}
		if err := t.follow(ctx, e, d, v, now); err != nil {
			return 0, err
		}
		e = v.Endpoint
	}
	return len(list), nil
}

// holdPending lets the pending deliveries of an endpoint that was switched off
// wait until it is on again. A test is never held: it is cancelled.
func (t *Tx) holdPending(ctx context.Context, e typus.Endpoint, now time.Time) error {
	_, err := t.exec(ctx, `
		update webhook_deliveries set state = case kind when 'test' then 'cancelled' else 'held' end,
			finished_at = case kind when 'test' then $1 else finished_at end
		where account_id = $2 and endpoint_id = $3 and state = 'pending'`, millis(now), e.AccountID, e.ID)
	return err
}

func (t *Tx) holdDeliveries(ctx context.Context, now time.Time) (int, error) {
	return t.exec(ctx, waitingEndpoints+`
		update webhook_deliveries set state = case kind when 'test' then 'cancelled' else 'held' end,
			finished_at = case kind when 'test' then $1 else finished_at end
		where state = 'pending' and endpoint_id in (
			select id from waiting where (select e.status from webhook_endpoints e where e.id = waiting.id) in ('disabled_auto', 'gone', 'paused'))`,
		millis(now))
}

func (t *Tx) cancelDeliveries(ctx context.Context, now time.Time) (int, error) {
	return t.exec(ctx, waitingEndpoints+`
		update webhook_deliveries set state = 'cancelled', finished_at = $1
		where state = 'pending' and endpoint_id in (
			select id from waiting where (select e.status from webhook_endpoints e where e.id = waiting.id) = 'deleted')`, millis(now))
}

func (t *Tx) pullDeliveries(ctx context.Context, now time.Time) (int, error) {
	return t.exec(ctx, waitingEndpoints+`
		update webhook_deliveries set next_attempt_at = $1
		where state = 'pending' and endpoint_id in (select id from waiting) and next_attempt_at > $2`,
		millis(now), millis(now.Add(farthestAttempt)))
}
