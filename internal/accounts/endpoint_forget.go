package accounts

import (
	"context"
	"time"

	"typus/internal/store"
)

// answersKept is how long the answers of receivers and the payloads of test events are
// kept (our choice). They serve to find out why a delivery failed.
const answersKept = 90 * 24 * time.Hour

// ForgetAnswers empties the answers of receivers and the payloads of test events after
// 90 days. It is a chore.
func (s *Steps) ForgetAnswers(ctx context.Context, settled time.Time) error {
	before := settled.Add(-answersKept)
	if _, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.ForgetAnswers(ctx, before) }); err != nil {
		return err
	}
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.ForgetTestPayloads(ctx, before) })
	return err
}
