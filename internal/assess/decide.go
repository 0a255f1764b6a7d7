package assess

import (
	"context"
	"slices"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Faults of a decision that a form explains in words of its own.
const (
	CodeTestAlone = "test_alone" // the test is all that a rejection rests on, or should not be interpreted
	CodeExcluded  = "excluded"   // two sources rule each other out
	CodeNoResult  = "no_result"  // the test is a source, and there is no result
	CodeMisplaced = "misplaced"  // it belongs to a rejection only
)

// Decide appends an entry to what the team has decided about a candidate; last is the
// newest entry that the user has seen, 0 for none. The audit log, which is never erased,
// says only that it happened. It asks a rejection for a second source besides the test; it
// cannot know whether there was one.
//
// Invalid names every wrong field. NotFound. Conflict: ObstacleDecided, ObstacleWithheld, the
// form was sent before, or there are store.MaxDecisions.
//
// Who may: the face lets members only.
func (s *Steps) Decide(ctx context.Context, reader store.Reader, d typus.Decision, last int64, by typus.Actor) error {
	d, f := sound(d)
	return s.decide(ctx, reader, d, by, func(tx *store.Tx, c typus.Candidate) error {
		all := slices.Concat(f, restsOn(d, c.Scores))
		if err := all.Err(); err != nil {
			return err
		}
		newest, err := tx.LastDecision(ctx, c.ID)
		if err == nil && newest != last {
			err = refused(ObstacleDecided)
		}
		return err
	})
}

// RejectUnopened rejects a candidate, as one of many, without the test: d.Sources hold
// typus.SourceTestNotUsed, and nobody has opened the result (store.StandingOf). The other
// arguments and the errors are those of Decide; Conflict also with ObstacleOpened.
func (s *Steps) RejectUnopened(ctx context.Context, reader store.Reader, d typus.Decision, last int64, by typus.Actor) error {
	d, f := sound(d)
	f.When(d.Stage != typus.StageRejection, "stage", "must be a rejection")
	f.When(!slices.Contains(d.Sources, typus.SourceTestNotUsed), "sources", "must say that the test was not used")
	if err := f.Err(); err != nil {
		return err
	}
	return s.decide(ctx, reader, d, by, func(tx *store.Tx, c typus.Candidate) error {
		standing, err := tx.StandingOf(ctx, c.ID)
		switch {
		case err != nil:
		case standing.Opened:
			err = refused(ObstacleOpened)
		case standing.Last != last:
			err = refused(ObstacleDecided)
		}
		return err
	})
}

// decide appends an entry once check, which runs under the candidate's lock, allows it.
func (s *Steps) decide(ctx context.Context, reader store.Reader, d typus.Decision, by typus.Actor, check func(*store.Tx, typus.Candidate) error) error {
	d.UserID, d.Author, d.CreatedAt = by.UserID, by.Name, s.now()
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, reader.AccountID, by, func() (int64, error) {
			c, err := tx.LockCandidateFor(ctx, reader, d.CandidateID)
			if err == nil && c.Blind {
				err = refused(ObstacleWithheld)
			}
			if err == nil {
				err = check(tx, c)
			}
			if err != nil {
				return 0, err
			}
			id, err := tx.AddDecision(ctx, d)
			if err != nil {
				return 0, err
			}
			return id, s.recordOf(ctx, tx, c, by, typus.AuditCandidateDecided, "")
		})
	})
}

// sound is a decision as it is stored, and what is wrong with it whatever the result is.
func sound(d typus.Decision) (typus.Decision, clerk.Faults) {
	var f clerk.Faults
	if d.Stage == "" {
		f.Add("stage", typus.CodeRequired, "is required")
	} else {
		f.When(!slices.Contains(typus.Stages(), d.Stage), "stage", "must be one of the stages")
	}
	d.Reasons, d.Sources = inOrder(&f, "reasons", typus.Reasons(), d.Reasons), inOrder(&f, "sources", typus.Sources(), d.Sources)
	grounds(&f, "reasons", d.Stage, len(d.Reasons))
	grounds(&f, "sources", d.Stage, len(d.Sources))
	if slices.Contains(d.Sources, typus.SourceTest) && slices.Contains(d.Sources, typus.SourceTestNotUsed) {
		f.Add("sources", CodeExcluded, "cannot be the test and not the test")
	}
	if !typus.Blank(d.Text) {
		d.Text = f.Note("text", d.Text)
	} else {
		d.Text = ""
	}
	return d, f
}

// grounds wants something of a rejection, and nothing of any other stage.
func grounds(f *clerk.Faults, field string, stage typus.Stage, n int) {
	switch {
	case stage == typus.StageRejection && n == 0:
		f.Add(field, typus.CodeRequired, "must name at least one")
	case stage != typus.StageRejection && n > 0:
		f.Add(field, CodeMisplaced, "belong to a rejection")
	}
}

// inOrder is chosen without repetition in the order of all, and faulty if anything else is
// chosen.
func inOrder[K ~string](f *clerk.Faults, field string, all, chosen []K) []K {
	f.When(slices.ContainsFunc(chosen, func(k K) bool { return !slices.Contains(all, k) }), field, "must be from the list")
	return slices.DeleteFunc(slices.Clone(all), func(k K) bool { return !slices.Contains(chosen, k) })
}

// restsOn asks for a second source where a rejection rests on the test, and for none that
// is not there.
func restsOn(d typus.Decision, result *typus.Scores) clerk.Faults {
	var f clerk.Faults
	switch {
	case !slices.Contains(d.Sources, typus.SourceTest):
	case result == nil:
		f.Add("sources", CodeNoResult, "cannot be the test: there is no result")
	case len(d.Sources) == 1 || result.Doubtful():
		f.Add("sources", CodeTestAlone, "the test is not enough for a rejection")
	}
	return f
}
