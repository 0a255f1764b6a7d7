package worldtest

import (
	"time"

	"typus"
	"typus/internal/store"
)

// Sandbox is the same world seen from the test world of its account, which has ten credits
// and whose clock is ahead by so much.
func (w *World) Sandbox(ahead time.Duration) *World {
	w.Helper()
	inner := *w
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		var err error
		if inner.Account, _, err = tx.AddWorld(w.Ctx, w.Account, w.Now()); err != nil {
			return err
		}
		_, err = tx.BookCredit(w.Ctx, typus.CreditEntry{AccountID: inner.Account, Delta: 10, Reason: typus.ReasonGrant, Actor: typus.ActorOperator, CreatedAt: w.Now()})
		if err != nil {
			return err
		}
		return tx.MoveWorld(w.Ctx, inner.Account, ahead)
	}))
	return &inner
}
