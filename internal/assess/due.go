package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// dueBatch is how many due candidates are read at a time.
const dueBatch = 100

// passingAtMost is how many steps in a row may find the database unreachable, full or
// busy before the turn ends. After so many, the fault lies with the database and not
// with the candidates.
const passingAtMost = 3

// eachDue takes a step for every candidate of a list, which it reads page by page. If
// the step fails for a candidate, that is logged and the others go on; the candidate is
// on the list again at the next turn. An error means that the list cannot be read, that
// the database is unreachable or takes no writes, or that ctx has ended.
func (s *Steps) eachDue(ctx context.Context, what string,
	page func(ctx context.Context, after store.Due, limit int) ([]store.Due, error),
	step func(ctx context.Context, d store.Due) error,
) error {
	passing := 0
	for after := (store.Due{}); ctx.Err() == nil; {
		due, err := page(ctx, after, dueBatch)
		if err != nil || len(due) == 0 {
			return err
		}
		for _, d := range due {
			err := step(ctx, d)
			if passing++; !typus.Passing(err) {
				passing = 0
			}
			if err != nil {
				if passing == passingAtMost || s.away(ctx) {
					return err
				}
				s.log.Error(what+" failed for a candidate; tried again at the next turn", "account", d.AccountID, "candidate", d.CandidateID, "error", err)
			}
		}
		after = due[len(due)-1]
	}
	return ctx.Err()
}

// away reports whether the database is unreachable or ctx has ended. Then a step has
// failed through no fault of its own, and the next one would fail as well.
func (s *Steps) away(ctx context.Context) bool { return ctx.Err() != nil || s.store.Ping(ctx) != nil }
