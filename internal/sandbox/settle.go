package sandbox

import (
	"context"
	"time"

	"typus/internal/store"
)

// pace is how long a move waits at each stop for what others bring. Tests use another one.
type pace struct {
	ask   time.Duration // how often it is asked what is left, in the first second
	still time.Duration // nothing is being sent, and what waits stays as it is: nobody brings it
	most  time.Duration // a receiver that hangs cannot hold up a move for longer
	least time.Duration // what comes soon is waited for at each stop, whatever hangs beside it
}

// slower is how often it is asked after the first second.
const slower = 250 * time.Millisecond

// next is how long whoever waits since then waits for the next question.
func (p pace) next(began time.Time) time.Duration {
	if time.Since(began) > time.Second {
		return max(p.ask, slower)
	}
	return p.ask
}

func usualPace() pace {
	return pace{50 * time.Millisecond, 3 * time.Second, 25 * time.Second, 500 * time.Millisecond}
}

// settle waits until no letter and no delivery of a world is due or being sent. It goes on
// without them when nothing changes any more, or when the patience of the move is used up: a
// receiver that hangs does that once, and not at each stop. All of it is shorter than the
// lease of a move.
func (s *Steps) settle(ctx context.Context, worldID int64, patience *time.Duration) error {
	var last store.Unsettled
	began := time.Now()
	for changed := began; ctx.Err() == nil; pause(ctx, nil, s.pace.next(began)) {
		left, err := s.store.Unsettled(ctx, worldID)
		if err != nil || left == (store.Unsettled{}) {
			return err
		}
		if left != last {
			last, changed = left, time.Now()
		}
		waited := time.Since(began)
		if waited > max(*patience, s.pace.least) || left.Sending == 0 && time.Since(changed) > s.pace.still {
			*patience = max(0, *patience-waited)
			return nil
		}
	}
	return ctx.Err()
}
