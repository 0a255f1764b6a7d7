package sandbox

import (
	"context"
	"time"
)

// look is how often it is asked what is due in a world; the bell only saves the wait.
const look = time.Second

// Run waits for a moment, or until a move begins on this instance, and then does what is
// due in all test worlds. Every instance calls it again and again; they share the work.
func (s *Steps) Run(ctx context.Context) error {
	timer := time.NewTimer(look)
	defer timer.Stop()
	select {
	case <-s.bell:
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}
