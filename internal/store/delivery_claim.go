package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	// claimEndpoints is how many endpoints of a lane one claim serves at most. It
	// bounds how long their rows are locked. The next claim follows at once.
	claimEndpoints = 8
	// claimMost bounds how many deliveries one claim takes.
	claimMost = 64
	// claimTries is how often a claim is tried if it meets only endpoints for which
	// nothing waits any more. Each try notes that, so that other endpoints get their
	// turn.
	claimTries = 5
)

// Claimed is a delivery that this owner may attempt now, with all that the
// attempt needs.
type Claimed struct {
	Delivery typus.Delivery
	Event    typus.Event
	Endpoint typus.Endpoint
	Secrets  []typus.WebhookSecret
}

// ClaimDeliveries claims due deliveries of active and failing endpoints for the length
// of the lease, up to limit and at most 64. Without lanes it looks at all of them. Of
// each endpoint it takes as many as its bucket holds and as may be under way over all
// owners, those that have waited longest first. It records the attempts as begun before
// any byte is sent, so that a crash leaves a visible attempt behind.
func (s *Store) ClaimDeliveries(ctx context.Context, owner string, lease time.Duration, limit int, lanes ...typus.Lane) ([]Claimed, error) {
	if len(lanes) == 0 {
		lanes = typus.Lanes
	}
	var claimed []Claimed
	for range claimTries {
		looked := false
		err := s.InTx(ctx, func(tx *Tx) error {
			c := claim{tx: tx, owner: owner, left: min(limit, claimMost), taken: map[string]bool{}}
			var err error
			claimed, err = c.run(ctx, lease, lanes)
			looked = len(c.served) > 0
			return err
		})
		if err != nil || len(claimed) > 0 || !looked {
			return claimed, err
		}
	}
	return nil, nil
}

// inLane is a condition on an endpoint e for each lane, and the condition of an index.
var inLane = map[typus.Lane]string{
	typus.LaneQuick:   `e.due_at is not null and e.last_duration_ms <= 1000`,
	typus.LaneUnknown: `e.due_at is not null and e.last_duration_ms is null`,
	typus.LaneSlow:    `e.due_at is not null and e.last_duration_ms > 1000`,
}

// NextDelivery is the wait until a delivery of some lanes can be claimed; without lanes
// it looks at all of them. It reports false if no delivery waits for a time.
func (s *Store) NextDelivery(ctx context.Context, lanes ...typus.Lane) (time.Duration, bool, error) {
	if len(lanes) == 0 {
		lanes = typus.Lanes
	}
	var next time.Duration
	found := false
	for _, lane := range lanes {
		wait, waits, err := s.waitFor(ctx, `select min(e.due_at) from webhook_endpoints e where `+inLane[lane])
		if err != nil {
			return 0, false, err
		}
		if waits && (!found || wait < next) {
			next, found = wait, true
		}
	}
	return next, found, nil
}

// claim is one run of ClaimDeliveries. Each of its steps is one statement for all
// endpoints, because one by one they would be fifty round trips.
type claim struct {
	tx     *Tx
	owner  string
	now    time.Time
	until  time.Time
	left   int
	served []serving
	taken  map[string]bool
}

func (c *claim) run(ctx context.Context, lease time.Duration, lanes []typus.Lane) ([]Claimed, error) {
	now, err := db.Now(ctx, c.tx)
	if err != nil {
		return nil, err
	}
	c.now, c.until = now, now.Add(lease)
	for _, lane := range lanes {
		if err := c.serve(ctx, lane); err != nil {
			return nil, err
		}
	}
	var claimed []Claimed
	if len(c.taken) > 0 {
		if claimed, err = c.begin(ctx); err != nil {
			return nil, err
		}
	}
	return claimed, c.leave(ctx)
}

// dueEndpoints locks the endpoints to be served, and passes over those that another
// owner is serving at the moment. An endpoint that was served is due again from then on
// at the earliest, so the order of due_at is the order of waiting.
func (c *claim) dueEndpoints(ctx context.Context, lane typus.Lane) ([]serving, error) {
	return db.All(ctx, c.tx, scanServing, `
		select `+endpointColumns+`, `+suspended+` from webhook_endpoints e
		where `+inLane[lane]+` and e.due_at <= $1 order by e.due_at, e.id limit $2`+c.tx.db.SkipLocked(),
		db.Millis(c.now), claimEndpoints)
}

// begin records the attempts and collects what they need. Rows are found by
// owner and lease; those of an earlier claim in the same millisecond have their
// attempts already and are left out.
func (c *claim) begin(ctx context.Context) ([]Claimed, error) {
	_, err := c.tx.db.Exec(ctx, `
		insert into webhook_attempts (delivery_id, account_id, n, started_at, url, outcome)
		select d.id, d.account_id, d.attempt, $1, e.url, 'started'
		from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
		where d.state = 'sending' and d.lease_until = $2 and d.lease_owner = $3
		on conflict (delivery_id, n) do nothing`, db.Millis(c.now), db.Millis(c.until), c.owner)
	if err != nil {
		return nil, err
	}
	list, err := db.All(ctx, c.tx, scanClaimed, `
		select `+deliveryColumns+`, `+eventColumns+`
		from webhook_deliveries d join webhook_events v on v.id = d.event_id
		where d.state = 'sending' and d.lease_until = $1 and d.lease_owner = $2
		order by d.next_attempt_at, d.id`, db.Millis(c.until), c.owner)
	if err != nil {
		return nil, err
	}
	secrets, err := c.secrets(ctx)
	if err != nil {
		return nil, err
	}
	endpoints := map[int64]typus.Endpoint{}
	for _, s := range c.served {
		endpoints[s.ID] = s.Endpoint
	}
	var claimed []Claimed
	for _, d := range list {
		if c.taken[d.Delivery.ID] {
			d.Endpoint, d.Secrets = endpoints[d.Delivery.EndpointID], secrets[d.Delivery.EndpointID]
			claimed = append(claimed, d)
		}
	}
	return claimed, nil
}

func scanClaimed(row db.Row) (Claimed, error) {
	var c Claimed
	err := row.Scan(append(deliveryFields(&c.Delivery), eventFields(&c.Event)...)...)
	return c, err
}
