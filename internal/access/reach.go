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

// SetReach changes a user's reach. Owners and admins read every position that is not
// confidential, and owners those too, whatever it says. What stays as it was is not noted.
// Forbidden; NotFound.
//
// Who may: the face lets admins only, and for positions that they read; this asks once more
// (lockTeam).
func (s *Steps) SetReach(ctx context.Context, accountID, userID int64, reach Reach, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		u, _, err := s.lockMember(ctx, tx, accountID, userID, by)
		if err != nil {
			return err
		}
		changed, err := s.reach(ctx, tx, u, reach)
		if err != nil || !changed {
			return err
		}
		return s.auditBy(ctx, tx, u, typus.AuditUserReachChanged, by)
	})
}

// reach stores a user's reach and reports whether it is another one now.
func (s *Steps) reach(ctx context.Context, tx *store.Tx, u typus.User, reach Reach) (bool, error) {
	before, err := tx.PositionsNaming(ctx, u.AccountID, u.ID)
	if err != nil {
		return false, err
	}
	for _, id := range slices.Sorted(maps.Keys(reach.Named)) {
		if err := s.name(ctx, tx, u, id, reach.Named[id]); err != nil {
			return false, err
		}
	}
	if err := tx.SetOnlyNamed(ctx, u.AccountID, u.ID, reach.OnlyNamed); err != nil {
		return false, err
	}
	after, err := tx.PositionsNaming(ctx, u.AccountID, u.ID)
	return u.OnlyNamed != reach.OnlyNamed || !slices.Equal(before, after), err
}

// name says whether a position, the default one by 0, names a user.
func (s *Steps) name(ctx context.Context, tx *store.Tx, u typus.User, id int64, named bool) error {
	if id == 0 && !named {
		p, err := tx.StandardPosition(ctx, u.AccountID)
		if err != nil || p.ID == 0 {
			return err // nobody has said anything about it
		}
	}
	p, err := tx.LockPosition(ctx, u.AccountID, id, s.now())
	if err != nil {
		return err
	}
	if named {
		return tx.NameInPosition(ctx, u.AccountID, p.ID, u.ID)
	}
	return tx.UnnameInPosition(ctx, p.ID, u.ID)
}
