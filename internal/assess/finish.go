package assess

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
	"typus/internal/store"
	"typus/internal/webhook"
)

// Finish scores the test and books it in one transaction: the status and the
// scores, one credit, the result, the event with its frozen body, a delivery per
// endpoint, and letters about the balance. Finishing again changes nothing, so of
// fifty at once exactly one counts. NotFound; Gone when the invitation expired or
// was withdrawn; Conflict before the test has begun or while items are open.
func (s *Steps) Finish(ctx context.Context, token string) error {
	finished := false
	err := s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		finished = false
		if c.Status == typus.StatusFinished {
			return nil
		}
		if err := s.alive(c); err != nil {
			return err
		}
		if c.Status != typus.StatusStarted {
			return typus.Errorf(typus.Conflict, "the test has not begun")
		}
		var err error
		finished, err = s.finish(ctx, tx, c)
		return err
	})
	if err == nil && finished {
		s.wake()
	}
	return err
}

func (s *Steps) finish(ctx context.Context, tx *store.Tx, c typus.Candidate) (bool, error) {
	sheet, _, err := s.sheet(ctx, tx, c)
	if err != nil {
		return false, err
	}
	if open := s.instrument.Open(sheet); len(open) > 0 {
		return false, typus.Errorf(typus.Conflict, "%d items still need an answer", len(open))
	}
	result, err := s.instrument.Score(sheet, c.RoleProfile)
	if err != nil {
		return false, fmt.Errorf("assess: score candidate %d: %w", c.ID, err)
	}
	c.CompletedAt = s.now()
	scores := result.Scores()
	won, err := tx.FinishCandidate(ctx, c.AccountID, c.ID, scores, c.CompletedAt)
	if err != nil || !won {
		return false, err
	}
	if err := s.bookCompletion(ctx, tx, c); err != nil {
		return false, err
	}
	if err := s.keepResult(ctx, tx, c, sheet, result); err != nil {
		return false, err
	}
	return true, s.report(ctx, tx, c, scores)
}

// bookCompletion takes one credit, whatever the balance (seed 1: a credit per
// completed test), and writes to the owners when the balance passes a mark.
func (s *Steps) bookCompletion(ctx context.Context, tx *store.Tx, c typus.Candidate) error {
	entry, err := tx.BookCredit(ctx, typus.CreditEntry{
		AccountID: c.AccountID, Delta: -1, Reason: typus.ReasonCompletion,
		CandidateID: c.ID, Actor: "candidate", CreatedAt: c.CompletedAt,
	})
	if err != nil {
		return err
	}
	account, err := tx.Account(ctx, c.AccountID)
	if err != nil || account.Plan != typus.PlanStarter {
		return err
	}
	grant, err := tx.LastGrant(ctx, c.AccountID)
	if err != nil {
		return err
	}
	switch entry.BalanceAfter {
	case 0:
		return s.tellOwners(ctx, tx, account, typus.LetterCreditsEmpty)
	case grant / 5:
		return s.tellOwners(ctx, tx, account, typus.LetterCreditsLow)
	}
	return nil
}

// keepResult freezes the evidence: with the answers, the times and the versions
// the result can be computed again at any time.
func (s *Steps) keepResult(ctx context.Context, tx *store.Tx, c typus.Candidate, sheet instrument.Sheet, result instrument.Result) error {
	stored, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("assess: encode the result of candidate %d: %w", c.ID, err)
	}
	answers, err := sheet.MarshalBinary()
	if err != nil {
		return err
	}
	snapshot, err := s.instrument.RoleSnapshot(c.RoleProfile)
	if err != nil {
		return err
	}
	role, _ := s.instrument.Role(c.RoleProfile)
	_, err = tx.AddResult(ctx, c.AccountID, store.Result{
		CandidateID: c.ID, Scores: stored, Answers: answers,
		Instrument: s.instrument.Ref(), InstrumentHash: s.instrument.Hash(), Norm: s.instrument.NormID(),
		RoleProfile: fmt.Sprintf("%s@%d", role.Key, role.Version), RoleSnapshot: snapshot,
		ScoringVersion: s.instrument.ScoringVersion(), CreatedAt: c.CompletedAt,
	})
	return err
}

// report writes the event and its deliveries into the same transaction: what
// is committed will be reported, and nothing else.
func (s *Steps) report(ctx context.Context, tx *store.Tx, c typus.Candidate, scores typus.Scores) error {
	reportURL := fmt.Sprintf("%s/dashboard/kandidat/%d", s.baseURL, c.ID) // seed 2.5
	payload, err := webhook.Payload(c, scores, reportURL, c.CompletedAt)
	if err != nil {
		return err
	}
	_, err = tx.AddEvent(ctx, typus.Event{
		ID: webhook.NewEventID(), AccountID: c.AccountID, Type: typus.EventCandidateCompleted,
		CandidateID: c.ID, OccurredAt: c.CompletedAt, Payload: payload,
	}, webhook.NewDeliveryID)
	return err
}
