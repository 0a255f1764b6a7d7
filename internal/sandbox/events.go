package sandbox

import (
	"context"

	"typus"
)

// Events are the events of a test world after one of them, oldest first, with the bodies that
// its webhooks get, which nobody has once their person is erased; after one that is not there,
// from the first on. Test events of the dashboard are none. Forbidden: the account is live.
// NotFound.
func (s *Steps) Events(ctx context.Context, worldID int64, after string, limit int) ([]typus.Event, error) {
	world, err := s.store.Account(ctx, worldID)
	if err != nil {
		return nil, err
	}
	if err := onlyWorld(world); err != nil {
		return nil, err
	}
	return s.store.WorldEvents(ctx, worldID, after, limit)
}
