package sandbox

import (
	"context"
	"sync"
	"time"
)

// look is how often it is asked what is due in a world; the bell only saves the wait.
const look = time.Second

// Run plays all test worlds until ctx ends: what people do by themselves, and the moves of
// clocks. Every instance calls it; they share the work.
func (s *Steps) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	defer loops.Wait()
	loops.Go(func() { s.again(ctx, nil, func() error { return s.actsDue(ctx, s.now()) }) })
	s.again(ctx, s.bell, func() error { return s.take(ctx, &loops) })
	return nil
}

// again does something at once, at every ring, and after a while, until ctx ends.
func (s *Steps) again(ctx context.Context, bell chan struct{}, do func() error) {
	for ctx.Err() == nil {
		if err := do(); err != nil && ctx.Err() == nil {
			s.log.Error("test worlds cannot be played", "error", err)
		}
		pause(ctx, bell, look)
	}
}

// pause returns at a ring, after d, or when ctx ends.
func pause(ctx context.Context, bell chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-bell:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// mostMoves is how many moves an instance goes on with at once (our choice): each waits most
// of the time, and more would take the connections of everybody else.
const mostMoves = 8

// take takes the moves that nobody has, and goes on with each beside the others. What comes
// after mostMoves it leaves to other instances, or to a later turn.
func (s *Steps) take(ctx context.Context, loops *sync.WaitGroup) error {
	moves, err := s.store.FreeMoves(ctx, lease)
	if err != nil {
		return err
	}
	for _, m := range moves {
		if !s.room() {
			return nil
		}
		held, err := s.store.HoldMove(ctx, m, s.owner, lease)
		if err != nil || !held {
			<-s.moving
		}
		if err != nil {
			return err
		}
		if held {
			loops.Go(func() {
				defer func() { <-s.moving }()
				s.finish(ctx, m)
			})
		}
	}
	return nil
}

// room takes a place for a move, if there is one.
func (s *Steps) room() bool {
	select {
	case s.moving <- struct{}{}:
		return true
	default:
		return false
	}
}
