package sandbox

import (
	"context"

	"typus"
	"typus/internal/store"
)

// Credits is the balance that a test world begins with (our choice): more than its candidates
// can use, so that it runs out only where somebody wants to see that.
const Credits = 1_000_000

// World is the test world of a live account; the first call makes it, with the account's
// settings. Calls at the same time make one. NotFound: no such account, or it is itself a
// test world.
func (s *Steps) World(ctx context.Context, accountID int64) (typus.Account, error) {
	world, err := s.store.World(ctx, accountID)
	if !typus.Is(err, typus.NotFound) {
		return world, err
	}
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		id, made, err := tx.AddWorld(ctx, accountID, s.now())
		if err != nil || !made {
			return err
		}
		return s.grant(ctx, tx, id, Credits, typus.ActorOperator)
	})
	if err != nil {
		return typus.Account{}, err
	}
	return s.store.World(ctx, accountID)
}
