package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// AddNote keeps what a user writes about a candidate. Conflict: there are
// store.MaxNotes, or the form was sent before; NotFound.
func (s *Steps) AddNote(ctx context.Context, reader store.Reader, n typus.Note, by typus.Actor) error {
	n.AccountID, n.UserID, n.Author, n.CreatedAt = reader.AccountID, by.UserID, by.Name, s.now()
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, n.AccountID, by, func() (int64, error) {
			if _, err := tx.LockCandidateFor(ctx, reader, n.CandidateID); err != nil {
				return 0, err
			}
			return tx.AddNote(ctx, n)
		})
	})
}

// NoteView notes in the audit log that a user looked at the report of a candidate, once
// a day (UTC), and whether that was before somebody rated who is to rate first.
// NotFound.
func (s *Steps) NoteView(ctx context.Context, reader store.Reader, candidateID int64, by typus.Actor) error {
	action, today := "report.viewed", s.now().UTC().Truncate(day)
	if reader.Blind.Others {
		unrated, err := s.store.Unrated(ctx, reader, candidateID)
		if err != nil {
			return err
		}
		if unrated {
			action = "report.viewed_before_rating"
		}
	}
	noted, err := s.store.Noted(ctx, reader.AccountID, candidateID, by.UserID, action, today)
	if err != nil || noted {
		return err
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID) // two tabs at once are one look
		if err != nil {
			return err
		}
		noted, err := tx.Noted(ctx, c.AccountID, candidateID, by.UserID, action, today)
		if err != nil || noted {
			return err
		}
		return s.recordOf(ctx, tx, c, by, action, "")
	})
}

// DropNote deletes a note about a candidate, and notes that in the audit log. Only its
// author may, unless anybodys is set. NotFound.
func (s *Steps) DropNote(ctx context.Context, reader store.Reader, candidateID, id int64, anybodys bool, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID)
		if err != nil {
			return err
		}
		if anybodys {
			err = tx.DropAnyNote(ctx, c.AccountID, candidateID, id)
		} else {
			err = tx.DropNote(ctx, c.AccountID, candidateID, id, by.UserID)
		}
		if err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, "note.deleted", "")
	})
}
