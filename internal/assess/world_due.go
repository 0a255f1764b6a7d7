package assess

import (
	"context"
	"errors"
	"time"

	"typus/internal/store"
)

// DueOf does what RemindDue and ExpireDue do, in one test world and by a time that need not
// settle: the world's clock goes forward only, and whatever it does can be reset.
func (s *Steps) DueOf(ctx context.Context, worldID int64, at time.Time) error {
	reminded := s.eachDue(ctx, "a reminder", func(ctx context.Context, after store.Due, limit int) ([]store.Due, error) {
		return s.store.RemindersOf(ctx, worldID, at, after, limit)
	}, func(ctx context.Context, d store.Due) error { return s.remindDue(ctx, d, at) })
	expired := s.eachDue(ctx, "noting that an invitation has run out", func(ctx context.Context, after store.Due, limit int) ([]store.Due, error) {
		return s.store.ExpiriesOf(ctx, worldID, at, after, limit)
	}, func(ctx context.Context, d store.Due) error { return s.expire(ctx, d, at) })
	return errors.Join(reminded, expired)
}

// RetainOf is Retain for one test world, by a time that need not settle.
func (s *Steps) RetainOf(ctx context.Context, worldID int64, at time.Time) error {
	world, err := s.store.Account(ctx, worldID)
	if err != nil || world.KeepFinishedDays == 0 && world.KeepUnfinishedDays == 0 {
		return err
	}
	return s.retain(ctx, world, at)
}
