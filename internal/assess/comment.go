package assess

import (
	"context"
	"math"
	"slices"
	"strconv"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Comment keeps what a candidate says about their result as a version of its own, as a user
// received it. The newest version once more, known in the same way, changes nothing. The audit
// log, which is never erased, says only that it happened.
//
// Invalid names every wrong field: the text is none (clerk.Faults.Comment), or nobody knows
// that it is the candidate's. NotFound. Conflict: there is no result, ObstacleWithheld,
// the form was sent before, or store.CodeCount.
//
// Who may: the face lets members only.
func (s *Steps) Comment(ctx context.Context, reader store.Reader, c typus.Comment, by typus.Actor) error {
	var f clerk.Faults
	c.Text = f.Comment("comment", c.Text)
	if c.Confirmed == "" {
		f.Add("confirmed", typus.CodeRequired, "is required")
	} else {
		f.When(!slices.Contains(typus.Confirmations(), c.Confirmed), "confirmed", "must be one of the confirmations")
	}
	if err := f.Err(); err != nil {
		return err
	}
	c.UserID, c.Author, c.CreatedAt = by.UserID, by.Name, s.now()
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, reader.AccountID, by, func() (int64, error) { return s.comment(ctx, tx, reader, c, by) })
	})
}

func (s *Steps) comment(ctx context.Context, tx *store.Tx, reader store.Reader, c typus.Comment, by typus.Actor) (int64, error) {
	of, err := tx.LockCandidateFor(ctx, reader, c.CandidateID)
	switch {
	case err != nil:
		return 0, err
	case of.Blind:
		return 0, refused(ObstacleWithheld)
	case of.Status != typus.StatusFinished:
		return 0, typus.Errorf(typus.Conflict, "there is no result to comment on yet")
	}
	last, err := tx.LastComment(ctx, of.ID)
	if err != nil || last.Text == c.Text && last.Confirmed == c.Confirmed {
		return 0, err
	}
	id, err := tx.AddComment(ctx, c)
	if err != nil {
		return 0, err
	}
	return id, s.recordOf(ctx, tx, of, by, typus.AuditCandidateCommented, "")
}

// NoteRead notes in the audit log that a user is shown what a candidate says, once for each
// version that somebody else entered; the caller reads the versions afterwards. Who is blind is
// shown nothing. NotFound.
func (s *Steps) NoteRead(ctx context.Context, reader store.Reader, candidateID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID) // two tabs at once are one reading
		if err != nil || c.Blind {
			return err
		}
		return s.noteRead(ctx, tx, c, math.MaxInt64, by)
	})
}

// noteRead notes the newest version by others that is no newer than upTo. The detail is its id:
// by the time alone, a version that came in the meantime would count as read.
func (s *Steps) noteRead(ctx context.Context, tx *store.Tx, c typus.Candidate, upTo int64, by typus.Actor) error {
	newest, err := tx.LastByOthers(ctx, c.ID, by.UserID, upTo)
	if err != nil || newest == 0 {
		return err
	}
	read, err := tx.ReadUpTo(ctx, c.AccountID, c.ID, by.UserID)
	if err != nil || read >= newest {
		return err
	}
	return s.recordOf(ctx, tx, c, by, typus.AuditCommentRead, strconv.FormatInt(newest, 10))
}
