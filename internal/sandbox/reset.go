package sandbox

import (
	"context"

	"typus"
)

// Reset deletes everything that belongs to a test world but its keys and webhooks, gives
// it Credits, and has it show the real time again. Conflict with typus.CodeBusy: its clock
// is being moved. Forbidden: the account is live. NotFound.
func (s *Steps) Reset(ctx context.Context, worldID int64, who typus.Actor) error {
	return typus.Errorf(typus.Unavailable, "a test world cannot be reset yet")
}

// SetBalance gives a test world a balance of credits, by an entry in its ledger. Invalid: the
// balance is below zero or above MaxBalance. Forbidden: the account is live. NotFound.
func (s *Steps) SetBalance(ctx context.Context, worldID, balance int64, who typus.Actor) error {
	return typus.Errorf(typus.Unavailable, "the credits of a test world cannot be set yet")
}

// MaxBalance bounds a balance that somebody sets (our choice).
const MaxBalance = 1_000_000_000
