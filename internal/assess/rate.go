package assess

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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

// Ratings are what a user sends of the ratings of a candidate: all of them.
type Ratings struct {
	List  []store.Rating
	Since string // the Digest that the user had before them, "" if they cannot tell
}

// Digest names a user's ratings by what they say: the same ratings have the same one, in
// whatever order. A rating that says nothing is none.
func Digest(list []store.Rating, userID int64) string {
	own := slices.DeleteFunc(slices.Clone(list), func(r store.Rating) bool { return r.UserID != userID || silent(r) })
	slices.SortFunc(own, func(a, b store.Rating) int { return cmp.Compare(a.Question, b.Question) })
	sum := sha256.New()
	for _, r := range own {
		fmt.Fprintf(sum, "%q %d %q\n", r.Question, figure(r.Mark), r.Note)
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// silent reports whether a rating says nothing.
func silent(r store.Rating) bool { return r.Mark == nil && r.Note == "" }

// figure is a mark as a number, -1 for none.
func figure(mark *int) int {
	if mark == nil {
		return -1
	}
	return *mark
}

// errStale is a Conflict: the ratings were saved elsewhere since the form was shown.
var errStale = typus.Errorf(typus.Conflict, "the ratings were saved in another window since")

// Stale reports whether ratings were refused because the user has saved others since they
// were shown, in another window. They can be sent again with the new Digest.
func Stale(err error) bool { return errors.Is(err, errStale) }

// KeepDraft keeps the ratings of a user who has not saved them yet, all or none, and
// returns their Digest. What is kept already may come again, from whoever did not hear that
// it arrived. Invalid: a note is none (clerk.Faults.Note). NotFound. Conflict: they are
// saved, or Stale.
func (s *Steps) KeepDraft(ctx context.Context, reader store.Reader, candidateID int64, r Ratings, by typus.Actor) (string, error) {
	var stand string
	err := s.drafting(ctx, reader, candidateID, func(tx *store.Tx, had ratedBefore) error {
		var err error
		stand, err = s.replace(ctx, tx, had, r, by)
		return err
	})
	return stand, err
}

// DropDraft forgets the ratings of a user who has not saved them, if they still have the
// Digest since, or whatever they are for "". NotFound. Conflict: they are saved, or Stale.
func (s *Steps) DropDraft(ctx context.Context, reader store.Reader, candidateID int64, since string) error {
	return s.drafting(ctx, reader, candidateID, func(tx *store.Tx, had ratedBefore) error {
		if err := (Ratings{Since: since}).over(had); err != nil {
			return err
		}
		return tx.DropRatings(ctx, candidateID, reader.UserID)
	})
}

// drafting changes the ratings of a user as long as they have not saved them.
func (s *Steps) drafting(ctx context.Context, reader store.Reader, candidateID int64, change func(tx *store.Tx, had ratedBefore) error) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		had, err := s.lockRated(ctx, tx, reader, candidateID)
		if err != nil {
			return err
		}
		if !had.rated.IsZero() {
			return typus.Errorf(typus.Conflict, "the ratings are saved")
		}
		return change(tx, had)
	})
}

// over is errStale if the user, before these ratings, had others than they knew of.
func (r Ratings) over(had ratedBefore) error {
	if r.Since != "" && r.Since != had.stand {
		return errStale
	}
	return nil
}

// Rate saves the ratings of a user, all or none, which opens the result to them for good,
// also one that is still to come: they judged without it, and the audit log says that it
// was before. It also says when they are changed afterwards. What the user noted in answer
// to other questions, those of another role profile, goes: it was never saved. What is saved
// already may come again, from whoever did not hear that it arrived. by is the reader.
// Invalid: one has no mark, none has a mark above 0 (who has rated nothing says why they open
// the result), or a note is none. NotFound. Conflict: they were saved before and are Frozen,
// or Stale.
func (s *Steps) Rate(ctx context.Context, reader store.Reader, candidateID int64, r Ratings, by typus.Actor) error {
	for _, one := range r.List {
		if one.Mark == nil {
			return typus.Errorf(typus.Invalid, "the answer to %s is not rated", one.Question)
		}
	}
	if !Judged(r.List) {
		return typus.Errorf(typus.Invalid, "no answer is rated")
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		had, err := s.lockRated(ctx, tx, reader, candidateID)
		if err != nil {
			return err
		}
		if Frozen(had.rated, had.candidate.CompletedAt, s.now()) {
			return typus.Errorf(typus.Conflict, "the ratings can no longer be changed")
		}
		var others []store.Rating
		had.own, others = had.split(r.List)
		for _, one := range others {
			if err := tx.DropRating(ctx, candidateID, by.UserID, one.Question); err != nil {
				return err
			}
		}
		stand, err := s.replace(ctx, tx, had, r, by)
		if err != nil {
			return err
		}
		return s.settleRated(ctx, tx, had, stand != had.stand, by)
	})
}

// settleRated notes what has become of the ratings that a user had: they are saved, or
// changed, or what they were.
func (s *Steps) settleRated(ctx context.Context, tx *store.Tx, had ratedBefore, changed bool, by typus.Actor) error {
	c := had.candidate
	if had.rated.IsZero() {
		action := typus.AuditInterviewRated
		if c.Status != typus.StatusFinished {
			action = typus.AuditInterviewRatedEarly
		}
		if err := tx.SetRated(ctx, c.ID, by.UserID, s.now()); err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, action, "")
	}
	if !changed {
		return nil
	}
	return s.recordOf(ctx, tx, c, by, typus.AuditInterviewChanged, "")
}

// ratedBefore is what a user had rated before a form of theirs.
type ratedBefore struct {
	candidate typus.Candidate
	rated     time.Time // when they saved it, zero: not yet
	own       []store.Rating
	stand     string // of all that they had
}

// split are the ratings that a user had: those of questions that a list is about, and the
// others.
func (b ratedBefore) split(list []store.Rating) ([]store.Rating, []store.Rating) {
	var same, others []store.Rating
	for _, had := range b.own {
		if slices.ContainsFunc(list, func(r store.Rating) bool { return r.Question == had.Question }) {
			same = append(same, had)
		} else {
			others = append(others, had)
		}
	}
	return same, others
}

// has reports whether a user had the same rating, by the name that they have now.
func (b ratedBefore) has(r store.Rating) bool {
	i := slices.IndexFunc(b.own, func(had store.Rating) bool { return had.Question == r.Question })
	if i < 0 {
		return silent(r)
	}
	had := b.own[i]
	return !silent(r) && had.Note == r.Note && figure(had.Mark) == figure(r.Mark) && had.Author == r.Author
}

// lockRated locks a candidate for a user, and says what the user has rated so far.
func (s *Steps) lockRated(ctx context.Context, tx *store.Tx, reader store.Reader, candidateID int64) (ratedBefore, error) {
	c, err := tx.LockCandidateFor(ctx, reader, candidateID)
	if err != nil {
		return ratedBefore{}, err
	}
	rated, err := tx.RatedAt(ctx, candidateID, reader.UserID)
	if err != nil {
		return ratedBefore{}, err
	}
	list, err := tx.RatingsOf(ctx, reader, candidateID)
	own := slices.DeleteFunc(list, func(r store.Rating) bool { return r.UserID != reader.UserID })
	return ratedBefore{c, rated, own, Digest(own, reader.UserID)}, err
}

// replace puts ratings over those that a user had, and returns the Digest of both. It writes
// what differs and nothing else: a draft comes whole with every pause of somebody who
// types. The same ones replace nothing, so they may come from an old window. Conflict:
// Stale.
func (s *Steps) replace(ctx context.Context, tx *store.Tx, had ratedBefore, r Ratings, by typus.Actor) (string, error) {
	list, err := s.signed(r.List, by)
	if err != nil {
		return "", err
	}
	_, others := had.split(list)
	stand := Digest(append(others, list...), by.UserID)
	if stand != had.stand {
		err = r.over(had)
	}
	for _, one := range list {
		if err == nil && !had.has(one) {
			err = putRating(ctx, tx, had.candidate.ID, one)
		}
	}
	return stand, err
}

// putRating keeps a rating; of one that says nothing there is no row.
func putRating(ctx context.Context, tx *store.Tx, candidateID int64, r store.Rating) error {
	if silent(r) {
		return tx.DropRating(ctx, candidateID, r.UserID, r.Question)
	}
	return tx.PutRating(ctx, candidateID, r)
}

// signed are the ratings as they are stored, of a user. Invalid: a note is none.
func (s *Steps) signed(list []store.Rating, by typus.Actor) ([]store.Rating, error) {
	var f clerk.Faults
	list = slices.Clone(list)
	for i := range list {
		r := &list[i]
		if r.UserID, r.Author, r.SavedAt = by.UserID, by.Name, s.now(); r.Note != "" {
			r.Note = f.Note("note", r.Note)
		}
	}
	return list, f.Err()
}
