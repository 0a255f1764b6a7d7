package assess

import (
	"context"
	"time"

	"typus"
)

// eraseAtOnce candidates are looked up at once; each is erased in a transaction
// of its own, so that nobody has to wait for all of them.
const eraseAtOnce = 500

// Retain erases the candidates whose retention is over, in every account that
// has set one, until there are none or ctx ends. What was missed while no server
// ran is caught up with.
func (s *Steps) Retain(ctx context.Context) error {
	accounts, err := s.store.AccountsToForget(ctx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		for _, r := range []struct {
			days int
			due  func(ctx context.Context, accountID int64, before time.Time, limit int) ([]int64, error)
		}{{a.KeepFinishedDays, s.store.FinishedBefore}, {a.KeepUnfinishedDays, s.store.ExpiredBefore}} {
			if r.days == 0 {
				continue
			}
			if err := s.retain(ctx, a.ID, s.now().AddDate(0, 0, -r.days), r.due); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Steps) retain(ctx context.Context, accountID int64, before time.Time,
	due func(ctx context.Context, accountID int64, before time.Time, limit int) ([]int64, error),
) error {
	for ctx.Err() == nil {
		ids, err := due(ctx, accountID, before, eraseAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			err := s.Erase(ctx, accountID, id, typus.Actor{Name: "server"})
			// Erased by somebody else meanwhile.
			if err != nil && !typus.Is(err, typus.NotFound) {
				return err
			}
			if ctx.Err() != nil {
				return nil //nolint:nilerr // cut short: the next turn goes on
			}
		}
	}
	return nil
}
