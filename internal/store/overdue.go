package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// Overdue is since when the oldest things have been due that nobody has brought; zero
// times where nothing is due.
type Overdue struct {
	Letter   time.Time
	Delivery time.Time // to a webhook that is on
}

// OverdueAt reads what was due before a time, but for accounts for which nothing is sent. It
// looks at every webhook that is on, also at one that no courier would take up.
func (r *reads) OverdueAt(ctx context.Context, now time.Time) (Overdue, error) {
	letter, err := r.earliest(ctx, now, overdueLetters...)
	if err != nil {
		return Overdue{}, err
	}
	delivery, err := r.earliest(ctx, now, `
		select min(due.at) from (
			select (select min(d.next_attempt_at) from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending' and d.next_attempt_at < $1) as at
			from webhook_endpoints e where not `+ofIdle(`e.account_id`)+` and e.status in ('active', 'failing')) due`)
	return Overdue{letter, delivery}, err
}

// firstOverdue is OverdueAt at the cost of a few hundred rows: of each lane it looks at those
// webhooks that have waited longest.
func (r *reads) firstOverdue(ctx context.Context, now time.Time) (Overdue, error) {
	letter, err := r.earliest(ctx, now, overdueLetters...)
	if err != nil {
		return Overdue{}, err
	}
	delivery, err := r.earliest(ctx, now, overdueInLanes...)
	return Overdue{letter, delivery}, err
}

// earliest is the earliest time that some queries find before now, zero for none.
func (r *reads) earliest(ctx context.Context, now time.Time, queries ...string) (time.Time, error) {
	var first time.Time
	for _, text := range queries {
		at, err := db.One(ctx, r, db.ScanInstant, "", text, db.Millis(now))
		if err != nil {
			return time.Time{}, err
		}
		if first.IsZero() || !at.IsZero() && at.Before(first) {
			first = at
		}
	}
	return first, nil
}

var overdueInLanes = func() []string {
	var queries []string
	for _, lane := range typus.Lanes {
		queries = append(queries, `
			select min(due.at) from (
				select (select min(d.next_attempt_at) from webhook_deliveries d where d.endpoint_id = first.id and d.state = 'pending' and d.next_attempt_at < $1) as at
				from (select e.id from webhook_endpoints e where `+inLane[lane]+` order by e.due_at, e.id limit 200) first) due`)
	}
	return queries
}()

// overdueLetters read the oldest of those that nobody has taken up yet, urgent or not, and
// of the first that are in line.
var overdueLetters = []string{
	`select min(next_attempt_at) from letters where kept = 0 and urgent = 0 and state = 'queued' and turn is null and next_attempt_at < $1`,
	`select min(next_attempt_at) from letters where kept = 0 and urgent = 1 and state = 'queued' and turn is null and next_attempt_at < $1`,
	`select min(line.next_attempt_at) from (
		select next_attempt_at from letters where kept = 0 and state = 'queued' and turn is not null order by urgent desc, turn limit 200) line
	where line.next_attempt_at < $1`,
}
