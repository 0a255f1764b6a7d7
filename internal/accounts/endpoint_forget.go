package accounts

import (
	"context"
	"errors"
	"time"

	"typus/internal/store"
)

// ForgetAnswers empties the answers of receivers and the payloads of test events of all
// accounts after as many days as each keeps them. They serve to find out why a delivery
// failed. It is a chore; a fault in the one does not keep it from the other.
func (s *Steps) ForgetAnswers(ctx context.Context, settled time.Time) error {
	_, answers := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.ForgetAnswers(ctx, settled) })
	_, payloads := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.ForgetTestPayloads(ctx, settled) })
	return errors.Join(answers, payloads)
}
