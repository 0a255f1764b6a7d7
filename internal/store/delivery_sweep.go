package store

import (
	"context"
	"time"

	"typus"
)

const (
	// interruptionsPerFailure bounds a delivery whose attempts take the server
	// down: so many interruptions in a row count as one failure.
	interruptionsPerFailure = 3
	// afterInterruption is the wait before an interrupted attempt is made again.
	afterInterruption = 5 * time.Second
	// farthestAttempt is the longest legal wait, 24 h and jitter, with reserve: a
	// time farther ahead means that the clock was set back.
	farthestAttempt = 24*time.Hour + 30*time.Minute
	sweepBatch      = 500
)

// ReleaseDeliveries gives back what this owner has claimed and not finished,
// for a clean stop, and says how much that was: due at once, the attempt marked
// interrupted, no failure counted. A test, which has one attempt, ends.
func (s *Store) ReleaseDeliveries(ctx context.Context, owner string) (int, error) {
	var n int
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := tx.now(ctx)
		if err != nil {
			return err
		}
		_, err = tx.exec(ctx, `
			update webhook_attempts set outcome = 'interrupted'
			where outcome = 'started' and (delivery_id, n) in (
				select id, attempt from webhook_deliveries where state = 'sending' and lease_owner = $1)`, owner)
		if err != nil {
			return err
		}
		n, err = tx.exec(ctx, `
			update webhook_deliveries set state = case kind when 'test' then 'exhausted' else 'pending' end,
				finished_at = case kind when 'test' then $1 else finished_at end, last_error = case kind when 'test' then 'interrupted' else last_error end,
				next_attempt_at = $2, lease_owner = '', lease_until = 0
			where state = 'sending' and lease_owner = $3`, millis(now), millis(now), owner)
		return err
	})
	return n, err
}

// SweepDeliveries mends what was left behind and says how many deliveries that
// were: it ends expired leases (interrupted; next try in 5 s, no failure
// counted, but the third in a row counts as one), holds or cancels pending
// deliveries of endpoints that are off, and makes deliveries due whose time lies
// more than 24.5 h ahead. It also writes about endpoints that have been failing
// for a day.
func (s *Store) SweepDeliveries(ctx context.Context) (int, error) {
	var n int
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := tx.now(ctx)
		if err != nil {
			return err
		}
		n = 0
		for _, step := range []func(context.Context, time.Time) (int, error){
			tx.endLeases, tx.holdDeliveries, tx.cancelDeliveries, tx.pullDeliveries,
		} {
			changed, err := step(ctx, now)
			if err != nil {
				return err
			}
			n += changed
		}
		return tx.warn(ctx, now)
	})
	return n, err
}

func (t *Tx) endLeases(ctx context.Context, now time.Time) (int, error) {
	expired, err := all(ctx, t.reads, scanDelivery, `
		select `+deliveryColumns+` from webhook_deliveries d
		where d.state = 'sending' and d.lease_until < $1 order by d.lease_until limit $2`+t.d.skipLocked, millis(now), sweepBatch)
	if err != nil {
		return 0, err
	}
	for _, d := range expired {
		if err := t.interrupt(ctx, d, now); err != nil {
			return 0, err
		}
	}
	return len(expired), nil
}

func (t *Tx) interrupt(ctx context.Context, d typus.Delivery, now time.Time) error {
	d.State = typus.DeliveryPending
	if d.Interruptions++; d.Interruptions == interruptionsPerFailure {
		d.Interruptions = 0
		d.Failures++
	}
	if d.Failures >= typus.DeliveryAttempts || d.Kind == typus.DeliveryTest {
		d.State = typus.DeliveryExhausted
	}
	_, err := t.exec(ctx, `update webhook_attempts set outcome = 'interrupted' where delivery_id = $1 and n = $2 and outcome = 'started'`, d.ID, d.Attempt)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, `
		update webhook_deliveries set state = $1, failures = $2, interruptions = $3, next_attempt_at = $4, lease_owner = '', lease_until = 0,
			last_status = 0, last_error = 'interrupted', finished_at = $5
		where id = $6 and state = 'sending' and attempt = $7`,
		string(d.State), d.Failures, d.Interruptions, millis(now.Add(afterInterruption)), finishedAt(d.State, now), d.ID, d.Attempt)
	if err != nil || d.State != typus.DeliveryExhausted || d.Kind == typus.DeliveryTest {
		return err
	}
	e, err := t.LockEndpoint(ctx, d.AccountID, d.EndpointID)
	if typus.Is(err, typus.NotFound) {
		return nil // deleted
	}
	if err != nil {
		return err
	}
	return t.lastTry(ctx, e, d, now)
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
