package sandbox

import (
	"context"

	"typus"
)

// Events are the events of a test world after one of them, oldest first, with the bodies that
// its webhooks get; without one, from the first on. Test events of the dashboard are none.
// Forbidden: the account is live. NotFound.
func (s *Steps) Events(ctx context.Context, worldID int64, after string, limit int) ([]typus.Event, error) {
	return nil, typus.Errorf(typus.Unavailable, "the events of a test world cannot be read yet")
}
