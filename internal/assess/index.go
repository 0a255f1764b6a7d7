package assess

import (
	"context"

	"typus/internal/store"
)

// IndexCandidates builds the search index of candidates that an earlier version has
// stored, in batches, until there are none left or ctx ends.
func (s *Steps) IndexCandidates(ctx context.Context) error {
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.IndexCandidates(ctx) })
	return err
}
