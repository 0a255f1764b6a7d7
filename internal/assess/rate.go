package assess

import (
	"context"
	"slices"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Rethink is for how long saved ratings can still be changed: long enough for a slip, too
// short to be led by the result that they have opened.
const Rethink = 15 * time.Minute

// Frozen reports whether ratings that were saved at a time can no longer be changed: after
// Rethink and, if the test was completed after they were saved (zero: it is not), at once.
// An interview may be held before the test; who judged without a result must not change
// that by it. Those that a clock saved which was ahead cannot be changed either: they would
// stay open until it is reached.
func Frozen(rated, completed, now time.Time) bool {
	return !rated.IsZero() && (completed.After(rated) || !typus.Recent(rated, now, Rethink))
}

// Judged reports whether ratings judge at least one answer: 0 is "not asked".
func Judged(list []store.Rating) bool {
	return slices.ContainsFunc(list, func(r store.Rating) bool { return r.Mark != nil && *r.Mark > 0 })
}

// KeepDraft keeps the ratings of a user who has not saved them yet, all or none. Invalid:
// a note is none (clerk.Faults.Note). NotFound.
// Conflict: they are saved.
func (s *Steps) KeepDraft(ctx context.Context, reader store.Reader, candidateID int64, list []store.Rating, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		_, rated, err := s.lockRated(ctx, tx, reader, candidateID)
		if err != nil {
			return err
		}
		if !rated.IsZero() {
			return typus.Errorf(typus.Conflict, "the ratings are saved")
		}
		return s.putRatings(ctx, tx, candidateID, list, by)
	})
}

// Rate saves the ratings of a user, all or none, which opens the result to them for good,
// also one that is still to come: they judged without it, and the audit log says that it
// was before. What the user noted in answer to other questions, those of another role
// profile, goes: it was never saved. by is the reader. Invalid: one has no mark, none has a
// mark above 0 (who has rated nothing says why they open the result), or a note is none.
// NotFound. Conflict: they were saved before and are Frozen.
func (s *Steps) Rate(ctx context.Context, reader store.Reader, candidateID int64, list []store.Rating, by typus.Actor) error {
	for _, r := range list {
		if r.Mark == nil {
			return typus.Errorf(typus.Invalid, "the answer to %s is not rated", r.Question)
		}
	}
	if !Judged(list) {
		return typus.Errorf(typus.Invalid, "no answer is rated")
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, rated, err := s.lockRated(ctx, tx, reader, candidateID)
		if err != nil {
			return err
		}
		if Frozen(rated, c.CompletedAt, s.now()) {
			return typus.Errorf(typus.Conflict, "the ratings can no longer be changed")
		}
		if err := tx.DropRatings(ctx, candidateID, by.UserID); err != nil {
			return err
		}
		if err := s.putRatings(ctx, tx, candidateID, list, by); err != nil || !rated.IsZero() {
			return err
		}
		if err := tx.SetRated(ctx, candidateID, by.UserID, s.now()); err != nil {
			return err
		}
		action := typus.AuditInterviewRated
		if c.Status != typus.StatusFinished {
			action = typus.AuditInterviewRatedEarly
		}
		return s.recordOf(ctx, tx, c, by, action, "")
	})
}

// lockRated locks a candidate for a user, and says when the user saved the ratings.
func (s *Steps) lockRated(ctx context.Context, tx *store.Tx, reader store.Reader, candidateID int64) (typus.Candidate, time.Time, error) {
	c, err := tx.LockCandidateFor(ctx, reader, candidateID)
	if err != nil {
		return c, time.Time{}, err
	}
	rated, err := tx.RatedAt(ctx, candidateID, reader.UserID)
	return c, rated, err
}

func (s *Steps) putRatings(ctx context.Context, tx *store.Tx, candidateID int64, list []store.Rating, by typus.Actor) error {
	var f clerk.Faults
	for i := range list {
		if list[i].Note != "" {
			list[i].Note = f.Note("note", list[i].Note)
		}
	}
	if err := f.Err(); err != nil {
		return err
	}
	for _, r := range list {
		r.UserID, r.Author, r.SavedAt = by.UserID, by.Name, s.now()
		if err := tx.PutRating(ctx, candidateID, r); err != nil {
			return err
		}
	}
	return nil
}
