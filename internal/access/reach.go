package access

import (
	"context"
	"maps"
	"slices"

	"typus"
	"typus/internal/store"
)

// Reach says whose candidates a user reads: all that are not confidential, or those of the
// positions that name the user.
type Reach struct {
	OnlyNamed bool
	Named     map[int64]bool // by position, 0 for the default one; what is not in it stays as it is
}

// SetReach changes a user's reach. change is called with the user and the positions that
// name them now, and returns what shall be, or false if nothing is to be stored after all;
// it may be called more than once. Owners and admins read every position that is not
// confidential, and owners those too, whatever it says. What stays as it was is not noted,
// and each position that names the user or no longer does is, as from its own page.
// Forbidden; NotFound.
//
// Who may: the face lets admins only, and for positions that they read; this asks once more
// (lockTeam).
func (s *Steps) SetReach(ctx context.Context, accountID, userID int64, by typus.Actor, change func(u typus.User, naming []int64) (Reach, bool)) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		u, _, err := s.lockMember(ctx, tx, accountID, userID, by)
		if err != nil {
			return err
		}
		naming, err := tx.PositionsNaming(ctx, accountID, userID)
		if err != nil {
			return err
		}
		reach, goOn := change(u, naming)
		if !goOn {
			return nil
		}
		changed, err := s.reach(ctx, tx, u, naming, reach, by)
		if err != nil || !changed {
			return err
		}
		return s.auditBy(ctx, tx, u, typus.AuditUserReachChanged, by)
	})
}

// reach stores the reach of a user whom some positions name, and reports whether it is
// another one now.
func (s *Steps) reach(ctx context.Context, tx *store.Tx, u typus.User, naming []int64, reach Reach, by typus.Actor) (bool, error) {
	changed := u.OnlyNamed != reach.OnlyNamed
	for _, id := range slices.Sorted(maps.Keys(reach.Named)) {
		p, err := s.reached(ctx, tx, u.AccountID, id, reach.Named[id])
		if err != nil {
			return false, err
		}
		if p.ID == 0 || slices.Contains(naming, p.ID) == reach.Named[id] {
			continue
		}
		if err := s.name(ctx, tx, u, p, reach.Named[id], by); err != nil {
			return false, err
		}
		changed = true
	}
	return changed, tx.SetOnlyNamed(ctx, u.AccountID, u.ID, reach.OnlyNamed)
}

// reached locks a position, the default one by 0, which is left as it is if it is to name
// nobody: its ID is 0 then.
func (s *Steps) reached(ctx context.Context, tx *store.Tx, accountID, id int64, named bool) (typus.Position, error) {
	if id == 0 && !named {
		p, err := tx.StandardPosition(ctx, accountID)
		if err != nil || p.ID == 0 {
			return p, err // nobody has said anything about it
		}
	}
	return tx.LockPosition(ctx, accountID, id, s.now())
}

// name says whether a locked position names a user, and notes it.
func (s *Steps) name(ctx context.Context, tx *store.Tx, u typus.User, p typus.Position, named bool, by typus.Actor) error {
	sign := "-"
	change := func() error { return tx.UnnameInPosition(ctx, p.ID, u.ID) }
	if named {
		sign = "+"
		change = func() error { return tx.NameInPosition(ctx, u.AccountID, p.ID, u.ID) }
	}
	if err := change(); err != nil {
		return err
	}
	return s.clerk.AuditPosition(ctx, tx, by, p, typus.AuditPositionMembers, sign+u.Email)
}
