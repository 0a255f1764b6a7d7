package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"typus"
)

// An endpoint that only fails is switched off by itself: nothing has arrived for
// offAfter, at least offAttempts attempts have failed, and the last failure is
// fresh, so that the first and the last lie as far apart. Those who manage the
// account hear of it before, after warnAfter.
const (
	offAfter    = 120 * time.Hour
	offAttempts = 12
	warnAfter   = 24 * time.Hour
	// givenUpEvery is how often an endpoint is written about at most because a
	// delivery ended without arriving: one that refuses some results and takes
	// others does so for every one of them.
	givenUpEvery = 7 * 24 * time.Hour
	// tellAfter is how long a letter about trouble waits for more of it: webhooks
	// of one receiver fail together, and one letter names all of them.
	tellAfter = 10 * time.Minute
)

const offReason = "nothing has arrived for five days"

// judge draws the consequences of a failed attempt that is written back: the
// endpoint is switched off, or somebody hears that the delivery was the last try.
// e is the endpoint after the failure was counted, locked. Tests have no
// consequences: they were asked for, and whoever did sees what came of them.
func (t *Tx) judge(ctx context.Context, e typus.Endpoint, d typus.Delivery, state typus.DeliveryState, now time.Time) error {
	if d.Kind == typus.DeliveryTest {
		return nil
	}
	if e.On() && e.ConsecutiveFailures >= offAttempts && !e.FirstFailureAt.IsZero() && now.Sub(e.FirstFailureAt) >= offAfter {
		if err := t.switchOff(ctx, e.AccountID, e.ID, typus.EndpointDisabled, offReason, now); err != nil {
			return err
		}
		e.Status = typus.EndpointDisabled
	}
	if state == typus.DeliveryExhausted {
		return t.lastTry(ctx, e, d, now)
	}
	return nil
}

// lastTry is what follows from a delivery that has used up its attempts: it has
// ended, which somebody hears. While its endpoint e is off it waits like the others
// instead, and will have all its attempts again.
func (t *Tx) lastTry(ctx context.Context, e typus.Endpoint, d typus.Delivery, now time.Time) error {
	switch {
	case e.On():
		return t.tellGivenUp(ctx, d, now)
	case e.Status == typus.EndpointDeleted:
		return nil
	}
	_, err := t.exec(ctx, `
		update webhook_deliveries set state = 'held', finished_at = null where account_id = $1 and id = $2 and state = 'exhausted'`, d.AccountID, d.ID)
	return err
}

// switchOff switches an endpoint off that the server itself has not switched off
// before, notes it, and writes to those who manage the account: once, however many
// attempts find out at the same time.
func (t *Tx) switchOff(ctx context.Context, accountID, id int64, status typus.EndpointStatus, reason string, now time.Time) error {
	first, err := t.exec(ctx, `
		update webhook_endpoints set status = $1 where account_id = $2 and id = $3 and status not in ('gone', 'disabled_auto', 'deleted')`,
		string(status), accountID, id)
	if err != nil {
		return err
	}
	err = t.SetEndpointStatus(ctx, accountID, id, status, reason, now)
	if typus.Is(err, typus.NotFound) {
		return nil // deleted meanwhile
	}
	if err != nil || first == 0 {
		return err
	}
	e, err := t.Endpoint(ctx, accountID, id)
	if err != nil {
		return err
	}
	err = t.AddAudit(ctx, typus.AuditEntry{AccountID: accountID, Actor: "server", Action: "webhook.switched_off", Detail: e.Trace(), CreatedAt: now})
	if err != nil {
		return err
	}
	return t.tellTrouble(ctx, accountID, typus.LetterWebhookOff, now)
}

// tellGivenUp writes that a delivery has ended without arriving, unless that was
// said of its endpoint lately.
func (t *Tx) tellGivenUp(ctx context.Context, d typus.Delivery, now time.Time) error {
	first, err := t.exec(ctx, `
		update webhook_endpoints set given_up_told_at = $1
		where account_id = $2 and id = $3 and status in ('active', 'failing') and (given_up_told_at is null or given_up_told_at <= $4)`,
		millis(now), d.AccountID, d.EndpointID, millis(now.Add(-givenUpEvery)))
	if err != nil || first == 0 {
		return err
	}
	return t.tellTrouble(ctx, d.AccountID, typus.LetterWebhookGivenUp, now)
}

// warn writes about endpoints that have been failing for a day, once until they
// receive something.
func (t *Tx) warn(ctx context.Context, now time.Time) error {
	failing, err := all(ctx, t.reads, scanEndpoint, `
		select `+endpointColumns+` from webhook_endpoints e
		where e.status = 'failing' and e.failing_told_at is null and e.first_failure_at <= $1
		order by e.first_failure_at, e.id limit $2`+t.d.skipLocked, millis(now.Add(-warnAfter)), sweepBatch)
	if err != nil {
		return err
	}
	// Each locks its account, and so does another sweep.
	slices.SortFunc(failing, func(a, b typus.Endpoint) int { return cmp.Compare(a.AccountID, b.AccountID) })
	for _, e := range failing {
		_, err := t.exec(ctx, `update webhook_endpoints set failing_told_at = $1 where account_id = $2 and id = $3`, millis(now), e.AccountID, e.ID)
		if err != nil {
			return err
		}
		if err := t.tellTrouble(ctx, e.AccountID, typus.LetterWebhookFailing, now); err != nil {
			return err
		}
	}
	return nil
}

// tellTrouble queues a letter about webhooks to those who manage the account, or
// to its own address where nobody does. What it names is read when it is sent, so
// one that waits already says this too. The account is locked, so that two webhooks
// in trouble at the same moment do not both find none.
func (t *Tx) tellTrouble(ctx context.Context, accountID int64, kind typus.LetterKind, now time.Time) error {
	account, err := t.LockAccount(ctx, accountID)
	if err != nil {
		return err
	}
	waiting, err := one(ctx, t.reads, scanInt, "", `
		select count(*) from letters where account_id = $1 and kind = $2 and candidate_id is null and state = 'queued'`, accountID, string(kind))
	if err != nil || waiting > 0 {
		return err
	}
	return t.AddLetterToAdmins(ctx, typus.Letter{
		AccountID: accountID, Kind: kind, Language: account.Language, To: account.ContactEmail, CreatedAt: now, NextAttemptAt: now.Add(tellAfter),
	})
}
