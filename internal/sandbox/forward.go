package sandbox

import (
	"context"

	"typus"
	"typus/internal/store"
)

// SetForward says whether letters of a test world that are to people of its account, who
// have proven their address, are sent to them, too. It holds for letters that are written
// from now on, up to store.MostForwards a day; switched off, what still waits is not sent
// either. Forbidden: the account is live. NotFound.
func (s *Steps) SetForward(ctx context.Context, worldID int64, on bool, who typus.Actor) error {
	action := typus.AuditWorldForwardOff
	if on {
		action = typus.AuditWorldForwardOn
	}
	return s.change(ctx, worldID, action, "", who, func(tx *store.Tx, _ typus.Account) error {
		return tx.SetForwardsLetters(ctx, worldID, on)
	})
}
