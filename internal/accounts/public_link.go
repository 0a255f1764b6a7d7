package accounts

import (
	"context"
	"fmt"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// maxPublicAhead is how far ahead the end of a public link may lie (our choice).
const maxPublicAhead = 2 * 365 * 24 * time.Hour

// KeepPublicLink lets change set Most and EndsAt of the public link of a position (0: the
// default one) whose candidates a user reads; where there is none, it has ID 0 and is made.
// change returns false if nothing is to be stored after all; it may be called more than once.
// What stays as it was is not noted. Invalid names every wrong field: most, and ends, which
// must lie ahead where it is changed. Conflict: there is no link, and the position is not open
// (typus.CodePositionClosed). NotFound.
//
// Who may: the face lets admins only, and only with a mail server: nobody could confirm an
// address without one.
func (s *Steps) KeepPublicLink(ctx context.Context, reader store.Reader, positionID int64, by typus.Actor, change func(l *typus.PublicLink) bool) error {
	return s.onPublicLink(ctx, reader, positionID, func(tx *store.Tx, p typus.Position, was typus.PublicLink) error {
		now := was
		if !change(&now) || now.Most == was.Most && now.EndsAt.Equal(was.EndsAt) {
			return nil
		}
		if err := s.checkPublicLink(was, now); err != nil {
			return err
		}
		if was.ID != 0 {
			if err := tx.SetPublicLink(ctx, now); err != nil {
				return err
			}
			return s.notePublicTerms(ctx, tx, by, p, typus.AuditPublicLinkChanged, now)
		}
		if p.State != typus.PositionOpen {
			return stateConflict(typus.CodePositionClosed, "the position is closed")
		}
		if err := s.addPublicLink(ctx, tx, p, now); err != nil {
			return err
		}
		return s.notePublicTerms(ctx, tx, by, p, typus.AuditPublicLinkOn, now)
	})
}

// RenewPublicLink puts a link with another address in the place of the one of a position; the
// former is revoked, and how many have confirmed at it counts on. NotFound, also where there
// is no link.
//
// Who may: the face lets admins only.
func (s *Steps) RenewPublicLink(ctx context.Context, reader store.Reader, positionID int64, by typus.Actor) error {
	return s.onPublicLink(ctx, reader, positionID, func(tx *store.Tx, p typus.Position, was typus.PublicLink) error {
		if err := tx.RevokePublicLink(ctx, p.AccountID, was.ID, s.now()); err != nil {
			return err
		}
		if err := s.addPublicLink(ctx, tx, p, was); err != nil {
			return err
		}
		return s.clerk.AuditPosition(ctx, tx, by, p, typus.AuditPublicLinkRenewed, "")
	})
}

// RevokePublicLink ends the link of a position; where there is none, nothing changes. Whoever
// has not confirmed their address by then cannot any more. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) RevokePublicLink(ctx context.Context, reader store.Reader, positionID int64, by typus.Actor) error {
	return s.onPublicLink(ctx, reader, positionID, func(tx *store.Tx, p typus.Position, was typus.PublicLink) error {
		if was.ID == 0 {
			return nil
		}
		if err := tx.RevokePublicLink(ctx, p.AccountID, was.ID, s.now()); err != nil {
			return err
		}
		return s.clerk.AuditPosition(ctx, tx, by, p, typus.AuditPublicLinkRevoked, "")
	})
}

// onPublicLink calls do with a locked position and its link, which is locked as well; it has
// ID 0 where there is none. NotFound.
func (s *Steps) onPublicLink(ctx context.Context, reader store.Reader, positionID int64, do func(tx *store.Tx, p typus.Position, l typus.PublicLink) error) error {
	return s.onPosition(ctx, reader, positionID, func(tx *store.Tx, p typus.Position) error {
		l, err := tx.PublicLinkOf(ctx, p.AccountID, p.ID)
		if err == nil && l.ID != 0 { // people may be confirming their addresses
			l, err = tx.LockPublicLink(ctx, p.AccountID, l.ID)
		}
		if err != nil {
			return err
		}
		return do(tx, p, l)
	})
}

// addPublicLink adds a link to a position, with a new address.
func (s *Steps) addPublicLink(ctx context.Context, tx *store.Tx, p typus.Position, l typus.PublicLink) error {
	token := auth.NewToken()
	l.AccountID, l.PositionID, l.TokenHash, l.CreatedAt = p.AccountID, p.ID, auth.Hash(token), s.now()
	l.SealedToken = s.box.Seal([]byte(token), l.TokenAAD())
	_, err := tx.AddPublicLink(ctx, l)
	return err
}

func (s *Steps) checkPublicLink(was, now typus.PublicLink) error {
	var f clerk.Faults
	f.When(now.Most < 1 || now.Most > typus.MaxEnrolled, "most", fmt.Sprintf("must be 1 to %d", typus.MaxEnrolled))
	if ahead := now.EndsAt.Sub(s.now()); !now.EndsAt.IsZero() && !now.EndsAt.Equal(was.EndsAt) {
		f.When(ahead <= 0 || ahead > maxPublicAhead, "ends", "must be a day within the next two years")
	}
	return f.Err()
}

// notePublicTerms notes the terms of a link in the audit log: how many, and until which day.
func (s *Steps) notePublicTerms(ctx context.Context, tx *store.Tx, by typus.Actor, p typus.Position, action typus.AuditAction, l typus.PublicLink) error {
	terms := fmt.Sprint(l.Most)
	if !l.EndsAt.IsZero() {
		day, err := s.clerk.DayOf(ctx, tx, p.AccountID, l.EndsAt)
		if err != nil {
			return err
		}
		terms += " " + day
	}
	return s.clerk.AuditPosition(ctx, tx, by, p, action, terms)
}

// PublicAddress is the address of a public link of an account.
func (s *Steps) PublicAddress(a typus.Account, l typus.PublicLink) (string, error) {
	token, err := s.box.Open(l.SealedToken, l.TokenAAD())
	if err != nil {
		return "", err
	}
	return s.links.Of(a).Public(string(token)), nil
}
