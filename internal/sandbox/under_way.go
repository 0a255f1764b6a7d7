package sandbox

import "context"

// UnderWay is the move of a test world's clock that is not done yet; false if there is none.
func (s *Steps) UnderWay(_ context.Context, _ int64) (Move, bool, error) {
	return Move{}, false, nil
}
