package store

import (
	"context"
	"time"

	"typus"
)

// claimEndpoints bounds how many endpoints one claim serves, and so how long it holds
// their rows. The next claim follows at once.
const claimEndpoints = 8

// Claimed is a delivery that this owner may attempt now, with all that the
// attempt needs.
type Claimed struct {
	Delivery typus.Delivery
	Event    typus.Event
	Endpoint typus.Endpoint
	Secrets  []typus.WebhookSecret
}

// ClaimDeliveries takes up to limit due deliveries of active and failing
// endpoints in some lanes, all without one, for the length of the lease: of each
// endpoint as many as its bucket holds and as may be under way to it over all owners,
// those that have waited longest first. It records the attempts as started before any
// byte is sent: a crash leaves a visible attempt behind.
func (s *Store) ClaimDeliveries(ctx context.Context, owner string, lease time.Duration, limit int, lanes ...typus.Lane) ([]Claimed, error) {
	if len(lanes) == 0 {
		lanes = typus.Lanes
	}
	var claimed []Claimed
	err := s.InTx(ctx, func(tx *Tx) error {
		c := claim{tx: tx, owner: owner, left: limit, endpoints: map[int64]typus.Endpoint{}, secrets: map[int64][]typus.WebhookSecret{}}
		var err error
		claimed, err = c.run(ctx, lease, lanes)
		return err
	})
	return claimed, err
}

// inLane is a condition on an endpoint e for each lane, and the condition of an index.
var inLane = map[typus.Lane]string{
	typus.LaneQuick:   `e.due_at is not null and e.last_duration_ms <= 1000`,
	typus.LaneUnknown: `e.due_at is not null and e.last_duration_ms is null`,
	typus.LaneSlow:    `e.due_at is not null and e.last_duration_ms > 1000`,
}

// NextDelivery is the wait until a delivery of some lanes, all without one, is due
// that could be claimed then; false when none waits for time alone.
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

// claim is one run of ClaimDeliveries.
type claim struct {
	tx        *Tx
	owner     string
	now       time.Time
	until     time.Time
	left      int
	ids       map[string]bool
	endpoints map[int64]typus.Endpoint
	secrets   map[int64][]typus.WebhookSecret
}

func (c *claim) run(ctx context.Context, lease time.Duration, lanes []typus.Lane) ([]Claimed, error) {
	now, err := c.tx.now(ctx)
	if err != nil {
		return nil, err
	}
	c.now, c.until, c.ids = now, now.Add(lease), map[string]bool{}
	for _, lane := range lanes {
		endpoints, err := c.dueEndpoints(ctx, lane)
		if err != nil {
			return nil, err
		}
		for _, e := range endpoints {
			if c.left == 0 {
				break
			}
			if err := c.serve(ctx, e); err != nil {
				return nil, err
			}
		}
	}
	if len(c.ids) == 0 {
		return nil, nil
	}
	return c.begin(ctx)
}

// dueEndpoints locks the endpoints to be served, passing over those that
// another owner is serving at this moment. Who was served is due again from then on
// at the earliest, so the order of due_at is that of waiting.
func (c *claim) dueEndpoints(ctx context.Context, lane typus.Lane) ([]typus.Endpoint, error) {
	return all(ctx, c.tx.reads, scanEndpoint, `
		select `+endpointColumns+` from webhook_endpoints e
		where `+inLane[lane]+` and e.due_at <= $1 order by e.due_at, e.id limit $2`+c.tx.d.skipLocked,
		millis(c.now), claimEndpoints)
}

// serve claims what one locked endpoint has room for.
func (c *claim) serve(ctx context.Context, e typus.Endpoint) error {
	room, err := c.room(ctx, e)
	if err != nil {
		return err
	}
	taken := 0
	if n := min(room, e.Rate.Free(e.BucketFullAt, c.now), c.left); n > 0 {
		ids, err := c.take(ctx, e, n)
		if err != nil {
			return err
		}
		taken = len(ids)
		if err := c.note(ctx, e, ids); err != nil {
			return err
		}
	}
	e.BucketFullAt = e.Rate.Take(e.BucketFullAt, c.now, taken)
	return c.leave(ctx, e, taken == room)
}

// room is how many attempts more may be under way. They are counted after the
// lock, by a statement of its own: only that sees what an owner who held the lock
// before has committed.
func (c *claim) room(ctx context.Context, e typus.Endpoint) (int, error) {
	if !e.On() {
		return 0, nil
	}
	sending, err := one(ctx, c.tx.reads, scanInt, "",
		`select count(*) from webhook_deliveries where endpoint_id = $1 and state = 'sending'`, e.ID)
	return max(0, e.AtOnce()-int(sending)), err
}

// take claims up to n due deliveries of an endpoint; while its receiver has asked for
// rest only tests, which somebody waits for who has mended something.
func (c *claim) take(ctx context.Context, e typus.Endpoint, n int) ([]string, error) {
	kind := ``
	if typus.Ahead(e.ProbeAfter, c.now, farthestAttempt) > 0 {
		kind = ` and kind = 'test'`
	}
	return all(ctx, c.tx.reads, scanText, `
		with due as (
			select id from webhook_deliveries where endpoint_id = $1 and state = 'pending' and next_attempt_at <= $2`+kind+`
			order by next_attempt_at, id limit $3`+c.tx.d.skipLocked+`)
		update webhook_deliveries set state = 'sending', attempt = attempt + 1, lease_owner = $4, lease_until = $5
		where id in (select id from due) and state = 'pending' returning id`,
		e.ID, millis(c.now), n, c.owner, millis(c.until))
}

// note remembers what was claimed of an endpoint, with what the attempts need.
func (c *claim) note(ctx context.Context, e typus.Endpoint, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	for _, id := range ids {
		c.ids[id] = true
	}
	c.left -= len(ids)
	c.endpoints[e.ID] = e
	secrets, err := c.tx.Secrets(ctx, e.AccountID, e.ID)
	c.secrets[e.ID] = secrets
	return err
}

// leave writes when the endpoint is to be looked at again: see the rules of due_at.
func (c *claim) leave(ctx context.Context, e typus.Endpoint, full bool) error {
	alone, err := c.tx.alone(ctx, e)
	if err != nil {
		return err
	}
	due, err := c.tx.nextDue(ctx, e, c.now)
	if err != nil {
		return err
	}
	soon := c.now.Add(lookAgain)
	switch {
	case !e.On():
		due = time.Time{}
	case !alone && (due.IsZero() || due.After(soon)):
		due = soon
	case due.IsZero():
	case full:
		due = latest(due, soon)
	default:
		due = latest(due, c.now)
	}
	_, err = c.tx.exec(ctx, `
		update webhook_endpoints set due_at = $1, bucket_full_at = $2, last_claimed_at = $3 where account_id = $4 and id = $5`,
		millisOrNull(due), e.BucketFullAt.UnixMicro(), millis(c.now), e.AccountID, e.ID)
	return err
}

// begin records the attempts and collects what they need. Rows are found by
// owner and lease; those of an earlier claim in the same millisecond have their
// attempts already and are left out.
func (c *claim) begin(ctx context.Context) ([]Claimed, error) {
	_, err := c.tx.exec(ctx, `
		insert into webhook_attempts (delivery_id, n, started_at, url, outcome)
		select d.id, d.attempt, $1, e.url, 'started'
		from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
		where d.state = 'sending' and d.lease_until = $2 and d.lease_owner = $3
		on conflict (delivery_id, n) do nothing`, millis(c.now), millis(c.until), c.owner)
	if err != nil {
		return nil, err
	}
	list, err := all(ctx, c.tx.reads, scanClaimed, `
		select `+deliveryColumns+`, `+eventColumns+`
		from webhook_deliveries d join webhook_events v on v.id = d.event_id
		where d.state = 'sending' and d.lease_until = $1 and d.lease_owner = $2
		order by d.next_attempt_at, d.id`, millis(c.until), c.owner)
	if err != nil {
		return nil, err
	}
	var claimed []Claimed
	for _, d := range list {
		if c.ids[d.Delivery.ID] {
			d.Endpoint, d.Secrets = c.endpoints[d.Delivery.EndpointID], c.secrets[d.Delivery.EndpointID]
			claimed = append(claimed, d)
		}
	}
	return claimed, nil
}

func scanClaimed(row scanner) (Claimed, error) {
	var c Claimed
	err := row.Scan(append(deliveryFields(&c.Delivery), eventFields(&c.Event)...)...)
	return c, err
}
