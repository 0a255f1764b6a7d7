package assess

import (
	"context"

	"typus/internal/store"
)

// IndexCandidates makes the candidates that an earlier version stored findable
// by their words, in batches, until there are none left or ctx ends.
func (s *Steps) IndexCandidates(ctx context.Context) error {
	for ctx.Err() == nil {
		done := 0
		err := s.store.InTx(ctx, func(tx *store.Tx) error {
			var err error
			done, err = tx.IndexCandidates(ctx)
			return err
		})
		if err != nil || done == 0 {
			return err
		}
	}
	return nil
}
