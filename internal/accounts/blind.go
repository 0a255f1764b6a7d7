package accounts

import (
	"context"

	"typus"
	"typus/internal/store"
)

// SetBlind says of an account's default position whether members and interviewers rate a
// candidate before they see the result, and whether everybody else does, too. What
// stays as it was is not noted. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) SetBlind(ctx context.Context, accountID int64, blind, everybody bool, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		p, err := tx.LockStandardPosition(ctx, accountID, s.now())
		if err != nil {
			return err
		}
		everybody = everybody && blind
		if p.Blind == blind && p.BlindAll == everybody {
			return nil
		}
		p.Blind, p.BlindAll = blind, everybody
		if err := tx.SetPositionSecrecy(ctx, p); err != nil {
			return err
		}
		action := typus.AuditPositionBlindOff
		switch {
		case everybody:
			action = typus.AuditPositionBlindToAll
		case blind:
			action = typus.AuditPositionBlindOn
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: action})
	})
}
