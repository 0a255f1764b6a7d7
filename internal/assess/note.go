package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// AddNote keeps what a user writes about a candidate. Invalid: it is no note
// (clerk.Faults.Note). Conflict: there are store.MaxNotes, or the form was sent before;
// NotFound.
func (s *Steps) AddNote(ctx context.Context, reader store.Reader, n typus.Note, by typus.Actor) error {
	var f clerk.Faults
	n.Body = f.Note("note", n.Body)
	if err := f.Err(); err != nil {
		return err
	}
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

// Tag gives a candidate a tag; giving it again changes nothing. Invalid: it is no tag
// (clerk.Faults.Tag). NotFound. Conflict: the candidate has as many as there may be.
func (s *Steps) Tag(ctx context.Context, reader store.Reader, candidateID int64, tag string) error {
	var f clerk.Faults
	tag = f.Tag("tag", tag)
	if err := f.Err(); err != nil {
		return err
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error { return tx.TagCandidate(ctx, reader, candidateID, tag) })
}

// ViewEvery is how often looking at a report is noted: people leave the page and come
// back to it.
const ViewEvery = time.Hour

// Views reports whether an action says that a user looked at a report.
func Views(action typus.AuditAction) bool {
	return action == typus.AuditReportViewed || action == typus.AuditReportViewedBeforeRating
}

// NoteView notes in the audit log that a user looked at the report of a candidate, once
// in ViewEvery, and whether that was before somebody rated who is to rate first. A line
// from the future, of a clock that was ahead, does not count. NotFound.
func (s *Steps) NoteView(ctx context.Context, reader store.Reader, candidateID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID) // two tabs at once are one look
		if err != nil {
			return err
		}
		return s.noteLook(ctx, tx, reader, c, by)
	})
}

// NoteSaved notes in the audit log that a user kept the report of a candidate as a file,
// once in ViewEvery, that they looked at it (NoteView), and that they read what the candidate
// says up to the version with this id, the newest in the file. NotFound.
func (s *Steps) NoteSaved(ctx context.Context, reader store.Reader, candidateID, upTo int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID)
		if err != nil {
			return err
		}
		if err := s.noteLook(ctx, tx, reader, c, by); err != nil {
			return err
		}
		if err := s.noteRead(ctx, tx, c, upTo, by); err != nil {
			return err
		}
		now := s.now()
		return s.noteOnce(ctx, tx, c, by, typus.AuditReportSaved, now.Add(-ViewEvery), now.Add(typus.Skew))
	})
}

func (s *Steps) noteLook(ctx context.Context, tx *store.Tx, reader store.Reader, c typus.Candidate, by typus.Actor) error {
	action := typus.AuditReportViewed
	if reader.Blind.Others {
		unrated, err := tx.Unrated(ctx, reader, c.ID)
		if err != nil {
			return err
		}
		if unrated {
			action = typus.AuditReportViewedBeforeRating
		}
	}
	now := s.now()
	return s.noteOnce(ctx, tx, c, by, action, now.Add(-ViewEvery), now.Add(typus.Skew))
}

// OpenDoubtful notes in the audit log that a user wants to see the figures of a result
// that should not be interpreted, once. Of another result nothing is noted. NotFound.
func (s *Steps) OpenDoubtful(ctx context.Context, reader store.Reader, candidateID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID)
		if err != nil || c.Scores == nil || !c.Scores.Doubtful() {
			return err
		}
		return s.noteOnce(ctx, tx, c, by, typus.AuditReportOpened, time.Time{}, time.Time{})
	})
}

// noteOnce notes an action to a candidate who is locked, unless the same user did it
// between two times (zero: ever).
func (s *Steps) noteOnce(ctx context.Context, tx *store.Tx, c typus.Candidate, by typus.Actor, action typus.AuditAction, since, until time.Time) error {
	noted, err := tx.Noted(ctx, c.AccountID, c.ID, by.UserID, action, since, until)
	if err != nil || noted {
		return err
	}
	return s.recordOf(ctx, tx, c, by, action, "")
}

// DropNote deletes a note about a candidate, and notes that in the audit log. Only its
// author may, unless anybodys is set and the user is not blind to the candidate. NotFound.
func (s *Steps) DropNote(ctx context.Context, reader store.Reader, candidateID, id int64, anybodys bool, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID)
		if err != nil {
			return err
		}
		if anybodys && !c.Blind {
			err = tx.DropAnyNote(ctx, c.AccountID, candidateID, id)
		} else {
			err = tx.DropNote(ctx, c.AccountID, candidateID, id, by.UserID)
		}
		if err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, typus.AuditNoteDeleted, "")
	})
}
