package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// Erase takes a candidate out of everything that is kept, for ever: name,
// address, external_id, answers, result, notes and what was sent about them. The
// credit stays booked. NotFound, also when it is done already.
func (s *Steps) Erase(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.change(ctx, accountID, id, func(tx *store.Tx, c typus.Candidate) error { return s.eraseLocked(ctx, tx, c, by) })
}

// eraseLocked is Erase of a candidate that is locked.
func (s *Steps) eraseLocked(ctx context.Context, tx *store.Tx, c typus.Candidate, by typus.Actor) error {
	if err := tx.EraseCandidate(ctx, c.AccountID, c.ID, s.now()); err != nil {
		return err
	}
	return s.recordOf(ctx, tx, c, by, "candidate.erased", "")
}
