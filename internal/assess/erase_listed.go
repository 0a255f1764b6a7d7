package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// EraseListed erases those candidates again who were erased according to a list, and are
// there all the same, because a backup from before was restored; accounts on the list are not
// its own. They are known by id and by when they were created: an id alone could be somebody
// else's by now. It returns how many there were. After an error those that came before are
// erased.
func (s *Steps) EraseListed(ctx context.Context, list []store.Tombstone, by typus.Actor) (int, error) {
	erased := 0
	for _, stone := range list {
		if stone.Account {
			continue
		}
		account, found, err := s.store.StillThere(ctx, stone)
		if err != nil {
			return erased, err
		}
		if !found {
			continue
		}
		err = s.toErase(ctx, account, stone.ID, func(tx *store.Tx, c typus.Candidate) error {
			if err := tx.EraseCandidate(ctx, c.AccountID, c.ID, stone.ErasedAt); err != nil {
				return err
			}
			return s.recordOf(ctx, tx, c, by, typus.AuditCandidateErased, "")
		})
		switch {
		case typus.Is(err, typus.NotFound): // somebody else has just erased them
		case err != nil:
			return erased, err
		default:
			erased++
		}
	}
	return erased, nil
}
