package assess

import (
	"context"
	"math"
	"strconv"
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

// NoteView notes in the audit log what the page of a report shows a user: that they look at
// the report, as NoteViews does, and read what the candidate says, once for each version that
// somebody else entered. The caller has found that the result is not withheld, and reads the
// versions afterwards. NotFound.
func (s *Steps) NoteView(ctx context.Context, reader store.Reader, candidateID int64, by typus.Actor) error {
	return s.noteShown(ctx, reader, look{ids: []int64{candidateID}, upTo: math.MaxInt64}, by)
}

// NoteViews notes in the audit log that a user looks at the reports of up to 100 candidates,
// each named once, once in ViewEvery for each, and whether that was before somebody rated who
// is to rate first. A line from the future, of a clock that was ahead, does not count. All are
// noted or none, and where all are noted already that is only read. NotFound: one of them is
// not there for the user. Invalid: they are too many.
func (s *Steps) NoteViews(ctx context.Context, reader store.Reader, candidateIDs []int64, by typus.Actor) error {
	what := look{ids: candidateIDs}
	if lines, err := s.unnoted(ctx, s.store.Looks, reader, what, by); err != nil || len(lines) == 0 {
		return err
	}
	return s.noteShown(ctx, reader, what, by)
}

// NoteSaved notes in the audit log that a user kept the report of a candidate as a file,
// once in ViewEvery, that they looked at it (NoteView), and that they read what the candidate
// says up to the version with this id, the newest in the file. NotFound.
func (s *Steps) NoteSaved(ctx context.Context, reader store.Reader, candidateID, upTo int64, by typus.Actor) error {
	return s.noteShown(ctx, reader, look{ids: []int64{candidateID}, upTo: upTo, saved: true}, by)
}

// look is what a user is shown of candidates.
type look struct {
	ids   []int64
	upTo  int64 // no newer version of what they say, 0 for none of it
	saved bool  // it is in a file
}

// noteShown notes what a user is shown and is not noted yet, with as many statements for many
// candidates as for one. What is noted is read behind the locks, so that two tabs at once are
// one look.
func (s *Steps) noteShown(ctx context.Context, reader store.Reader, what look, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.LockCandidates(ctx, reader.AccountID, what.ids); err != nil {
			return err
		}
		lines, err := s.unnoted(ctx, tx.Looks, reader, what, by)
		if err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, lines...)
	})
}

// unnoted are the lines that the audit log lacks. looks reads what it has. NotFound.
func (s *Steps) unnoted(ctx context.Context, looks func(context.Context, store.Reader, store.LookQuery) ([]store.Look, error), reader store.Reader, what look, by typus.Actor) ([]typus.AuditEntry, error) {
	now := s.now()
	list, err := looks(ctx, reader, store.LookQuery{IDs: what.ids, UserID: by.UserID, Since: now.Add(-ViewEvery), Until: now.Add(typus.Skew), Comment: what.upTo})
	if err != nil {
		return nil, err
	}
	if len(list) < len(what.ids) {
		return nil, typus.Errorf(typus.NotFound, "there is no such candidate")
	}
	var lines []typus.AuditEntry
	for _, l := range list {
		lines = append(lines, what.unnoted(reader.AccountID, l)...)
	}
	return lines, nil
}

// unnoted are the lines that the audit log lacks about one candidate. That a version was read
// is noted by its id: by the time alone, one that came in the meantime would count as read.
func (what look) unnoted(accountID int64, l store.Look) []typus.AuditEntry {
	var lines []typus.AuditEntry
	note := func(action typus.AuditAction, detail string) {
		lines = append(lines, typus.AuditEntry{AccountID: accountID, CandidateID: l.CandidateID, Action: action, Detail: detail})
	}
	switch {
	case l.Viewed:
	case l.Unrated:
		note(typus.AuditReportViewedBeforeRating, "")
	default:
		note(typus.AuditReportViewed, "")
	}
	if l.Comment > l.Read {
		note(typus.AuditCommentRead, strconv.FormatInt(l.Comment, 10))
	}
	if what.saved && !l.Saved {
		note(typus.AuditReportSaved, "")
	}
	return lines
}

// OpenDoubtful notes in the audit log that a user wants to see the figures of a result
// that should not be interpreted, once. Of another result nothing is noted. NotFound.
func (s *Steps) OpenDoubtful(ctx context.Context, reader store.Reader, candidateID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID)
		if err != nil || c.Scores == nil || !c.Scores.Doubtful() {
			return err
		}
		return s.noteOnce(ctx, tx, c, by, typus.AuditReportOpened)
	})
}

// noteOnce notes an action to a candidate who is locked, unless the same user did it
// before.
func (s *Steps) noteOnce(ctx context.Context, tx *store.Tx, c typus.Candidate, by typus.Actor, action typus.AuditAction) error {
	noted, err := tx.Noted(ctx, c.AccountID, c.ID, by.UserID, action)
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
