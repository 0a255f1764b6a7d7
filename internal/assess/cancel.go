package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// Cancel withdraws an unfinished invitation; cancelling again changes nothing.
// NotFound; Conflict when the test is finished.
func (s *Steps) Cancel(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.change(ctx, accountID, id, func(tx *store.Tx, c typus.Candidate) error {
		if err := s.refuse(c, typus.StandFinished); err != nil {
			return err
		}
		cancelled, err := tx.CancelCandidate(ctx, accountID, id, s.now())
		if err != nil || !cancelled {
			return err
		}
		return s.recordOf(ctx, tx, c, by, "candidate.cancelled", "")
	})
}

// change finds a candidate of an account and changes it under its lock.
func (s *Steps) change(ctx context.Context, accountID, id int64, change func(*store.Tx, typus.Candidate) error) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidate(ctx, accountID, id)
		if err != nil {
			return err
		}
		return change(tx, c)
	})
}
