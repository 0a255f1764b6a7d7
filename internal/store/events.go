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

// AddEvent stores the event and one delivery of the kind auto for each endpoint of the
// account that is not deleted, and returns how many those are. A delivery is pending
// and due at once if its endpoint is active or failing, else held. newID makes the ids
// of deliveries. Conflict: the candidate already has an event of this type; the
// transaction is lost.
func (t *Tx) AddEvent(ctx context.Context, e typus.Event, newID func() string) (int, error) {
	sum := sha256.Sum256(e.Payload)
	_, err := t.db.Exec(ctx, `
		insert into webhook_events (id, account_id, type, candidate_id, occurred_at, payload, payload_sha256)
		values ($1, $2, $3, $4, $5, $6, $7)`,
		e.ID, e.AccountID, e.Type, e.CandidateID, db.Millis(e.OccurredAt), e.Payload, hex.EncodeToString(sum[:]))
	if err != nil {
		return 0, err
	}
	// This takes the lock that a foreign key takes. A claim does not pass over the
	// endpoint because of it. But until this is committed, no claim may conclude that
	// nothing waits (leave), and no change of the status is done with (settle).
	endpoints, err := db.All(ctx, t, scanEndpoint, `
		select `+endpointColumns+` from webhook_endpoints e where e.account_id = $1 and e.status <> 'deleted' order by e.id`+t.db.KeepRows(), e.AccountID)
	if err != nil {
		return 0, err
	}
	now, err := db.Now(ctx, t)
	if err != nil {
		return 0, err
	}
	if len(endpoints) > 0 {
		t.makesDue()
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

// AddTestEvent stores a test event and its one delivery to one endpoint, pending and
// due at once, even if the receiver has asked for rest. The caller has locked the
// endpoint, which belongs to the account and is on.
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
	t.makesDue()
	due := to.Rate.Next(to.BucketFullAt, now)
	return t.bringForward(ctx, to, due, due)
}

// TestEvents are the times of the newest test events of an account after one time and
// up to another, at most limit of them, oldest first.
func (r *reads) TestEvents(ctx context.Context, accountID int64, after, until time.Time, limit int) ([]time.Time, error) {
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
func (r *reads) EventOf(ctx context.Context, accountID, candidateID int64, eventType string) (typus.Event, error) {
	return db.One(ctx, r, scanEvent, "there is no such event", `
		select `+eventColumns+` from webhook_events v
		where v.account_id = $1 and v.type = $2 and v.candidate_id = $3 and v.test = 0`, accountID, eventType, candidateID)
}

// BodyFor is the body of an event as it was sent, for who reads the candidate whom it is
// about and is not blind to them; that of a test event for everybody. It is nil for
// others, for an unknown event, and for one whose body is erased or forgotten.
func (r *reads) BodyFor(ctx context.Context, reader Reader, eventID string) ([]byte, error) {
	if !db.Storable(eventID) {
		return nil, nil
	}
	q := reader.statement()
	q.Set("event", eventID)
	q.Add(`select v.payload from webhook_events v where v.account_id` + db.OffIndex + ` = :account and v.id = :event
		and case when v.test = 1 then 1 when 0 = 0` + reader.about("v.candidate_id") + reader.unless("v.candidate_id", `0 <> 0`, reader.blindTo) + ` then 1 else 0 end <> 0`)
	query, args := q.Numbered()
	body, found, err := db.Maybe(ctx, r, db.ScanBytes, query, args...)
	if !found || len(body) == 0 {
		return nil, err
	}
	return body, err
}
