package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// RetryLetter sends a letter again, at once and to the present address, if it was
// refused, is held, or waits for its next attempt. NotFound; Conflict if it was sent,
// is being sent, or a newer letter of its kind to the same candidate is on its way.
func (s *Steps) RetryLetter(ctx context.Context, reader store.Reader, id int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		l, err := tx.LetterFor(ctx, reader, id)
		if err != nil {
			return err
		}
		superseded, err := s.superseded(ctx, tx, l)
		if err != nil {
			return err
		}
		queued := false
		if !superseded {
			if queued, err = tx.RetryLetter(ctx, l.AccountID, id, s.now()); err != nil {
				return err
			}
		}
		if !queued {
			return typus.Errorf(typus.Conflict, "the letter was sent already, or is being sent")
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: l.AccountID, CandidateID: l.CandidateID, Action: typus.AuditLetterRetried, Detail: string(l.Kind)})
	})
}

// superseded reports whether a newer letter of the same kind to the same candidate is
// on its way. It locks the candidate, as everything does that queues such a letter.
func (s *Steps) superseded(ctx context.Context, tx *store.Tx, l typus.Letter) (bool, error) {
	if l.CandidateID == 0 {
		return false, nil
	}
	if _, err := tx.LockCandidate(ctx, l.AccountID, l.CandidateID); err != nil && !typus.Is(err, typus.NotFound) {
		return false, err
	}
	newest, err := tx.LastLetter(ctx, l.AccountID, l.CandidateID, l.Kind)
	return newest.ID != l.ID && onItsWay(newest), err
}
