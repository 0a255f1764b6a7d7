package accounts

import (
	"context"
	"time"

	"typus"
	"typus/internal/store"
)

// SetScoreSorting switches sorting by score on or off for an account. Whoever switches
// it on has acknowledged the notice about what such an order says and what it does not.
// What is on already stays with whom and when it was switched on. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) SetScoreSorting(ctx context.Context, accountID int64, on bool, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		was, err := tx.LockAccount(ctx, accountID)
		if err != nil || on == !was.ScoreSortingAt.IsZero() {
			return err
		}
		at, who, action := time.Time{}, "", typus.AuditAccountScoreSortingOff
		if on {
			at, who, action = s.now(), by.Name, typus.AuditAccountScoreSortingOn
		}
		if err := tx.SetScoreSorting(ctx, accountID, at, who); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: action})
	})
}
