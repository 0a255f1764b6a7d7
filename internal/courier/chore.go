package courier

import (
	"context"
	"time"

	"typus/internal/store"
)

// Chore is work that recurs and belongs to no request. It must be safe to run
// on several instances at once and to be cut short.
type Chore struct {
	Name  string // for the log
	Every time.Duration
	Run   func(ctx context.Context) error
}

// repeat runs a chore at once, so that downtime is caught up with, and then
// every so often until ctx ends. Errors and panics are logged; the next turn comes.
func (c *Courier) repeat(ctx context.Context, chore Chore) {
	for ctx.Err() == nil {
		var err error
		if fault := recovered(func() { err = chore.Run(ctx) }); fault != nil {
			err = fault
		}
		if err != nil && ctx.Err() == nil {
			c.log.Error("courier: a chore failed", "chore", chore.Name, "error", err)
		}
		sleep(ctx, chore.Every)
	}
}

// answersKept is how long an Idempotency-Key is remembered.
const answersKept = 24 * time.Hour

// forgetAnswers drops the answers of idempotency keys that have run out.
func (c *Courier) forgetAnswers() Chore {
	return Chore{Name: "forget idempotency keys", Every: time.Hour, Run: func(ctx context.Context) error {
		before := time.Now().Add(-answersKept)
		for {
			dropped := 0
			err := c.store.InTx(ctx, func(tx *store.Tx) error {
				var err error
				dropped, err = tx.DropIdempotencyKeys(ctx, before)
				return err
			})
			if err != nil || dropped == 0 {
				return err
			}
		}
	}}
}
