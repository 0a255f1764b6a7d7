package assess

import (
	"context"

	"typus/internal/store"
)

// IndexCandidates makes the candidates that an earlier version stored findable
// by their words, in batches, until there are none left or ctx ends.
func (s *Steps) IndexCandidates(ctx context.Context) error {
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.IndexCandidates(ctx) })
	return err
}
