package store

import (
	"context"
	"time"

	"typus"
)

const (
	// drainStep is how far apart the deliveries come due that waited for an
	// endpoint that has recovered.
	drainStep = 100 * time.Millisecond
	// drainLimit bounds one such drain, about a quarter of an hour of steps. What
	// waits behind keeps its times.
	drainLimit = 10_000
)

// drain draws forward what waits for an endpoint that has recovered with fewer
// failures than below: one delivery after the other by id, drainStep apart, none later
// than it was. The endpoint is locked, so that two drains of it follow each other;
// what another transaction has in hand is passed over.
func (t *Tx) drain(ctx context.Context, e typus.Endpoint, below int, now time.Time) error {
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
		e.AccountID, e.ID, millis(now), below, drainLimit, millis(now), drainStep.Milliseconds())
	return err
}
