package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// Erase removes a candidate for good from everything that is kept: name, address,
// external_id, answers, result, notes and what was sent about them. The credit stays
// booked. NotFound, also if the candidate is already erased.
func (s *Steps) Erase(ctx context.Context, reader store.Reader, id int64, by typus.Actor) error {
	return s.toErase(ctx, reader.AccountID, id, func(tx *store.Tx, c typus.Candidate) error {
		if _, err := tx.CandidateFor(ctx, reader, id); err != nil {
			return err
		}
		return s.eraseLocked(ctx, tx, c, by)
	})
}

// toErase finds a candidate of an account, locks everything that an erasure locks, and
// calls erase.
func (s *Steps) toErase(ctx context.Context, accountID, id int64, erase func(*store.Tx, typus.Candidate) error) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockToErase(ctx, accountID, id)
		if err != nil {
			return err
		}
		return erase(tx, c)
	})
}

// eraseLocked is Erase for a candidate that toErase has locked.
func (s *Steps) eraseLocked(ctx context.Context, tx *store.Tx, c typus.Candidate, by typus.Actor) error {
	if err := tx.EraseCandidate(ctx, c.AccountID, c.ID, s.now()); err != nil {
		return err
	}
	return s.recordOf(ctx, tx, c, by, typus.AuditCandidateErased, "")
}
