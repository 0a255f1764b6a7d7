package store

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"typus"
	"typus/internal/db"
)

// possible reports whether any delivery can match the filter: there are such states and
// outcomes, and they occur together.
func (f DeliveryFilter) possible() bool {
	return (f.State == "" || slices.Contains(typus.DeliveryStates(), f.State)) &&
		(f.Outcome == "" || slices.Contains(typus.DeliveryOutcomes(), f.Outcome)) &&
		(f.State == "" && f.Outcome == "" || len(f.stands()) > 0)
}

// onePageMore is a page and one row, which tells whether more follow. A planner has to see
// that it is a small number.
var onePageMore = ` order by page_id desc limit ` + strconv.Itoa(DeliveriesOnPage+1)

// addPage adds a query for the ids of a page, newest first, and one more. It is one constant
// text for each combination of filters. It walks along an index, by state and outcome along
// one for each pair of them.
func (f DeliveryFilter) addPage(q *db.StatementBuilder, reader Reader, before string) {
	f.setSpan(q, before)
	if f.CandidateID != 0 {
		f.addPageAbout(q, reader)
		return
	}
	walk := `select d.id as page_id from webhook_deliveries d where d.account_id = :account and d.id >= :from and d.id < :before`
	if f.EndpointID != 0 {
		q.Set("endpoint", f.EndpointID)
		walk += ` and d.endpoint_id = :endpoint`
	}
	walk += reader.readsDelivery()
	stands := f.stands()
	if len(stands) == 0 {
		q.Add(walk + onePageMore)
		return
	}
	var walks []string
	for i, stand := range stands {
		n := strconv.Itoa(i)
		q.Set("stand"+n, stand)
		walks = append(walks, `select page_id from (`+walk+` and d.state || ' ' || d.outcome = :stand`+n+onePageMore+`) listed`+n)
	}
	q.Add(`select page_id from (` + strings.Join(walks, `
	union all
	`) + `) listed` + onePageMore)
}

// addPageAbout is addPage for the deliveries about one candidate, who are few.
func (f DeliveryFilter) addPageAbout(q *db.StatementBuilder, reader Reader) {
	q.Set("type", typus.EventCandidateCompleted)
	q.Set("candidate", f.CandidateID)
	q.Add(`select d.id` + db.OffTextIndex + ` as page_id from webhook_events w join webhook_deliveries d on d.event_id = w.id
		where w.account_id = :account and w.type = :type and w.candidate_id = :candidate and w.test = 0
			and d.id` + db.OffTextIndex + ` >= :from and d.id` + db.OffTextIndex + ` < :before` + reader.readsDelivery())
	if f.EndpointID != 0 {
		q.Set("endpoint", f.EndpointID)
		q.Add(` and d.endpoint_id` + db.OffIndex + ` = :endpoint`)
	}
	if f.State != "" {
		q.Set("state", string(f.State))
		q.Add(` and d.state` + db.OffTextIndex + ` = :state`)
	}
	if f.Outcome != "" {
		q.Set("outcome", f.Outcome)
		q.Add(` and d.outcome` + db.OffTextIndex + ` = :outcome`)
	}
	q.Add(onePageMore)
}

// stands are the pairs of state and outcome that the filter lets through, in the form of the
// index; none where it asks for neither. What has not arrived has no such outcome.
func (f DeliveryFilter) stands() []string {
	if f.State == "" && f.Outcome == "" {
		return nil
	}
	states, outcomes := []typus.DeliveryState{f.State}, []string{f.Outcome}
	if f.State == "" {
		states = typus.DeliveryStates()
	}
	if f.Outcome == "" {
		outcomes = append(typus.DeliveryOutcomes(), "")
	}
	var pairs []string
	for _, state := range states {
		for _, outcome := range outcomes {
			if (state == typus.DeliveryDelivered) == (outcome == typus.DeliveryArrived) {
				pairs = append(pairs, string(state)+" "+outcome)
			}
		}
	}
	return pairs
}

// span are the ids between which lies what the filter lets through: the first, and the one
// behind the last.
func (f DeliveryFilter) span() (from, until string) {
	until = deliveryIDAfterAll
	if !f.From.IsZero() {
		from = firstDeliveryID(f.From)
	}
	if !f.Until.IsZero() {
		until = firstDeliveryID(f.Until)
	}
	return from, until
}

// setSpan sets the ids between which the page lies.
func (f DeliveryFilter) setSpan(q *db.StatementBuilder, before string) {
	from, until := f.span()
	if before != "" {
		until = min(until, before)
	}
	q.Set("from", from)
	q.Set("before", until)
}

const (
	deliveryPrefix     = "dlv_"
	deliveryIDAfterAll = "e"
)

// firstDeliveryID stands before all ids of deliveries that were made at a time or later, and
// behind all others.
func firstDeliveryID(at time.Time) string {
	var id ulid.ULID
	if id.SetTime(uint64(max(at.UnixMilli(), 0))) != nil {
		return deliveryIDAfterAll
	}
	return deliveryPrefix + id.String()
}

// madeAt is the time in the id of a delivery; other if it has none.
func madeAt(id string, other time.Time) time.Time {
	parsed, err := ulid.ParseStrict(strings.TrimPrefix(id, deliveryPrefix))
	if err != nil {
		return other
	}
	return parsed.Timestamp().UTC()
}
