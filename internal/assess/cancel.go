package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// Cancel withdraws an unfinished invitation; cancelling again changes nothing.
// NotFound; Conflict when the test is finished.
func (s *Steps) Cancel(ctx context.Context, reader store.Reader, id int64, by typus.Actor) error {
	return s.change(ctx, reader, id, func(tx *store.Tx, c typus.Candidate) error {
		if err := s.refuse(c, typus.StandFinished); err != nil {
			return err
		}
		cancelled, err := tx.CancelCandidate(ctx, c.AccountID, id, s.now())
		if err != nil || !cancelled {
			return err
		}
		return s.recordOf(ctx, tx, c, by, typus.AuditCandidateCancelled, "")
	})
}

// change finds a candidate whom a user reads and changes it under its lock.
func (s *Steps) change(ctx context.Context, reader store.Reader, id int64, change func(*store.Tx, typus.Candidate) error) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, id)
		if err != nil {
			return err
		}
		return change(tx, c)
	})
}
