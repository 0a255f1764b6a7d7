package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/store"
)

// SetScoreSorting allows or forbids an account to sort its candidates by score.
// Allowing it means that by has read what such an order says and what it does
// not. NotFound.
func (s *Steps) SetScoreSorting(ctx context.Context, accountID int64, on bool, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		at, who, action := time.Time{}, "", "account.score_sorting_off"
		if on {
			at, who, action = s.now(), by.Name, "account.score_sorting_on"
		}
		if err := tx.SetScoreSorting(ctx, accountID, at, who); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: action})
	})
}

// NoteView writes down that a user looked at the report of a candidate, once a
// day (UTC). NotFound.
func (s *Steps) NoteView(ctx context.Context, accountID, candidateID int64, by typus.Actor) error {
	const action = "report.viewed"
	today := s.now().UTC().Truncate(day)
	noted, err := s.store.Noted(ctx, accountID, candidateID, by.UserID, action, today)
	if err != nil || noted {
		return err
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidate(ctx, accountID, candidateID) // two tabs at once are one look
		if err != nil {
			return err
		}
		noted, err := tx.Noted(ctx, accountID, candidateID, by.UserID, action, today)
		if err != nil || noted {
			return err
		}
		return s.recordOf(ctx, tx, c, by, action, "")
	})
}

// DropNote removes a note about a candidate, and writes that down. Only those
// who wrote it may, unless anybodys is set. NotFound.
func (s *Steps) DropNote(ctx context.Context, accountID, candidateID, id int64, anybodys bool, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidate(ctx, accountID, candidateID)
		if err != nil {
			return err
		}
		if anybodys {
			err = tx.DropAnyNote(ctx, accountID, candidateID, id)
		} else {
			err = tx.DropNote(ctx, accountID, candidateID, id, by.UserID)
		}
		if err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, "note.deleted", "")
	})
}
