package assess

import (
	"context"

	"typus/internal/store"
)

// dueBatch is how many due candidates are read at once.
const dueBatch = 100

// eachDue takes a step for every candidate of a list that is read page by page. Whoever
// it fails for is logged and passed over, so that nobody waits for them, and is on the
// list again at the next turn. An error means that the list cannot be read, that the
// database is away, or that ctx has ended.
func (s *Steps) eachDue(ctx context.Context, what string,
	page func(ctx context.Context, after store.Due, limit int) ([]store.Due, error),
	step func(ctx context.Context, d store.Due) error,
) error {
	for after := (store.Due{}); ctx.Err() == nil; {
		due, err := page(ctx, after, dueBatch)
		if err != nil || len(due) == 0 {
			return err
		}
		for _, d := range due {
			if err := step(ctx, d); err != nil {
				if s.away(ctx) {
					return err
				}
				s.log.Error(what+" failed for a candidate; tried again at the next turn", "account", d.AccountID, "candidate", d.CandidateID, "error", err)
			}
		}
		after = due[len(due)-1]
	}
	return ctx.Err()
}

// away reports whether the database, or the time to ask it, is gone: then a step has
// failed for no fault of its own, and so would the next.
func (s *Steps) away(ctx context.Context) bool { return ctx.Err() != nil || s.store.Ping(ctx) != nil }
