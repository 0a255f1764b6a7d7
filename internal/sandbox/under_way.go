package sandbox

import (
	"context"

	"typus"
)

// UnderWay is the move of a test world's clock that is not done yet; false if there is none.
func (s *Steps) UnderWay(ctx context.Context, worldID int64) (Move, bool, error) {
	running, found, err := s.store.Moving(ctx, worldID)
	if err != nil || !found {
		return Move{}, false, err
	}
	m, err := s.MoveOf(ctx, worldID, running.ID)
	if typus.Is(err, typus.NotFound) { // the world was reset just now
		return Move{}, false, nil
	}
	return m, err == nil && !m.Done, err
}
