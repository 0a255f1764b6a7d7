package courier

import (
	"context"
	"time"
)

// bell wakes one loop. Several rings while the loop does not wait count as one.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// wait returns at a ring, after d, or when ctx ends.
func (b bell) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-b:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// sleep is a wait without a bell.
func sleep(ctx context.Context, d time.Duration) { bell(nil).wait(ctx, d) }
