package sandbox

import (
	"context"
	"time"

	"typus/internal/store"
)

// pace is how long a move waits at each stop for what others bring. Tests use another one.
type pace struct {
	ask   time.Duration // how often it is asked what is left
	still time.Duration // nothing is being sent, and what waits stays as it is: nobody brings it
	most  time.Duration // a receiver that hangs cannot hold up the clock for longer
}

func usualPace() pace { return pace{50 * time.Millisecond, 3 * time.Second, 25 * time.Second} }

// settle waits until no letter and no delivery of a move's world is due or being sent, and
// keeps the move meanwhile. It goes on without them when nothing changes any more, or after
// some time.
func (s *Steps) settle(ctx context.Context, m store.Move) error {
	var last store.Unsettled
	began := time.Now()
	for changed := began; ctx.Err() == nil; pause(ctx, nil, s.pace.ask) {
		left, err := s.store.Unsettled(ctx, m.WorldID)
		if err != nil || left == (store.Unsettled{}) {
			return err
		}
		if left != last {
			last, changed = left, time.Now()
		}
		if time.Since(began) > s.pace.most || left.Sending == 0 && time.Since(changed) > s.pace.still {
			return nil
		}
	}
	return ctx.Err()
}
