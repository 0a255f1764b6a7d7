package accounts

import (
	"context"
	"slices"
	"strings"

	"typus"
	"typus/internal/store"
)

// NameMembers makes users those whom a position names, and nobody else. change is called with
// those whom it names now and returns whom it shall name, or false if nothing is to be stored
// after all. What stays as it was is not noted. NotFound, also for a user of another account.
//
// Who may: the face lets admins only.
func (s *Steps) NameMembers(ctx context.Context, reader store.Reader, id int64, by typus.Actor, change func(now []int64) ([]int64, bool)) error {
	return s.onPosition(ctx, reader, id, func(tx *store.Tx, p typus.Position) error {
		now, err := tx.MembersOf(ctx, p.AccountID, p.ID)
		if err != nil {
			return err
		}
		wanted, goOn := change(now)
		if !goOn {
			return nil
		}
		said, err := setMembers(ctx, tx, p, now, wanted)
		if err != nil || len(said) == 0 {
			return err
		}
		return s.auditPosition(ctx, tx, p, typus.AuditPositionMembers, strings.Join(said, " "), by)
	})
}

// setMembers names and unnames users, and returns who was, for the audit log.
func setMembers(ctx context.Context, tx *store.Tx, p typus.Position, now, wanted []int64) ([]string, error) {
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
	return said, err
}

// SetConfidential says whether only owners and those whom a position names know of it and its
// candidates. Who makes it confidential is named from then on, unless they see it anyway. What
// stays as it was is not noted. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) SetConfidential(ctx context.Context, reader store.Reader, id int64, confidential bool, by typus.Actor) error {
	return s.onPosition(ctx, reader, id, func(tx *store.Tx, p typus.Position) error {
		if p.Confidential == confidential {
			return nil
		}
		p.Confidential = confidential
		if err := tx.SetPositionSecrecy(ctx, p); err != nil {
			return err
		}
		action := typus.AuditPositionConfidentialOff
		if confidential {
			action = typus.AuditPositionConfidentialOn
			members, err := tx.MembersOf(ctx, p.AccountID, p.ID)
			if err == nil && unseen(reader, members) {
				err = tx.NameInPosition(ctx, p.AccountID, p.ID, reader.UserID)
			}
			if err != nil {
				return err
			}
		}
		return s.auditPosition(ctx, tx, p, action, "", by)
	})
}
