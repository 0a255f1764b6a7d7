package accounts

import (
	"context"
	"strconv"
	"time"

	"typus"
	"typus/internal/store"
)

// AllowErasure records an owner's word: the next turn may erase everybody who is due by
// now. Conflict: the number of people who wait is not the one that was shown. NotFound
// for the account.
//
// Who may: the face lets owners only.
func (s *Steps) AllowErasure(ctx context.Context, accountID int64, shown int, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		a, err := tx.LockAccount(ctx, accountID)
		if err != nil {
			return err
		}
		if shown == 0 || a.ErasureWaits != shown {
			return typus.Errorf(typus.Conflict, "the number of people to be deleted has changed; look again")
		}
		settled, err := tx.Settled(ctx, 24*time.Hour)
		if err != nil {
			return err
		}
		if err := tx.AllowErasure(ctx, accountID, settled); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditRetentionAllowed, Detail: strconv.Itoa(shown)})
	})
}
