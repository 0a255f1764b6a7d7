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

// slots is how many attempts one instance makes at the same time, by lane. No lane
// takes the slots of another.
var slots = map[typus.Lane]int{typus.LaneQuick: 64, typus.LaneUnknown: 32, typus.LaneSlow: 32}

const (
	// claimSize keeps the claiming transaction short.
	claimSize = 32
	// lease is three times as long as the longest attempt. It is never renewed: whoever
	// has lost it learns so when writing back.
	lease = 60 * time.Second
	// passedOver is the pause after a claim that found nothing although something was
	// due.
	passedOver = 20 * time.Millisecond
)

// deliver claims what is due in a lane and makes each attempt in a goroutine of its
// own, until ctx ends; then it waits for the attempts. work is their context.
func (c *Courier) deliver(ctx, work context.Context, lane typus.Lane) {
	var attempts sync.WaitGroup
	defer attempts.Wait()
	taken := make(chan struct{}, slots[lane])
	c.loop(ctx, c.deliveries[lane], func() (time.Duration, error) {
		free := cap(taken) - len(taken)
		if free == 0 {
			return c.pace.poll, nil
		}
		wait, waiting, err := c.store.NextDelivery(work, lane)
		if err != nil || !waiting {
			return c.pace.poll, err
		}
		if wait > 0 {
			return wait, nil
		}
		began := c.now()
		claimed, err := c.store.ClaimDeliveries(work, c.owner, c.pace.lease, min(free, claimSize), lane)
		if err != nil {
			return c.pace.poll, err
		}
		for _, d := range claimed {
			taken <- struct{}{}
			attempts.Go(func() {
				c.attempt(work, d, began)
				<-taken
				c.ring() // its endpoint may have more, and may be in another lane now
			})
		}
		if len(claimed) == 0 {
			// What was due had no place, or another instance has it.
			return passedOver, nil
		}
		return 0, nil
	})
}

// settle brings the deliveries of endpoints whose status was changed, or that are
// drained, page after page into the state they should have.
func (c *Courier) settle(ctx context.Context) {
	c.loop(ctx, c.settling, func() (time.Duration, error) {
		found, err := c.store.SettleDeliveries(ctx)
		if err != nil || !found {
			return c.pace.poll, err
		}
		return 0, nil
	})
}

// ring tells all lanes that something may be due.
func (c *Courier) ring() {
	for _, b := range c.deliveries {
		b.ring()
	}
}

// moment is a time by both clocks of the machine. The one that has run since its start
// stops while the machine is paused, the one on its wall may be set.
type moment struct{ run, wall time.Time }

func (c *Courier) now() moment { return moment{time.Now(), c.clock.Now()} }

// since is how long ago a moment was, by the clock that says more.
func (c *Courier) since(m moment) time.Duration {
	now := c.now()
	return max(now.run.Sub(m.run), now.wall.Sub(m.wall))
}

// attempt makes one attempt, for which it was claimed just now. If it panics, it ends as
// interrupted when its lease ends or the courier stops. One that cannot end within its
// lease is given back, because the server stood still after the claim: another server may
// have the delivery by then.
func (c *Courier) attempt(ctx context.Context, d store.Claimed, claimed moment) {
	log := c.log.With("delivery", d.Delivery.ID, "endpoint", d.Endpoint.ID, "attempt", d.Delivery.Attempt)
	if c.since(claimed) > c.pace.lease/2 {
		log.Warn("courier: the server stood still, the attempt is not made")
		c.handBack(ctx, d, log)
		return
	}
	if fault := recovered(func() { c.bring(ctx, d, log) }); fault != nil {
		log.Error("courier: a delivery broke off", "error", fault)
	}
}

// bring posts the event and writes the outcome back. An attempt that was cut off has no
// outcome; the stop gives it back.
func (c *Courier) bring(ctx context.Context, claimed store.Claimed, log *slog.Logger) {
	out := c.client.Post(ctx, c.request(claimed))
	if out.Attempt.Outcome == webhook.OutcomeInterrupted {
		return
	}
	log = log.With("status", out.Attempt.HTTPStatus, "code", out.Attempt.ErrorCode, slog.Duration("took", out.Attempt.Duration.Round(time.Millisecond)))
	mine, d, err := c.writeBack(ctx, claimed.Delivery, out)
	switch {
	case err != nil && c.goneByReset(ctx, claimed.Delivery, err):
		log.Info("courier: the test world of a delivery was reset meanwhile")
	case err != nil:
		log.Error("courier: the outcome of a delivery is lost", "error", err)
	case !mine:
		log.Warn("courier: the lease was lost, the outcome came late")
	case d.State == typus.DeliveryDelivered:
		log.Info("courier: delivery attempted", "state", d.State)
	default:
		log.Warn("courier: delivery attempted", "state", d.State, "next_at", d.NextAttemptAt)
	}
}

// writeBack stores an outcome with all that follows from it, and returns the delivery
// as it is then. False means that the lease was lost.
func (c *Courier) writeBack(ctx context.Context, d typus.Delivery, out webhook.Outcome) (bool, typus.Delivery, error) {
	next := min(d.Failures+1, typus.DeliveryAttempts-1)
	result := webhook.Result{Outcome: out, Wait: c.pace.ladder(next, out.RetryAfter, c.random)}
	result.Attempt.N = d.Attempt
	mine, after := false, d
	err := c.persist(ctx, c.pace.lease/2, func(ctx context.Context) error {
		var err error
		mine, err = c.store.FinishAttempt(ctx, c.owner, d, result.Attempt, func(e typus.Endpoint, is typus.Delivery, late bool, now time.Time) typus.Verdict {
			result.Late = late
			verdict := webhook.Judge(e, is, result, now)
			after = verdict.Delivery
			return verdict
		})
		return err
	})
	return mine, after, err
}

// handBack gives back a delivery whose attempt was not made: it is due at once, and nothing
// is counted.
func (c *Courier) handBack(ctx context.Context, d store.Claimed, log *slog.Logger) {
	err := c.persist(ctx, c.pace.lease/2, func(ctx context.Context) error {
		_, err := c.store.FinishAttempt(ctx, c.owner, d.Delivery, typus.Attempt{URL: d.Endpoint.URL}, notMade)
		return err
	})
	switch {
	case err == nil:
	case c.goneByReset(ctx, d.Delivery, err):
		log.Info("courier: the test world of a delivery was reset meanwhile")
	default:
		// The lease runs out by itself.
		log.Error("courier: a delivery could not be given back", "error", err)
	}
}

// goneByReset reports whether a delivery was not found because its test world was reset while
// it was attempted. Nothing else deletes one: in a live account, that would be a fault.
func (c *Courier) goneByReset(ctx context.Context, d typus.Delivery, err error) bool {
	if !typus.Is(err, typus.NotFound) {
		return false
	}
	var account typus.Account
	failed := once(ctx, func(ctx context.Context) error {
		var err error
		account, err = c.store.Account(ctx, d.AccountID)
		return err
	})
	return failed == nil && account.IsWorld()
}

// notMade is the verdict on an attempt that was not made. If somebody else has the
// delivery, it stays theirs.
func notMade(e typus.Endpoint, d typus.Delivery, late bool, now time.Time) typus.Verdict {
	if late {
		return typus.Verdict{Endpoint: e, Delivery: d, Outcome: webhook.OutcomeInterrupted}
	}
	return webhook.GiveBack(e, d, now)
}

// interrupted is the verdict on an attempt whose outcome nobody knows.
func interrupted(e typus.Endpoint, d typus.Delivery, _ bool, now time.Time) typus.Verdict {
	return webhook.Judge(e, d, webhook.Interrupted, now)
}

// giveBack is the verdict on an attempt that the stop has cut.
func giveBack(e typus.Endpoint, d typus.Delivery, _ bool, now time.Time) typus.Verdict {
	return webhook.GiveBack(e, d, now)
}

func (c *Courier) request(d store.Claimed) webhook.Request {
	header, lost := c.header(d.Endpoint)
	return webhook.Request{
		URL: d.Endpoint.URL, Event: d.Event, DeliveryID: d.Delivery.ID, Attempt: d.Delivery.Attempt,
		Secrets: c.secrets(d), At: c.clock.Now(), Header: header, HeaderLost: lost,
	}
}

// header opens the header of the customer's own that a request carries, and reports
// whether there is one that cannot be opened.
func (c *Courier) header(e typus.Endpoint) (webhook.Header, bool) {
	if e.StaticHeader == "" {
		return webhook.Header{}, false
	}
	line, err := c.box.Open([]byte(e.StaticHeader), webhook.HeaderAAD(e.ID))
	if err != nil {
		c.log.Error("courier: the own header of a webhook cannot be opened", "endpoint", e.ID, "error", err)
		return webhook.Header{}, true
	}
	return webhook.SplitHeader(string(line)), false
}

// secrets opens the secrets that are valid now. A secret that cannot be opened, because
// the server's key was changed, is left out. Without the current one the attempt fails,
// and its log says why.
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
