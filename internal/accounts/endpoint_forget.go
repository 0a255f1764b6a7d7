package accounts

import (
	"context"
	"time"

	"typus"
	"typus/internal/store"
)

// ForgetAnswers empties the answers of receivers and the payloads of test events of each
// account after as many days as it keeps them. They serve to find out why a delivery
// failed. It is a chore.
func (s *Steps) ForgetAnswers(ctx context.Context, settled time.Time) error {
	list, err := s.store.Accounts(ctx)
	for _, a := range list {
		if err == nil {
			err = s.forgetAnswers(ctx, a, settled.AddDate(0, 0, -a.KeepAnswersDays))
		}
	}
	return err
}

func (s *Steps) forgetAnswers(ctx context.Context, a typus.Account, before time.Time) error {
	if _, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.ForgetAnswers(ctx, a.ID, before) }); err != nil {
		return err
	}
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.ForgetTestPayloads(ctx, a.ID, before) })
	return err
}
