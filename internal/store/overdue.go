package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// Overdue is since when the oldest things have been due that nobody has brought; zero
// times where nothing is due.
type Overdue struct {
	Letter   time.Time
	Delivery time.Time // to a webhook that is on
}

// OverdueAt reads what was due before a time.
func (r reads) OverdueAt(ctx context.Context, now time.Time) (Overdue, error) {
	letter, err := db.One(ctx, r, db.ScanInstant, "", `
		select min(next_attempt_at) from letters where state = 'queued' and kept = 0 and next_attempt_at < $1`, db.Millis(now))
	if err != nil {
		return Overdue{}, err
	}
	delivery, err := db.One(ctx, r, db.ScanInstant, "", `
		select min(d.next_attempt_at) from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id
		where e.status in ('active', 'failing') and d.state = 'pending' and d.next_attempt_at < $1`, db.Millis(now))
	return Overdue{letter, delivery}, err
}
