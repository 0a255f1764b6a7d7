package courier

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/webhook"
)

const (
	// slots is how many attempts one instance makes at the same time.
	slots = 64
	// claimSize keeps the claiming transaction short.
	claimSize = 32
	// lease is three times the longest attempt. It is never renewed: who has
	// lost it is told so when writing back.
	lease = 60 * time.Second
)

// deliver claims what is due and makes the attempts, each in a goroutine of
// its own, until ctx ends; then it waits for them. work is the attempts' context.
func (c *Courier) deliver(ctx, work context.Context) {
	var attempts sync.WaitGroup
	defer attempts.Wait()
	taken := make(chan struct{}, slots)
	c.loop(ctx, c.deliveries, func() (time.Duration, error) {
		free := cap(taken) - len(taken)
		if free == 0 {
			return c.pace.poll, nil
		}
		wait, waiting, err := c.store.NextDelivery(work)
		if err != nil || !waiting {
			return c.pace.poll, err
		}
		if wait > 0 {
			return wait, nil
		}
		claimed, err := c.store.ClaimDeliveries(work, c.owner, lease, min(free, claimSize))
		if err != nil || len(claimed) == 0 {
			// What is due waits for its endpoint; the end of an attempt rings.
			return c.pace.poll, err
		}
		for _, d := range claimed {
			taken <- struct{}{}
			attempts.Go(func() {
				c.attempt(work, d)
				<-taken
				c.deliveries.ring()
			})
		}
		return 0, nil
	})
}

// attempt makes one attempt. One that breaks off in a panic ends as
// interrupted, with its lease or when the courier stops.
func (c *Courier) attempt(ctx context.Context, d store.Claimed) {
	log := c.log.With("delivery", d.Delivery.ID, "endpoint", d.Endpoint.ID, "attempt", d.Delivery.Attempt)
	if fault := recovered(func() { c.bring(ctx, d, log) }); fault != nil {
		log.Error("courier: a delivery broke off", "error", fault)
	}
}

// bring posts the event and writes the outcome back; an attempt that was cut
// has none, and stays for the stop to give back.
func (c *Courier) bring(ctx context.Context, d store.Claimed, log *slog.Logger) {
	out := c.client.Post(ctx, c.request(d))
	if out.Attempt.Outcome == webhook.OutcomeInterrupted {
		return
	}
	result := c.settle(d.Delivery, out)
	level := slog.LevelInfo
	if result.State != typus.DeliveryDelivered {
		level = slog.LevelWarn
	}
	log.Log(ctx, level, "courier: delivery attempted", "state", result.State, "status", out.Attempt.HTTPStatus, "code", out.Attempt.ErrorCode,
		slog.Duration("took", out.Attempt.Duration.Round(time.Millisecond)), slog.Duration("next_in", result.NextIn.Round(time.Second)))
	err := c.persist(ctx, lease/2, func(ctx context.Context) error {
		mine, err := c.store.FinishAttempt(ctx, c.owner, d.Delivery, result)
		if err == nil && !mine {
			log.Warn("courier: the lease was lost, the outcome came late")
		}
		return err
	})
	if err != nil {
		log.Error("courier: the outcome of a delivery is lost", "error", err)
	}
}

func (c *Courier) request(d store.Claimed) webhook.Request {
	return webhook.Request{
		URL: d.Endpoint.URL, Event: d.Event, DeliveryID: d.Delivery.ID, Attempt: d.Delivery.Attempt,
		Secrets: c.secrets(d), At: c.clock.Now(),
	}
}

// secrets opens those that are valid now. One that cannot be opened (the
// server's key was changed) is left out: without the current one the attempt
// fails and its log says why.
func (c *Courier) secrets(d store.Claimed) map[typus.SecretRole]string {
	open := map[typus.SecretRole]string{}
	for _, s := range typus.LiveSecrets(d.Secrets, c.clock.Now()) {
		plain, err := c.box.Open(s.Sealed, webhook.SecretAAD(s.ID, s.EndpointID))
		if err != nil {
			c.log.Error("courier: a webhook secret cannot be opened", "endpoint", d.Endpoint.ID, "secret", s.ID, "error", err)
			continue
		}
		open[s.Role] = string(plain)
	}
	return open
}

// settle says what follows from an outcome: the next step of the ladder, its
// end, or, after 410, waiting until the endpoint is wanted again. A test ends with
// its one attempt.
func (c *Courier) settle(d typus.Delivery, out webhook.Outcome) store.AttemptResult {
	r := store.AttemptResult{Attempt: out.Attempt, Failures: d.Failures, EndpointGone: out.Gone}
	r.Attempt.DeliveryID, r.Attempt.N = d.ID, d.Attempt
	if out.Delivered {
		r.State = typus.DeliveryDelivered
		return r
	}
	r.Failures++
	switch {
	case d.Kind == typus.DeliveryTest:
		r.State = typus.DeliveryExhausted
	case out.Gone:
		r.State = typus.DeliveryHeld
	case r.Failures >= typus.DeliveryAttempts:
		r.State = typus.DeliveryExhausted
	default:
		r.State = typus.DeliveryPending
		r.NextIn = c.pace.ladder(r.Failures, out.RetryAfter, c.random)
	}
	return r
}
