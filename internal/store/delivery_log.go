package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// DeliveriesOnPage is how many deliveries a page of the log has.
const DeliveriesOnPage = 50

// DeliveryFilter selects deliveries of one account. Zero fields do not filter.
type DeliveryFilter struct {
	EndpointID  int64
	State       typus.DeliveryState
	Outcome     string    // of the last attempt, one of typus.DeliveryOutcomes
	CandidateID int64     // whom the event is about
	From, Until time.Time // made at or after, and before
}

// LoggedDelivery is a delivery as the log has it.
type LoggedDelivery struct {
	typus.Delivery
	MadeAt      time.Time // when it was made, by its id
	URL         string    // where the last attempt went; before one, where its endpoint is
	EventType   string
	OccurredAt  time.Time // when the event happened
	CandidateID int64     // whom the event is about, 0 for a test event
	Name        string    // of the candidate, "" once they are erased
	Erased      bool      // the candidate is
}

// Test reports whether the event is a test event.
func (d LoggedDelivery) Test() bool { return d.Kind == typus.DeliveryTest }

// DeliveryLog lists deliveries that match the filter, newest first, before the delivery of
// an id ("": from the newest on), and reports whether more follow after DeliveriesOnPage of
// them. The order is that of the ids, which begin with the time at which they were made. A
// reader finds only deliveries about candidates whom they read and are not blind to, and
// test events.
func (r *reads) DeliveryLog(ctx context.Context, reader Reader, f DeliveryFilter, before string) ([]LoggedDelivery, bool, error) {
	if !f.possible() || !db.Storable(before) {
		return nil, false, nil
	}
	q := reader.statement()
	q.Add(`with page as materialized (
	`)
	f.addPage(q, reader, before)
	q.Add(`)
		select ` + loggedColumns + ` from page cross join ` + loggedTables + ` where d.id = page.page_id order by d.id desc`)
	query, args := q.Numbered()
	list, err := db.All(ctx, r, scanLogged, query, args...)
	if err != nil || len(list) <= DeliveriesOnPage {
		return list, false, err
	}
	return list[:DeliveriesOnPage], true, nil
}

// DeliveryFor reads a delivery that the log lists for a reader. NotFound.
func (r *reads) DeliveryFor(ctx context.Context, reader Reader, id string) (LoggedDelivery, error) {
	if !db.Storable(id) {
		return LoggedDelivery{}, typus.Errorf(typus.NotFound, "%s", noDelivery)
	}
	q := reader.statement()
	q.Set("id", id)
	q.Add(`select ` + loggedColumns + ` from ` + loggedTables + ` where d.account_id = :account and d.id = :id` + reader.readsDelivery())
	query, args := q.Numbered()
	return db.One(ctx, r, scanLogged, noDelivery, query, args...)
}

const (
	loggedColumns = deliveryColumns + `, coalesce((
		select t.url from webhook_attempts t where t.delivery_id = d.id order by t.n desc limit 1), e.url), v.type, v.occurred_at, case v.test when 1 then 0 else v.candidate_id end,
		coalesce(c.name, ''), case when c.erased_at is null then 0 else 1 end`
	loggedTables = `webhook_deliveries d join webhook_events v on v.id = d.event_id join webhook_endpoints e on e.id = d.endpoint_id
		left join candidates c on c.id = v.candidate_id and v.test = 0`
)

func scanLogged(row db.Row) (LoggedDelivery, error) {
	var d LoggedDelivery
	err := row.Scan(append(deliveryFields(&d.Delivery),
		&d.URL, &d.EventType, (*db.Instant)(&d.OccurredAt), &d.CandidateID, &d.Name, (*db.Truth)(&d.Erased))...)
	d.MadeAt = madeAt(d.ID, d.OccurredAt)
	return d, err
}

// readsDelivery continues a condition on deliveries d: the event is a test event, or about a
// candidate whom the reader reads and is not blind to, because it says when the test was
// completed. Of the erased it stays with those who read them before.
func (r Reader) readsDelivery() string {
	if r.Positions.Everything && !r.Blind.Somewhere {
		return ""
	}
	return `
		and (select case when v.test = 1 then 1 when 0 = 0` + r.about("v.candidate_id") + r.unless("v.candidate_id", `0 <> 0`, r.blindTo) + ` then 1 else 0 end
			from webhook_events v where v.id = d.event_id) <> 0`
}

// SentBody is what a delivery carries.
type SentBody struct {
	Payload []byte // the exact bytes; nil once they are forgotten
	SHA256  string // of the bytes, in hex, also when they are forgotten
}

// SentBody reads what the deliveries of an event carry. NotFound.
func (r *reads) SentBody(ctx context.Context, accountID int64, eventID string) (SentBody, error) {
	return db.One(ctx, r, func(row db.Row) (SentBody, error) {
		var b SentBody
		err := row.Scan(&b.Payload, &b.SHA256)
		return b, err
	}, "there is no such event", `select payload, payload_sha256 from webhook_events where account_id = $1 and id = $2`, accountID, eventID)
}
