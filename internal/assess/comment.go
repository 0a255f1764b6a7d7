package assess

import (
	"context"
	"slices"

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
