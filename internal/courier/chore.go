package courier

import (
	"context"
	"time"
)

// Chore is work that recurs and belongs to no request (a cron job). The instances on
// one database share it: each turn is taken by one of them, and by another if that one
// dies. A chore must be safe to cut short. It must also be safe to run beside an
// earlier turn of its own that was held up for longer than a lease.
type Chore struct {
	Name  string        // its name in the database and in the log; never changes
	Every time.Duration // from the end of a turn to the next
	Run   func(ctx context.Context) error
}

const (
	// choreLease is how long an instance that has died can hold up a chore. A living
	// instance renews the lease.
	choreLease = time.Minute
	// choreRetry is the longest wait after a turn that failed.
	choreRetry = time.Minute
)

// turns takes those turns of a chore that this instance can get, until ctx ends. Errors
// and panics are logged and do not end it.
func (c *Courier) turns(ctx context.Context, chore Chore) {
	for ctx.Err() == nil {
		pause, err := c.turn(ctx, chore)
		if err != nil && ctx.Err() == nil {
			c.complain("courier: a chore failed", err, "chore", chore.Name)
		}
		// Not much longer than a lease: the instance that has the turn may die.
		sleep(ctx, min(max(pause, c.pace.poll), max(choreLease, c.pace.sweep)))
	}
}

// turn takes the turn if it is due and free, and says how long to wait before
// asking again.
func (c *Courier) turn(ctx context.Context, chore Chore) (time.Duration, error) {
	mine, wait, err := c.store.ClaimChore(ctx, chore.Name, c.owner, chore.Every, choreLease)
	if err != nil {
		return maxPause, err
	}
	if !mine {
		return wait, nil
	}
	err = c.hold(ctx, chore)
	next, done := chore.Every, err == nil && ctx.Err() == nil
	switch {
	case ctx.Err() != nil:
		next = 0 // cut short by the stop: the next instance goes on at once
	case err != nil:
		next = min(next, choreRetry)
	}
	finished := c.persist(ctx, choreLease/2, func(ctx context.Context) error {
		_, err := c.store.FinishChore(ctx, chore.Name, c.owner, next, done)
		return err
	})
	if err == nil {
		err = finished
	}
	return next, err
}

// hold runs the chore and renews its lease meanwhile. If the lease is lost or cannot be
// renewed, the run is cut off.
func (c *Courier) hold(ctx context.Context, chore Chore) error {
	running, cut := context.WithCancel(ctx)
	defer cut()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for until := time.Now().Add(choreLease); ; {
			sleep(running, choreLease/3)
			if running.Err() != nil {
				return
			}
			mine, err := c.store.KeepChore(running, chore.Name, c.owner, choreLease)
			switch {
			case err == nil && mine:
				until = time.Now().Add(choreLease)
			case err == nil || time.Now().After(until):
				cut()
				return
			}
		}
	}()
	var err error
	if fault := recovered(func() { err = chore.Run(running) }); fault != nil {
		err = fault
	}
	cut()
	<-done
	return err
}

// repeat runs work that belongs to this instance alone: at once, and then at its
// interval until ctx ends. Errors and panics are logged and do not end it.
func (c *Courier) repeat(ctx context.Context, chore Chore) {
	for ctx.Err() == nil {
		var err error
		if fault := recovered(func() { err = chore.Run(ctx) }); fault != nil {
			err = fault
		}
		if err != nil && ctx.Err() == nil {
			c.complain("courier: a chore failed", err, "chore", chore.Name)
		}
		sleep(ctx, chore.Every)
	}
}
