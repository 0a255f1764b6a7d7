package accounts

import (
	"context"
	"slices"
	"strings"

	"typus"
	"typus/internal/store"
)

// Access is who knows of a position and its candidates beside the owners.
type Access struct {
	Confidential bool    // those only whom the position names
	Members      []int64 // the users whom it names
}

// ChangeAccess makes users those whom a position names, and nobody else, and says whether
// only owners and they know of it and its candidates. change is called with the position
// and what is stored now and returns what shall be, or false if nothing is to be stored
// after all; it may be called more than once. Whoever makes a position confidential is
// named with that, unless they see it anyway. What stays as it was is not noted.
// NotFound, also for a user of another account.
//
// Who may: the face lets admins only.
func (s *Steps) ChangeAccess(ctx context.Context, reader store.Reader, id int64, by typus.Actor, change func(p typus.Position, now Access) (Access, bool)) error {
	return s.onPosition(ctx, reader, id, func(tx *store.Tx, p typus.Position) error {
		now, err := tx.MembersOf(ctx, p.AccountID, p.ID)
		if err != nil {
			return err
		}
		wanted, goOn := change(p, Access{p.Confidential, now})
		if !goOn {
			return nil
		}
		if err := s.setMembers(ctx, tx, p, now, wanted.Members, by); err != nil {
			return err
		}
		return s.setConfidential(ctx, tx, reader, p, wanted.Confidential, by)
	})
}

// setMembers names and unnames users, and notes who was.
func (s *Steps) setMembers(ctx context.Context, tx *store.Tx, p typus.Position, now, wanted []int64, by typus.Actor) error {
	var said []string
	each := func(ids, but []int64, sign string, do func(user int64) error) error {
		for _, id := range ids {
			if slices.Contains(but, id) {
				continue
			}
			u, err := tx.User(ctx, p.AccountID, id)
			if err == nil {
				err = do(id)
			}
			if err != nil {
				return err
			}
			said = append(said, sign+u.Email)
		}
		return nil
	}
	err := each(slices.Compact(slices.Sorted(slices.Values(wanted))), now, "+", func(user int64) error { return tx.NameInPosition(ctx, p.AccountID, p.ID, user) })
	if err == nil {
		err = each(now, wanted, "-", func(user int64) error { return tx.UnnameInPosition(ctx, p.ID, user) })
	}
	if err != nil || len(said) == 0 {
		return err
	}
	return s.clerk.AuditPosition(ctx, tx, by, p, typus.AuditPositionMembers, strings.Join(said, " "))
}

func (s *Steps) setConfidential(ctx context.Context, tx *store.Tx, reader store.Reader, p typus.Position, confidential bool, by typus.Actor) error {
	if p.Confidential == confidential {
		return nil
	}
	p.Confidential = confidential
	if err := tx.SetPositionSecrecy(ctx, p); err != nil {
		return err
	}
	if !confidential {
		return s.clerk.AuditPosition(ctx, tx, by, p, typus.AuditPositionConfidentialOff, "")
	}
	if err := s.clerk.AuditPosition(ctx, tx, by, p, typus.AuditPositionConfidentialOn, ""); err != nil {
		return err
	}
	members, err := tx.MembersOf(ctx, p.AccountID, p.ID)
	if err != nil || !unseen(reader, members) {
		return err
	}
	return s.setMembers(ctx, tx, p, members, append(slices.Clone(members), reader.UserID), by)
}
