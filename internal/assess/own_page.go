package assess

import (
	"context"

	"typus"
	"typus/internal/clerk"
	"typus/internal/instrument"
	"typus/internal/store"
)

// Own is what the candidate's page of their own result is made from.
type Own struct {
	store.OwnPage
	Terms  typus.OwnResultTerms // those that count
	Shown  bool                 // the candidate may see the result
	Stored store.Result         // zero unless Shown
	With   *instrument.Instrument
}

// Own reads the page for a candidate who has proved who they are, with two statements.
// NotFound: there is no result, or it was erased meanwhile.
func (s *Steps) Own(ctx context.Context, t Test) (Own, error) {
	page, err := s.store.OwnPage(ctx, t.Candidate)
	if err != nil {
		return Own{}, err
	}
	own := Own{OwnPage: page, Terms: page.Terms.Or(t.Account.OwnResult), With: s.instrument}
	own.Shown = page.OwnResult.Shown(own.Terms)
	if !own.Shown {
		return own, nil
	}
	if own.Stored, err = s.store.Result(ctx, t.Candidate.AccountID, t.Candidate.ID); err != nil {
		return Own{}, err
	}
	if in, known := s.instrument.Version(own.Stored.Instrument); known {
		own.With = in
	}
	return own, nil
}

// CodeReaches reports whether a code opens the result to who asks for it on a device that keeps
// what HandIn or EnterOwnCode returned, "" for nothing: false where the team has changed the
// address and the candidate has not confirmed it.
func (s *Steps) CodeReaches(ctx context.Context, t Test, kept string) (bool, error) {
	if s.Proof(t, kept) == typus.ConfirmedByDevice {
		return true, nil
	}
	own, err := s.store.OwnResult(ctx, t.Candidate.ID)
	return !own.AddressChanged, err
}

// OwnOpened notes that the candidate has seen their result. Only the first time counts.
func (s *Steps) OwnOpened(ctx context.Context, token string) error {
	return s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error { return tx.NoteOwnOpened(ctx, c.ID, s.now()) })
}

// OwnComment keeps what a candidate says on their page as a version of its own, and is else
// as Comment. Invalid, NotFound, Conflict (store.CodeCount).
func (s *Steps) OwnComment(ctx context.Context, token, text string, proof Proof, by typus.Actor) error {
	var f clerk.Faults
	text = f.Comment("comment", text)
	if err := f.Err(); err != nil {
		return err
	}
	return s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		last, err := tx.LastComment(ctx, c.ID)
		if err != nil || last.Text == text && last.Confirmed.Own() {
			return err
		}
		said := typus.Comment{CandidateID: c.ID, Author: typus.ActorCandidate, Text: text, Confirmed: proof, CreatedAt: s.now()}
		if _, err := tx.AddComment(ctx, said); err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, typus.AuditCandidateCommented, "")
	})
}
