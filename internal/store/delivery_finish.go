package store

import (
	"context"
	"time"

	"typus"
)

const (
	// failingAfter is how many failures in a row make an endpoint failing.
	failingAfter = 3
	// successEvery bounds how often a healthy endpoint's row is written for its
	// successes.
	successEvery = time.Minute
	// drainStep is how far apart the deliveries come due that waited for an
	// endpoint that has recovered.
	drainStep = 100 * time.Millisecond
	// drainLimit bounds one such drain, about a quarter of an hour of steps. What
	// waits behind keeps its times.
	drainLimit = 10_000
	// drainSpares is how many attempts, the last ones, keep their times: an endpoint
	// that comes and goes would else use up all of them in minutes.
	drainSpares = 2
)

// AttemptResult is what became of an attempt and what follows.
type AttemptResult struct {
	Attempt      typus.Attempt       // Outcome "delivered" or "failed" and the rest of the log line; delivery and number come from the delivery
	State        typus.DeliveryState // delivered, pending, exhausted or held
	Failures     int
	NextIn       time.Duration // with State pending: the wait before the next attempt
	EndpointGone bool          // the receiver answered 410
}

// FinishAttempt writes the outcome back if this owner still holds this attempt,
// and keeps the endpoint's counters: failing after 3 failures in a row, active
// again on a success, which draws forward what waits for it, gone on 410, disabled
// after five days of nothing but failures, with the letters that belong to it. A
// failure at an address that the endpoint no longer has counts for nothing. A delivery
// that would be pending or exhausted is held if its endpoint is off by then; one that
// would be pending is cancelled if it was deleted. False: somebody else owns the
// delivery; the attempt is logged as late, and a late success still turns a waiting
// delivery into delivered while no newer attempt has begun.
func (s *Store) FinishAttempt(ctx context.Context, owner string, d typus.Delivery, r AttemptResult) (bool, error) {
	var held bool
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := tx.now(ctx)
		if err != nil {
			return err
		}
		r, former, err := tx.consider(ctx, d, r)
		if err != nil {
			return err
		}
		held, err = tx.finishAttempt(ctx, owner, d, r, now)
		if err != nil {
			return err
		}
		if !held {
			return tx.lateAttempt(ctx, d, r, now)
		}
		if err := tx.logAttempt(ctx, d, r.Attempt); err != nil {
			return err
		}
		if former {
			return nil
		}
		return tx.countAttempt(ctx, d, r, now)
	})
	return held && err == nil, err
}

// consider looks at a failure in the light of what the endpoint is by now: one that
// is off lets nothing wait to be tried. Former: the attempt went to an address that the
// endpoint had then; it says nothing about the present one, which is tried at once.
func (t *Tx) consider(ctx context.Context, d typus.Delivery, r AttemptResult) (considered AttemptResult, former bool, err error) {
	if r.State == typus.DeliveryDelivered {
		return r, false, nil
	}
	e, err := t.Endpoint(ctx, d.AccountID, d.EndpointID)
	if err != nil {
		return r, false, err
	}
	former = e.URL != r.Attempt.URL
	if former && d.Kind != typus.DeliveryTest {
		r.State, r.Failures, r.NextIn = typus.DeliveryPending, d.Failures, afterInterruption
	}
	if r.State == typus.DeliveryPending {
		r.State = waitingState(e.Status)
	}
	return r, former, nil
}

// finishAttempt is the guarded write-back.
func (t *Tx) finishAttempt(ctx context.Context, owner string, d typus.Delivery, r AttemptResult, now time.Time) (bool, error) {
	changed, err := t.exec(ctx, `
		update webhook_deliveries set state = $1, failures = $2, interruptions = 0, next_attempt_at = $3, lease_owner = '', lease_until = 0,
			last_status = $4, last_error = $5, finished_at = $6
		where account_id = $7 and id = $8 and state = 'sending' and lease_owner = $9 and attempt = $10`,
		string(r.State), r.Failures, millis(now.Add(r.NextIn)), r.Attempt.HTTPStatus, r.Attempt.ErrorCode, finishedAt(r.State, now),
		d.AccountID, d.ID, owner, d.Attempt)
	return changed == 1, err
}

// finishedAt is the time for a state that ends the delivery, null for others.
func finishedAt(state typus.DeliveryState, now time.Time) any {
	switch state {
	case typus.DeliveryDelivered, typus.DeliveryExhausted, typus.DeliveryCancelled:
		return millis(now)
	default:
		return nil
	}
}

func (t *Tx) logAttempt(ctx context.Context, d typus.Delivery, a typus.Attempt) error {
	_, err := t.exec(ctx, `
		update webhook_attempts set duration_ms = $1, url = $2, remote_ip = $3, request_headers = $4, http_status = $5,
			error_code = $6, response_head = $7, response_body = $8, outcome = $9
		where delivery_id = $10 and n = $11`,
		a.Duration.Milliseconds(), a.URL, a.RemoteIP, a.RequestHeaders, a.HTTPStatus,
		a.ErrorCode, a.ResponseHead, a.ResponseBody, a.Outcome, d.ID, d.Attempt)
	return err
}

func (t *Tx) lateAttempt(ctx context.Context, d typus.Delivery, r AttemptResult, now time.Time) error {
	late := r.Attempt
	late.Outcome = "late"
	if err := t.lockDelivery(ctx, d); err != nil {
		return err
	}
	erased, err := t.eventErased(ctx, d)
	if err != nil {
		return err
	}
	if erased {
		late.ResponseHead, late.ResponseBody = "", nil
	}
	if err := t.logAttempt(ctx, d, late); err != nil {
		return err
	}
	if r.State != typus.DeliveryDelivered {
		return nil
	}
	_, err = t.exec(ctx, `
		update webhook_deliveries set state = 'delivered', last_status = $1, last_error = '', finished_at = $2
		where account_id = $3 and id = $4 and state in ('pending', 'held') and attempt = $5`,
		r.Attempt.HTTPStatus, millis(now), d.AccountID, d.ID, d.Attempt)
	return err
}

// lockDelivery locks a delivery before its event, as an erasure does.
func (t *Tx) lockDelivery(ctx context.Context, d typus.Delivery) error {
	if t.d.lockRows == "" {
		return nil
	}
	_, _, err := maybe(ctx, t.reads, scanInt, `select 1 from webhook_deliveries where account_id = $1 and id = $2`+t.d.lockRows, d.AccountID, d.ID)
	return err
}

// eventErased reports whether what a delivery reports was erased meanwhile: what
// the receiver answered must not come back then. The lock makes an erasure that
// is under way be seen, or see the attempt.
func (t *Tx) eventErased(ctx context.Context, d typus.Delivery) (bool, error) {
	erased, found, err := maybe(ctx, t.reads, scanInt, `
		select case when payload is null then 1 else 0 end from webhook_events where account_id = $1 and id = $2`+t.d.lockRows,
		d.AccountID, d.EventID)
	return erased == 1 || !found, err
}

// countAttempt keeps the endpoint's counters and draws the consequences.
func (t *Tx) countAttempt(ctx context.Context, d typus.Delivery, r AttemptResult, now time.Time) error {
	if r.EndpointGone {
		if err := t.switchOff(ctx, d.AccountID, d.EndpointID, typus.EndpointGone, "the receiver answered 410 Gone", now); err != nil {
			return err
		}
	}
	if r.State == typus.DeliveryDelivered {
		return t.countSuccess(ctx, d, now)
	}
	e, err := one(ctx, t.reads, scanEndpoint, noEndpoint, `
		update webhook_endpoints set consecutive_failures = consecutive_failures + 1,
			first_failure_at = coalesce(first_failure_at, cast($1 as bigint)), last_failure_at = $2,
			status_changed_at = case when status = 'active' and consecutive_failures + 1 >= $3 then $4 else status_changed_at end,
			status = case when status = 'active' and consecutive_failures + 1 >= $5 then 'failing' else status end
		where account_id = $6 and id = $7 returning `+endpointColumns,
		spellBegins(d, now), millis(now), failingAfter, millis(now), failingAfter, d.AccountID, d.EndpointID)
	if err != nil {
		return err
	}
	return t.judge(ctx, e, d, r.State, now)
}

// countSuccess ends a spell of failures. A success of a healthy endpoint writes its
// row once a minute only: else every delivery would queue for it, and hide it from
// the next claim.
func (t *Tx) countSuccess(ctx context.Context, d typus.Delivery, now time.Time) error {
	counted, err := t.exec(ctx, `
		update webhook_endpoints set `+noFailures+`, last_success_at = $1
		where account_id = $2 and id = $3
			and (consecutive_failures > 0 or status = 'failing' or last_success_at is null or last_success_at < $4)`,
		millis(now), d.AccountID, d.EndpointID, millis(now.Add(-successEvery)))
	if err != nil || counted == 0 {
		return err
	}
	recovered, err := t.exec(ctx, `
		update webhook_endpoints set status = 'active', status_changed_at = $1 where account_id = $2 and id = $3 and status = 'failing'`,
		millis(now), d.AccountID, d.EndpointID)
	if err != nil || recovered == 0 {
		return err
	}
	return t.drain(ctx, d.AccountID, d.EndpointID, now)
}

// drain draws forward what waits for an endpoint that has recovered: one delivery
// after the other by id, drainStep apart, none later than it was. The caller has
// written the endpoint's row, so that two drains of it follow each other; what
// another transaction has in hand is passed over.
func (t *Tx) drain(ctx context.Context, accountID, endpointID int64, now time.Time) error {
	_, err := t.exec(ctx, `
		with due as (
			select id from webhook_deliveries
			where account_id = $1 and endpoint_id = $2 and state = 'pending' and next_attempt_at > $3 and failures < $4
			order by next_attempt_at, id limit $5`+t.d.skipLocked+`),
		listed as (select id, row_number() over (order by id) as place from due)
		update webhook_deliveries set next_attempt_at = $6 + listed.place * $7
		from listed
		where webhook_deliveries.id = listed.id and webhook_deliveries.state = 'pending'
			and webhook_deliveries.next_attempt_at > $6 + listed.place * $7`,
		accountID, endpointID, millis(now), typus.DeliveryAttempts-drainSpares, drainLimit, millis(now), drainStep.Milliseconds())
	return err
}

// spellBegins is when an endpoint begins to fail if this is its first failure: a
// test, which may be the only thing in days, begins nothing.
func spellBegins(d typus.Delivery, now time.Time) any {
	if d.Kind == typus.DeliveryTest {
		return nil
	}
	return millis(now)
}
