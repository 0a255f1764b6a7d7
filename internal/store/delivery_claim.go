package store

import (
	"context"
	"time"

	"typus"
)

// claimEndpoints bounds how many endpoints one claim serves.
const claimEndpoints = 16

// Claimed is a delivery that this owner may attempt now, with all that the
// attempt needs.
type Claimed struct {
	Delivery typus.Delivery
	Event    typus.Event
	Endpoint typus.Endpoint
	Secrets  []typus.WebhookSecret
}

// ClaimDeliveries takes up to limit due deliveries of active and failing
// endpoints for the length of the lease, at most max_in_flight per endpoint over
// all owners (1 while it is failing), least recently served endpoints first, and
// records the attempts as started before any byte is sent: a crash leaves a
// visible attempt behind.
func (s *Store) ClaimDeliveries(ctx context.Context, owner string, lease time.Duration, limit int) ([]Claimed, error) {
	var claimed []Claimed
	err := s.InTx(ctx, func(tx *Tx) error {
		c := claim{tx: tx, owner: owner, left: limit, endpoints: map[int64]typus.Endpoint{}, secrets: map[int64][]typus.WebhookSecret{}}
		var err error
		claimed, err = c.run(ctx, lease)
		return err
	})
	return claimed, err
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

func (c *claim) run(ctx context.Context, lease time.Duration) ([]Claimed, error) {
	now, err := c.tx.now(ctx)
	if err != nil {
		return nil, err
	}
	c.now, c.until, c.ids = now, now.Add(lease), map[string]bool{}
	endpoints, err := c.dueEndpoints(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range endpoints {
		if c.left == 0 {
			break
		}
		if err := c.take(ctx, e); err != nil {
			return nil, err
		}
	}
	if len(c.ids) == 0 {
		return nil, nil
	}
	return c.begin(ctx)
}

// dueEndpoints locks the endpoints to be served, passing over those that
// another owner is serving at this moment.
func (c *claim) dueEndpoints(ctx context.Context) ([]typus.Endpoint, error) {
	return all(ctx, c.tx.reads, scanEndpoint, waitingEndpoints+`
		select `+endpointColumns+` from webhook_endpoints e
		where e.id in (select id from waiting) and e.status in ('active', 'failing')
			and exists (select 1 from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending' and d.next_attempt_at <= $1)
			and `+hasRoom+`
		order by e.last_claimed_at nulls first, e.id limit $2`+c.tx.d.skipLocked,
		millis(c.now), claimEndpoints)
}

// take claims what one locked endpoint has room for. The room is counted after
// the lock, by a statement of its own: only that sees what an owner who held the
// lock before has committed.
func (c *claim) take(ctx context.Context, e typus.Endpoint) error {
	sending, err := one(ctx, c.tx.reads, scanInt, "",
		`select count(*) from webhook_deliveries where endpoint_id = $1 and state = 'sending'`, e.ID)
	if err != nil {
		return err
	}
	room := e.MaxInFlight
	if e.Status == typus.EndpointFailing {
		room = 1
	}
	room = min(room-int(sending), c.left)
	if room <= 0 {
		return nil
	}
	ids, err := all(ctx, c.tx.reads, scanText, `
		with due as (
			select id from webhook_deliveries where endpoint_id = $1 and state = 'pending' and next_attempt_at <= $2
			order by next_attempt_at, id limit $3`+c.tx.d.skipLocked+`)
		update webhook_deliveries set state = 'sending', attempt = attempt + 1, lease_owner = $4, lease_until = $5
		where id in (select id from due) and state = 'pending' returning id`,
		e.ID, millis(c.now), room, c.owner, millis(c.until))
	if err != nil || len(ids) == 0 {
		return err
	}
	return c.note(ctx, e, ids)
}

func (c *claim) note(ctx context.Context, e typus.Endpoint, ids []string) error {
	for _, id := range ids {
		c.ids[id] = true
	}
	c.left -= len(ids)
	c.endpoints[e.ID] = e
	secrets, err := c.tx.Secrets(ctx, e.AccountID, e.ID)
	if err != nil {
		return err
	}
	c.secrets[e.ID] = secrets
	_, err = c.tx.exec(ctx, `update webhook_endpoints set last_claimed_at = $1 where account_id = $2 and id = $3`,
		millis(c.now), e.AccountID, e.ID)
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
