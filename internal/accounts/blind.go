package accounts

import (
	"context"

	"typus"
	"typus/internal/store"
)

// Blind says who rates the candidates of a position before they see a result.
type Blind struct {
	On        bool // members and interviewers do
	Everybody bool // everybody else does, too
}

// SetBlind says of a position (0: the account's default one) who rates a candidate before
// they see the result. change is called with the position and returns what shall be, or
// false if nothing is to be stored after all; it may be called more than once. What stays
// as it was is not noted. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) SetBlind(ctx context.Context, reader store.Reader, positionID int64, by typus.Actor, change func(p typus.Position) (Blind, bool)) error {
	return s.onPosition(ctx, reader, positionID, func(tx *store.Tx, p typus.Position) error {
		blind, goOn := change(p)
		blind.Everybody = blind.Everybody && blind.On
		if !goOn || blind == (Blind{p.Blind, p.BlindAll}) {
			return nil
		}
		p.Blind, p.BlindAll = blind.On, blind.Everybody
		if err := tx.SetPositionSecrecy(ctx, p); err != nil {
			return err
		}
		action := typus.AuditPositionBlindOff
		switch {
		case blind.Everybody:
			action = typus.AuditPositionBlindToAll
		case blind.On:
			action = typus.AuditPositionBlindOn
		}
		return s.clerk.AuditPosition(ctx, tx, by, p, action, "")
	})
}
