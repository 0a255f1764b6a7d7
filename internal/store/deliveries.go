package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

const deliveryColumns = `d.id, d.account_id, d.event_id, d.endpoint_id, d.kind, d.state, d.attempt, d.failures, d.interruptions,
	d.next_attempt_at, d.last_status, d.last_error, d.outcome, d.finished_at`

func deliveryFields(d *typus.Delivery) []any {
	return []any{&d.ID, &d.AccountID, &d.EventID, &d.EndpointID, &d.Kind, &d.State, &d.Attempt, &d.Failures, &d.Interruptions,
		(*db.Instant)(&d.NextAttemptAt), &d.LastStatus, &d.LastError, &d.Outcome, (*db.Instant)(&d.FinishedAt)}
}

func scanDelivery(row db.Row) (typus.Delivery, error) {
	var d typus.Delivery
	err := row.Scan(deliveryFields(&d)...)
	return d, err
}

const noDelivery = "there is no such delivery"

// Delivery reads a delivery. NotFound.
func (r *reads) Delivery(ctx context.Context, accountID int64, id string) (typus.Delivery, error) {
	if !db.Storable(id) {
		return typus.Delivery{}, typus.Errorf(typus.NotFound, "%s", noDelivery)
	}
	return db.One(ctx, r, scanDelivery, noDelivery,
		`select `+deliveryColumns+` from webhook_deliveries d where d.account_id = $1 and d.id = $2`, accountID, id)
}

// FailingDelivery is the delivery to an endpoint that is tried again next after
// it failed; false when there is none.
func (r *reads) FailingDelivery(ctx context.Context, accountID, endpointID int64) (typus.Delivery, bool, error) {
	return db.Maybe(ctx, r, scanDelivery, `
		select `+deliveryColumns+` from webhook_deliveries d
		where d.account_id`+db.OffIndex+` = $1 and d.endpoint_id = $2 and d.state = 'pending' and d.failures > 0
		order by d.next_attempt_at, d.id limit 1`, accountID, endpointID)
}

// CancelTest ends a test delivery that nobody has claimed, and reports whether there
// was one.
func (t *Tx) CancelTest(ctx context.Context, accountID int64, id string, at time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `
		update webhook_deliveries set state = 'cancelled', finished_at = $1
		where account_id = $2 and id = $3 and kind = 'test' and state = 'pending'`, db.Millis(at), accountID, id)
	return n == 1, err
}

// DeliveriesOf lists the deliveries of an event by endpoint.
func (r *reads) DeliveriesOf(ctx context.Context, accountID int64, eventID string) ([]typus.Delivery, error) {
	return db.All(ctx, r, scanDelivery, `
		select `+deliveryColumns+` from webhook_deliveries d
		where d.account_id`+db.OffIndex+` = $1 and d.event_id = $2 order by d.endpoint_id, d.id`, accountID, eventID)
}

// DeliveryTo is a delivery with its event's time and its receiver's address.
type DeliveryTo struct {
	typus.Delivery
	OccurredAt time.Time
	URL        string // of the endpoint, which may be deleted since
}

const deliveryToColumns = deliveryColumns + `, v.occurred_at, e.url`

func scanDeliveryTo(row db.Row) (DeliveryTo, error) {
	var d DeliveryTo
	err := row.Scan(append(deliveryFields(&d.Delivery), (*db.Instant)(&d.OccurredAt), &d.URL)...)
	return d, err
}

// deliveriesAbout is a statement: where the event of the type :type about the candidate :id
// was sent, by endpoint; nothing where the reader is blind to the candidate: it says when
// the test was completed.
func (r Reader) deliveriesAbout() string {
	return `
		select ` + deliveryToColumns + `
		from webhook_events v join webhook_deliveries d on d.event_id = v.id join webhook_endpoints e on e.id = d.endpoint_id
		where v.account_id = :account and v.type = :type and v.candidate_id = :id and v.test = 0` +
		r.about("v.candidate_id") + r.unless("v.candidate_id", `0 <> 0`, r.blindTo) + ` order by d.endpoint_id, d.id`
}

// Attempts lists the attempts of a delivery, oldest first.
func (r *reads) Attempts(ctx context.Context, accountID int64, deliveryID string) ([]typus.Attempt, error) {
	return db.All(ctx, r, scanAttempt, `
		select a.delivery_id, a.n, a.started_at, coalesce(a.duration_ms, 0), a.url, a.remote_ip, a.request_headers,
			a.http_status, a.error_code, a.response_head, a.response_body, a.outcome
		from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
		where d.account_id = $1 and d.id = $2 order by a.n`, accountID, deliveryID)
}

func scanAttempt(row db.Row) (typus.Attempt, error) {
	var a typus.Attempt
	var ms int64
	err := row.Scan(&a.DeliveryID, &a.N, (*db.Instant)(&a.StartedAt), &ms, &a.URL, &a.RemoteIP, &a.RequestHeaders,
		&a.HTTPStatus, &a.ErrorCode, &a.ResponseHead, &a.ResponseBody, &a.Outcome)
	a.Duration = time.Duration(ms) * time.Millisecond
	return a, err
}

// waitFor turns a query for the earliest due time, or null, into a wait.
func (r *reads) waitFor(ctx context.Context, query string) (time.Duration, bool, error) {
	due, err := db.One(ctx, r, db.ScanInstant, "", query)
	if err != nil || due.IsZero() {
		return 0, false, err
	}
	now, err := db.Now(ctx, r)
	return max(0, due.Sub(now)), true, err
}
