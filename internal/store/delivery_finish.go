package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// successEvery bounds how often a healthy endpoint's row is written for its
// successes.
const successEvery = time.Minute

// Judge says what follows from the end of an attempt for its endpoint and its delivery,
// given as they are now. late means that the delivery was given to another owner in the
// meantime, or has ended. A Judge must be pure, because it may be called more than
// once.
type Judge func(e typus.Endpoint, d typus.Delivery, late bool, now time.Time) typus.Verdict

// FinishAttempt stores the outcome of an attempt at d, which owner has claimed, and
// what follows from it according to judge. False means that another owner has the
// delivery by now.
//
// A success that changes nothing of its endpoint reads the endpoint without a lock and
// writes with a guarded update. Everything else locks in the one order in which
// deliveries are changed: the endpoint, then the delivery, then the account if there is
// a letter.
func (s *Store) FinishAttempt(ctx context.Context, owner string, d typus.Delivery, a typus.Attempt, judge Judge) (bool, error) {
	a.DeliveryID, a.N = d.ID, d.Attempt
	var mine bool
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if a.Outcome == "delivered" {
			mine, err = tx.finishCalmly(ctx, owner, d, a, judge, now)
			if err != nil || mine {
				return err
			}
		}
		mine, err = tx.finishLocked(ctx, owner, d, a, judge, now)
		return err
	})
	return mine && err == nil, err
}

// finishCalmly ends a delivery whose endpoint stays as it is, without locking the
// endpoint. With a lock all its deliveries would wait for each other and hide the
// endpoint from the next claim. False means that the endpoint does change.
func (t *Tx) finishCalmly(ctx context.Context, owner string, d typus.Delivery, a typus.Attempt, judge Judge, now time.Time) (bool, error) {
	e, err := t.Endpoint(ctx, d.AccountID, d.EndpointID)
	if err != nil {
		return false, err
	}
	v := judge(e, d, false, now)
	calm := v.Endpoint
	calm.LastSuccessAt = e.LastSuccessAt
	if v.Delivery.State != typus.DeliveryDelivered || calm != e {
		return false, nil
	}
	// The endpoint first, as everywhere: the guarded update below locks the delivery.
	if err := t.makeDue(ctx, e, now); err != nil { // it had no place for more
		return false, err
	}
	// Guarded: a failure that came in between has the last word.
	_, err = t.db.Exec(ctx, `
		update webhook_endpoints set last_success_at = $1
		where account_id = $2 and id = $3 and status = 'active' and consecutive_failures = 0
			and (last_success_at is null or last_success_at < $4 or last_success_at > $5)`,
		db.Millis(now), d.AccountID, d.EndpointID, db.Millis(now.Add(-successEvery)), db.Millis(now))
	if err != nil {
		return false, err
	}
	n, err := t.db.Exec(ctx, `
		update webhook_deliveries set state = 'delivered', interruptions = 0, lease_owner = '', lease_until = 0, last_status = $1, last_error = '', outcome = $2, finished_at = $3
		where account_id = $4 and id = $5 and state = 'sending' and lease_owner = $6 and attempt = $7`,
		a.HTTPStatus, v.Delivery.Outcome, db.Millis(now), d.AccountID, d.ID, owner, d.Attempt)
	if err != nil || n == 0 {
		return false, err
	}
	return true, t.logAttempt(ctx, a, v.Outcome)
}

func (t *Tx) finishLocked(ctx context.Context, owner string, d typus.Delivery, a typus.Attempt, judge Judge, now time.Time) (bool, error) {
	e, err := t.lockEndpoint(ctx, d.AccountID, d.EndpointID)
	if err != nil {
		return false, err
	}
	is, err := db.One(ctx, t, scanLeased, noDelivery, `
		select `+deliveryColumns+`, d.lease_owner from webhook_deliveries d where d.account_id = $1 and d.id = $2`+t.db.LockRows(), d.AccountID, d.ID)
	if err != nil {
		return false, err
	}
	mine := is.State == typus.DeliverySending && is.owner == owner && is.Attempt == d.Attempt
	v := judge(e, is.Delivery, !mine, now)
	if !mine {
		if a, err = t.unlessErased(ctx, d, a); err != nil {
			return false, err
		}
	}
	if err := t.logAttempt(ctx, a, v.Outcome); err != nil {
		return false, err
	}
	return mine, t.follow(ctx, e, is.Delivery, v, now)
}

// leased is a delivery and who has it.
type leased struct {
	typus.Delivery
	owner string
}

func scanLeased(row db.Row) (leased, error) {
	var l leased
	err := row.Scan(append(deliveryFields(&l.Delivery), &l.owner)...)
	return l, err
}

// follow writes a verdict on a locked endpoint e and a locked delivery d.
func (t *Tx) follow(ctx context.Context, e typus.Endpoint, d typus.Delivery, v typus.Verdict, now time.Time) error {
	if v.Delivery != d {
		if err := t.writeDelivery(ctx, v.Delivery); err != nil {
			return err
		}
	}
	if v.Endpoint != e {
		if err := t.writeEndpoint(ctx, v.Endpoint); err != nil {
			return err
		}
	}
	if v.Hold {
		if err := t.settleNow(ctx, e.AccountID, e.ID); err != nil {
			return err
		}
	}
	if v.Drain > 0 {
		if err := t.drain(ctx, e.AccountID, e.ID, v.Drain); err != nil {
			return err
		}
	}
	if err := t.makeDue(ctx, v.Endpoint, now); err != nil {
		return err
	}
	return t.tell(ctx, v.Endpoint, v.Tell, now)
}

// writeDelivery writes what a verdict may change of a locked delivery, and ends its
// lease.
func (t *Tx) writeDelivery(ctx context.Context, d typus.Delivery) error {
	_, err := t.db.Exec(ctx, `
		update webhook_deliveries set state = $1, failures = $2, interruptions = $3, next_attempt_at = $4, lease_owner = '', lease_until = 0,
			last_status = $5, last_error = $6, outcome = $7, finished_at = $8
		where account_id = $9 and id = $10`,
		string(d.State), d.Failures, d.Interruptions, db.Millis(d.NextAttemptAt), d.LastStatus, d.LastError, d.Outcome, db.MillisOrNull(d.FinishedAt),
		d.AccountID, d.ID)
	return err
}

// writeEndpoint writes what a verdict may change of a locked endpoint.
func (t *Tx) writeEndpoint(ctx context.Context, e typus.Endpoint) error {
	_, err := t.db.Exec(ctx, `
		update webhook_endpoints set status = $1, disabled_reason = $2, status_changed_at = $3, consecutive_failures = $4,
			first_failure_at = $5, last_failure_at = $6, last_success_at = $7, failing_told_at = $8, given_up_told_at = $9,
			probe_after = $10, last_duration_ms = $11
		where account_id = $12 and id = $13`,
		string(e.Status), e.DisabledReason, db.Millis(e.StatusChangedAt), e.ConsecutiveFailures,
		db.MillisOrNull(e.FirstFailureAt), db.MillisOrNull(e.LastFailureAt), db.MillisOrNull(e.LastSuccessAt), db.MillisOrNull(e.FailingToldAt), db.MillisOrNull(e.GivenUpToldAt),
		db.MillisOrNull(e.ProbeAfter), db.DurationOrNull(e.LastDuration), e.AccountID, e.ID)
	return err
}

func (t *Tx) logAttempt(ctx context.Context, a typus.Attempt, outcome string) error {
	_, err := t.db.Exec(ctx, `
		update webhook_attempts set duration_ms = $1, url = $2, remote_ip = $3, request_headers = $4, http_status = $5,
			error_code = $6, response_head = $7, response_body = $8, outcome = $9
		where delivery_id = $10 and n = $11`,
		a.Duration.Milliseconds(), a.URL, a.RemoteIP, a.RequestHeaders, a.HTTPStatus,
		a.ErrorCode, a.ResponseHead, a.ResponseBody, outcome, a.DeliveryID, a.N)
	return err
}

// unlessErased removes the answer from an attempt if the event of its locked delivery
// was erased in the meantime, so that the answer does not come back. Because of the
// lock, either this sees an erasure that is under way, or the erasure sees the attempt.
func (t *Tx) unlessErased(ctx context.Context, d typus.Delivery, a typus.Attempt) (typus.Attempt, error) {
	erased, found, err := db.Maybe(ctx, t, db.ScanInt, `
		select case when payload is null then 1 else 0 end from webhook_events where account_id = $1 and id = $2`+t.db.LockRows(),
		d.AccountID, d.EventID)
	if erased == 1 || !found {
		a.ResponseHead, a.ResponseBody = "", nil
	}
	return a, err
}
