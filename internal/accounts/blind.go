package accounts

import (
	"context"

	"typus"
	"typus/internal/store"
)

// SetBlind says of a position (0: the account's default one) whether members and interviewers
// rate a candidate before they see the result, and whether everybody else does, too. What
// stays as it was is not noted. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) SetBlind(ctx context.Context, reader store.Reader, positionID int64, blind, everybody bool, by typus.Actor) error {
	return s.onPosition(ctx, reader, positionID, func(tx *store.Tx, p typus.Position) error {
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
		return s.auditPosition(ctx, tx, p, action, "", by)
	})
}
