package sandbox

import (
	"context"
	"time"

	"typus"
)

// Farthest is how far one move takes a world's clock (our choice): a year, be it a leap year.
const Farthest = 366 * 24 * time.Hour

// Move is one way of a world's clock to a later time.
type Move struct {
	ID        int64
	Done      bool
	WorldTime time.Time     // what the world's clock shows now
	Left      time.Duration // how far it still has to go, 0 when it is done
}

// Advance begins to move the clock of a test world on by so much and returns at once; Await
// waits for the end. On the way everything happens that falls due. Invalid: the time is not
// above zero, or above Farthest. Conflict with typus.CodeBusy: another move is under way.
// Forbidden: the account is live. NotFound.
func (s *Steps) Advance(ctx context.Context, worldID int64, by time.Duration, who typus.Actor) (Move, error) {
	return Move{}, typus.Errorf(typus.Unavailable, "the clock of a test world does not move yet")
}

// MoveOf says how far a move is. NotFound: the world has made no such move since it was
// last reset.
func (s *Steps) MoveOf(ctx context.Context, worldID, moveID int64) (Move, error) {
	return Move{}, typus.Errorf(typus.NotFound, noMove)
}

// Await waits until a move is done, for so long at most, and says how far it is then.
// NotFound as in MoveOf.
func (s *Steps) Await(ctx context.Context, worldID, moveID int64, within time.Duration) (Move, error) {
	return s.MoveOf(ctx, worldID, moveID)
}

const noMove = "the test world has made no such move of its clock"
