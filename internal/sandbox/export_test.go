package sandbox

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Hurry has moves ask more often what is left.
func (s *Steps) Hurry() *Steps {
	s.pace = pace{time.Millisecond, 10 * time.Second, 20 * time.Second, 10 * time.Millisecond}
	return s
}

// Turn does once what Run does again and again, and waits for the end of every move.
func (s *Steps) Turn(ctx context.Context) error {
	if err := s.actsDue(ctx, s.now()); err != nil {
		return err
	}
	var moves sync.WaitGroup
	defer moves.Wait()
	return s.take(ctx, &moves)
}

// Stops goes on with the moves that nobody has for so many stops, and dies.
func (s *Steps) Stops(ctx context.Context, most int) error {
	moves, err := s.store.FreeMoves(ctx, lease)
	if err != nil {
		return err
	}
	for _, m := range moves {
		if _, err := s.store.HoldMove(ctx, m, s.owner, lease); err != nil {
			return err
		}
		for range most {
			patience := s.pace.most
			if _, err := s.stop(ctx, m, &patience); err != nil {
				return err
			}
		}
	}
	return nil
}

// Lease is how long an instance that has died holds up a move.
const Lease = lease

// ISO is how the log writes a duration.
func ISO(d time.Duration) string { return iso(d) }

// Full has an instance go on with as many moves as it can, until the returned function is
// called.
func (s *Steps) Full() func() {
	for s.room() {
	}
	return func() {
		for range mostMoves {
			<-s.moving
		}
	}
}

// Impatient settles a world so many times with the patience of one move, and fails if any of it
// is left.
func (s *Steps) Impatient(ctx context.Context, worldID int64, stops int, patience time.Duration) error {
	for range stops {
		if err := s.settle(ctx, worldID, &patience); err != nil {
			return err
		}
	}
	if patience != 0 {
		return fmt.Errorf("%v of the patience are left", patience)
	}
	return nil
}
