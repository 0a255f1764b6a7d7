package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// RetryLetter sends a letter again that was refused, that is held, or that waits
// for its next attempt: at once, and to the present address. NotFound; Conflict
// when it was sent already, is being sent, or one of its kind to the same candidate
// that is on its way is newer.
func (s *Steps) RetryLetter(ctx context.Context, accountID, id int64, by typus.Actor) error {
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		l, err := tx.Letter(ctx, accountID, id)
		if err != nil {
			return err
		}
		superseded, err := s.superseded(ctx, tx, l)
		if err != nil {
			return err
		}
		queued := false
		if !superseded {
			if queued, err = tx.RetryLetter(ctx, accountID, id, s.now()); err != nil {
				return err
			}
		}
		if !queued {
			return typus.Errorf(typus.Conflict, "the letter was sent already, or is being sent")
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, CandidateID: l.CandidateID, Action: "letter.retried", Detail: string(l.Kind)})
	})
	if err == nil {
		s.wake()
	}
	return err
}

// superseded reports whether a newer letter of the same kind to the same candidate is
// on its way, who is locked as by everything that queues one.
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

// SetLetterTemplate stores an account's own text of a letter. Letters that wait
// already are written with it. Invalid names every wrong field.
func (s *Steps) SetLetterTemplate(ctx context.Context, t typus.LetterTemplate, by typus.Actor) error {
	t, wrong := t.Check()
	f := clerk.Faults(wrong)
	f.ChosenLanguage(t.Language, s.instrument)
	if err := f.Err(); err != nil {
		return err
	}
	t.ChangedBy, t.ChangedAt = by.Name, s.now()
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.SetLetterTemplate(ctx, t); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: t.AccountID, Action: "letter_template.changed", Detail: string(t.Kind) + " " + t.Language})
	})
}

// ResetLetterTemplate takes an account's own text away, so that ours is sent
// again; without one it changes nothing.
func (s *Steps) ResetLetterTemplate(ctx context.Context, accountID int64, kind typus.LetterKind, language string, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		dropped, err := tx.DropLetterTemplate(ctx, accountID, kind, language)
		if err != nil || !dropped {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: "letter_template.reset", Detail: string(kind) + " " + language})
	})
}

// lettersNamed is how long a letter to an account's own people says to whom it
// went (our choice).
const lettersNamed = 365 * day

// ForgetRecipients empties the recipients of letters to accounts' own people after
// a year. Those of letters to candidates go with their candidate.
func (s *Steps) ForgetRecipients(ctx context.Context, settled time.Time) error {
	before := settled.Add(-lettersNamed)
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.ForgetRecipients(ctx, before) })
	return err
}
