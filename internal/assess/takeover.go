package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/instrument"
	"typus/internal/store"
)

// CodeNothing is the code of a Conflict: the answers that were to be taken over are not there,
// or not any more, or not for this test.
const CodeNothing = "nothing"

// Unbegun is nil while a candidate has a test before them that they have not begun: only then
// can they take over earlier answers. Otherwise Gone where the invitation expired or was
// withdrawn, and else Conflict.
func Unbegun(c typus.Candidate, at time.Time) error {
	stand := c.Stand(at)
	switch {
	case stand == typus.StandOpen || stand == typus.StandDeclined && c.Status == typus.StatusOpen:
		return nil
	case stand == typus.StandBegun:
		return typus.Errorf(typus.Conflict, "the test has begun")
	}
	return Working(stand)
}

// Known reports whether a device on which EnterOwnCode was told the code before the test is
// that of the candidate.
func (s *Steps) Known(t Test, kept string) bool { return s.knows(t.Candidate, kept) }

// knows is Known also after the answers were taken over: a page may be sent again because no
// answer came.
func (s *Steps) knows(c typus.Candidate, kept string) bool {
	c.CompletedAt = time.Time{}
	return s.proof(c, kept) == typus.ConfirmedByCode
}

// EarlierAnswers is when the answers were given that a candidate can take over, zero for none.
// It is for who is Known: nobody else may learn it.
func (s *Steps) EarlierAnswers(ctx context.Context, t Test) (time.Time, error) {
	now := s.now()
	c, found, err := s.store.Takeable(ctx, t.Candidate, store.Takeable{
		Instrument: s.instrument.Ref(), From: oldest(now), To: now.Add(typus.Skew),
	})
	if err != nil || !found || c.Scores.Doubtful() {
		return time.Time{}, err
	}
	return c.Answered(), nil
}

// oldest is when answers were given at the earliest that can be taken over at a time.
func oldest(now time.Time) time.Time { return now.AddDate(0, -typus.TakeOverMonths, 0) }

// A Choice is what a candidate chooses who takes over earlier answers.
type Choice struct {
	Kept       string    // by the device; see Known
	AnsweredAt time.Time // of the answers that the candidate was shown
	Notice     typus.Notice
	NoticeText string
}

// TakeOver finishes a test that has not begun with the answers that the candidate gave in an
// earlier one, scored by what is asked now, in one transaction: it stores the acknowledgement
// and all that HandIn stores, but books no credit. The earlier test stays as it is. Like HandIn
// it returns what the device keeps; choosing again changes nothing.
//
// NotFound. Forbidden: the device is not Known. Gone when the invitation expired or was
// withdrawn. Conflict when the test has begun, or with CodeNothing. Suspended.
func (s *Steps) TakeOver(ctx context.Context, token string, chosen Choice) (string, error) {
	kept := ""
	err := s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		kept = ""
		if !s.knows(c, chosen.Kept) {
			return typus.Errorf(typus.Forbidden, "a code to the candidate's address comes first")
		}
		if c.TakenOver() {
			kept = s.ownDevice(c)
			return nil
		}
		if err := Unbegun(c, s.now()); err != nil {
			return err
		}
		if err := s.mayBegin(ctx, tx, c); err != nil {
			return err
		}
		e, err := s.earlier(ctx, tx, c, chosen.AnsweredAt)
		if err != nil {
			return err
		}
		c.CompletedAt, c.AnsweredAt, c.Instrument = s.now(), chosen.AnsweredAt, e.in.Ref()
		if err := s.takeOver(ctx, tx, c, e, chosen); err != nil {
			return err
		}
		kept = s.ownDevice(c)
		return nil
	})
	return kept, err
}

// earlier is what the answers of that time amount to for a candidate. Conflict: CodeNothing.
func (s *Steps) earlier(ctx context.Context, tx *store.Tx, c typus.Candidate, at time.Time) (evidence, error) {
	before, found, err := tx.LockTakeable(ctx, c, store.Takeable{Instrument: s.instrument.Ref(), From: at, To: at})
	if err != nil {
		return evidence{}, err
	}
	if !found || before.Scores.Doubtful() || at.Before(oldest(s.now())) {
		return evidence{}, &typus.Error{
			Kind: typus.Conflict, Msg: "there are no such answers to be taken over", Fields: []typus.Field{{Name: "answers", Code: CodeNothing}},
		}
	}
	stored, err := tx.Result(ctx, before.AccountID, before.ID)
	if err != nil {
		return evidence{}, err
	}
	var sheet instrument.Sheet
	if err := sheet.UnmarshalBinary(stored.Answers); err != nil {
		return evidence{}, err
	}
	role, err := s.asked(ctx, tx, c)
	if err != nil {
		return evidence{}, err
	}
	return evidenceOf(s.instrument, sheet, role)
}

// takeOver books a test that is finished at c.CompletedAt with answers of c.AnsweredAt.
func (s *Steps) takeOver(ctx context.Context, tx *store.Tx, c typus.Candidate, e evidence, chosen Choice) error {
	if err := tx.AddNotice(ctx, chosen.Notice.Version, chosen.Notice.Language, chosen.NoticeText, c.CompletedAt); err != nil {
		return err
	}
	if err := s.chooseLanguage(ctx, tx, c, chosen.Notice.Language); err != nil {
		return err
	}
	c.Language = chosen.Notice.Language
	won, err := tx.TakeOver(ctx, c, e.scores, chosen.Notice)
	if err != nil || !won {
		return err
	}
	return s.book(ctx, tx, c, e, typus.ActorCandidate)
}
