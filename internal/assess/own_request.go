package assess

import (
	"context"
	"errors"
	"slices"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// CodeAnswered is the code of a request that was answered before.
const CodeAnswered = "answered"

// OwnRequest keeps what a candidate asks the team for, and tells whoever may answer it.
// Nothing of it happens by itself. A correction says what is wrong; the others may say
// something.
//
// Asking for the same in the same words while it is open, as by a double click, changes
// nothing. Invalid names the wrong field; NotFound; Conflict: there is no result, or as
// AddRequest of the store.
func (s *Steps) OwnRequest(ctx context.Context, token string, kind typus.RequestKind, text string, by typus.Actor) error {
	var f clerk.Faults
	f.When(!slices.Contains(typus.RequestKinds(), kind), "kind", "must be one of the kinds")
	if !typus.Blank(text) || kind == typus.RequestCorrection {
		text = f.Note("text", text)
	} else {
		text = ""
	}
	if err := f.Err(); err != nil {
		return err
	}
	return s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		if c.Status != typus.StatusFinished {
			return typus.Errorf(typus.Conflict, "there is no result to ask about")
		}
		q := typus.Request{AccountID: c.AccountID, CandidateID: c.ID, Kind: kind, Text: text, CreatedAt: s.now()}
		if _, err := tx.AddRequest(ctx, q); refusedBy(err, store.CodeAskedAlready) {
			return nil
		} else if err != nil {
			return err
		}
		account, err := tx.Account(ctx, c.AccountID)
		if err != nil {
			return err
		}
		if err := s.tellAsked(ctx, tx, account, c); err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, typus.AuditOwnAsked, string(kind))
	})
}

// refusedBy reports whether the code of a fault is why something is not done.
func refusedBy(err error, code string) bool {
	refusal, is := errors.AsType[*typus.Error](err)
	return is && len(refusal.Fields) > 0 && refusal.Fields[0].Code == code
}

// AnswerRequest answers a candidate's request for good, and writes to them that the answer is
// there: they have asked for it. Invalid: there is no answer. NotFound. Conflict: CodeAnswered,
// or ObstacleWithheld, never for an owner.
//
// Who may: the face lets members only.
func (s *Steps) AnswerRequest(ctx context.Context, reader store.Reader, q typus.Request, by typus.Actor) error {
	var f clerk.Faults
	q.Answer = f.Note("answer", q.Answer)
	q.AnsweredAt, q.AnsweredBy = s.now(), by.Name
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, q.CandidateID)
		if err == nil && c.Blind && !reader.AnswersBlind() {
			err = refused(ObstacleWithheld)
		}
		if err != nil {
			return err
		}
		first, err := tx.AnswerRequest(ctx, q)
		if err == nil && !first {
			err = &typus.Error{Kind: typus.Conflict, Msg: "the request is answered already", Fields: []typus.Field{{Name: "request", Code: CodeAnswered}}}
		}
		if err == nil {
			err = f.Err() // only now: of a request that is not there, no answer is wrong
		}
		if err != nil {
			return err
		}
		if _, err := tx.AddLetter(ctx, letterTo(c, typus.LetterOwnAnswered, s.now())); err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, typus.AuditOwnAnswered, "")
	})
}

// ReleaseOwn lets a candidate see their result, for good: it answers a request for it, and
// writes to the candidate if they have asked or the account lets us write to them. Doing it
// again changes nothing.
// NotFound. Conflict: there is no result, ObstacleWithheld, or ObstacleTerms where results are
// shown at once or not at all, also if somebody has changed that since the user looked.
//
// Who may: the face lets members only.
func (s *Steps) ReleaseOwn(ctx context.Context, reader store.Reader, candidateID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID)
		switch {
		case err != nil:
			return err
		case c.Blind:
			return refused(ObstacleWithheld)
		case c.Status != typus.StatusFinished:
			return typus.Errorf(typus.Conflict, "there is no result to release")
		}
		if err := releasable(ctx, tx, c); err != nil {
			return err
		}
		now := s.now()
		first, err := tx.ReleaseOwn(ctx, c.ID, now, by.Name)
		if err != nil || !first {
			return err
		}
		if err := tellReleased(ctx, tx, c, now, by); err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, typus.AuditOwnReleased, "")
	})
}

// tellReleased answers a request for the result, and writes to the candidate; to whom no
// letter was ever wanted only if they have asked.
func tellReleased(ctx context.Context, tx *store.Tx, c typus.Candidate, now time.Time, by typus.Actor) error {
	asked, err := tx.AnswerReleased(ctx, c.ID, now, by.Name)
	if err != nil {
		return err
	}
	letter := letterTo(c, typus.LetterOwnReleased, now)
	if !asked {
		return tx.AddLetterIfInvited(ctx, letter)
	}
	_, err = tx.AddLetter(ctx, letter)
	return err
}

// releasable refuses where it does not hang on a release whether a candidate sees the result.
func releasable(ctx context.Context, tx *store.Tx, c typus.Candidate) error {
	account, err := tx.Account(ctx, c.AccountID)
	if err != nil {
		return err
	}
	terms, err := tx.OwnTerms(ctx, c)
	if err == nil && terms.Or(account.OwnResult).Policy != typus.OwnResultReleased {
		err = refused(ObstacleTerms)
	}
	return err
}
