package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
)

// AddEvent stores the event and one auto delivery per endpoint of the account
// that is not deleted, and says how many: pending and due at once for active
// and failing endpoints, held for the others. newID makes delivery ids.
// Conflict: the candidate has an event of this type already; the transaction is
// lost.
func (t *Tx) AddEvent(ctx context.Context, e typus.Event, newID func() string) (int, error) {
	sum := sha256.Sum256(e.Payload)
	_, err := t.db.Exec(ctx, `
		insert into webhook_events (id, account_id, type, candidate_id, occurred_at, payload, payload_sha256)
		values ($1, $2, $3, $4, $5, $6, $7)`,
		e.ID, e.AccountID, e.Type, e.CandidateID, db.Millis(e.OccurredAt), e.Payload, hex.EncodeToString(sum[:]))
	if err != nil {
		return 0, err
	}
	// The lock is the one that their foreign key takes: no claim passes over the
	// endpoint for it, but until this is committed none takes it that nothing waits
	// (leaveAt), and no change of its status is done with (settle).
	endpoints, err := db.All(ctx, t, scanEndpoint, `
		select `+endpointColumns+` from webhook_endpoints e where e.account_id = $1 and e.status <> 'deleted' order by e.id`+t.db.KeepRows(), e.AccountID)
	if err != nil {
		return 0, err
	}
	now, err := db.Now(ctx, t)
	if err != nil {
		return 0, err
	}
	for _, to := range endpoints {
		_, err := t.db.Exec(ctx, `
			insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, next_attempt_at)
			values ($1, $2, $3, $4, 'auto', $5, $6)`,
			newID(), e.AccountID, e.ID, to.ID, string(to.Waits()), db.Millis(now))
		if err != nil {
			return 0, err
		}
		due := earliest(to, now, now)
		if err := t.bringForward(ctx, to, due, latest(due, now.Add(lookAgain))); err != nil {
			return 0, err
		}
	}
	return len(endpoints), nil
}

// AddTestEvent stores an event that nothing caused, and its one delivery to one
// endpoint, pending and due at once, whatever else its receiver has asked for. The
// caller has locked the endpoint, which is the account's and on.
func (t *Tx) AddTestEvent(ctx context.Context, e typus.Event, endpointID int64, deliveryID string) error {
	sum := sha256.Sum256(e.Payload)
	_, err := t.db.Exec(ctx, `
		insert into webhook_events (id, account_id, type, candidate_id, test, occurred_at, payload, payload_sha256)
		values ($1, $2, $3, $4, 1, $5, $6, $7)`,
		e.ID, e.AccountID, e.Type, e.CandidateID, db.Millis(e.OccurredAt), e.Payload, hex.EncodeToString(sum[:]))
	if err != nil {
		return err
	}
	now, err := db.Now(ctx, t)
	if err != nil {
		return err
	}
	_, err = t.db.Exec(ctx, `
		insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, next_attempt_at)
		values ($1, $2, $3, $4, 'test', 'pending', $5)`,
		deliveryID, e.AccountID, e.ID, endpointID, db.Millis(now))
	if err != nil {
		return err
	}
	to, err := t.Endpoint(ctx, e.AccountID, endpointID)
	if err != nil {
		return err
	}
	due := to.Rate.Next(to.BucketFullAt, now)
	return t.bringForward(ctx, to, due, due)
}

// TestEvents are the times of the newest test events of an account after one moment
// and up to another, at most limit, oldest first.
func (r reads) TestEvents(ctx context.Context, accountID int64, after, until time.Time, limit int) ([]time.Time, error) {
	times, err := db.All(ctx, r, db.ScanInstant, `
		select occurred_at from webhook_events where account_id = $1 and test = 1 and occurred_at > $2 and occurred_at <= $3
		order by occurred_at desc limit $4`, accountID, db.Millis(after), db.Millis(until), limit)
	slices.Reverse(times)
	return times, err
}

const eventColumns = `v.id, v.account_id, v.type, v.candidate_id, v.occurred_at, v.payload`

func eventFields(e *typus.Event) []any {
	return []any{&e.ID, &e.AccountID, &e.Type, &e.CandidateID, (*db.Instant)(&e.OccurredAt), &e.Payload}
}

func scanEvent(row db.Row) (typus.Event, error) {
	var e typus.Event
	err := row.Scan(eventFields(&e)...)
	return e, err
}

// EventOf finds the event of a type about a candidate. NotFound.
func (r reads) EventOf(ctx context.Context, accountID, candidateID int64, eventType string) (typus.Event, error) {
	return db.One(ctx, r, scanEvent, "there is no such event", `
		select `+eventColumns+` from webhook_events v
		where v.account_id = $1 and v.type = $2 and v.candidate_id = $3 and v.test = 0`, accountID, eventType, candidateID)
}
