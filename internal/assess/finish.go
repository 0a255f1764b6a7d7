package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/instrument"
	"typus/internal/store"
	"typus/internal/webhook"
)

// Finish scores the test and books it in one transaction: the status and the scores,
// one credit, the result, the event with its frozen body, a delivery per endpoint, the
// letters to candidate and team, and letters about the balance. Finishing again changes
// nothing, so of fifty calls at once exactly one counts. NotFound; Gone when the
// invitation expired or was withdrawn; Conflict before the test has begun, after a
// decline, or while items are open.
func (s *Steps) Finish(ctx context.Context, token string) error {
	_, err := s.HandIn(ctx, token, "", Test{})
	return err
}

// FinishFor walks a test for an operator who connects a system: it begins,
// answers every item as given and finishes, in one transaction, and leaves an
// audit entry; the ledger names the actor. NotFound; Gone when the invitation
// expired or was withdrawn; Conflict when the test is finished, when the candidate
// declined, or has answered anything: made-up answers must not replace a person's.
// Invalid for answers that do not fit the test. Suspended before the test has begun.
func (s *Steps) FinishFor(ctx context.Context, accountID, id int64, given []Given, actor string) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidate(ctx, accountID, id)
		if err != nil {
			return err
		}
		in, sheet, stored, err := s.sheet(ctx, tx, c)
		if err != nil {
			return err
		}
		if stand := c.Stand(s.now()); stand != typus.StandOpen {
			if err := Working(stand); err != nil {
				return err
			}
		}
		if !stored.SavedAt.IsZero() {
			return typus.Errorf(typus.Conflict, "candidate %d has begun to answer; made-up answers must not replace a person's", id)
		}
		return s.walk(ctx, tx, c, in, sheet, given, actor)
	})
}

// walk does all steps of a test in one transaction. No candidate read a notice,
// so none is stored.
func (s *Steps) walk(ctx context.Context, tx *store.Tx, c typus.Candidate, in *instrument.Instrument, sheet instrument.Sheet, given []Given, actor string) error {
	now := s.now()
	if !c.Begun() {
		if err := s.mayBegin(ctx, tx, c); err != nil {
			return err
		}
		if _, err := tx.BeginCandidate(ctx, c.AccountID, c.ID, typus.Notice{}, in.Ref(), now); err != nil {
			return err
		}
	}
	c.CompletedAt = now
	if err := s.complete(ctx, tx, c, in, sheet, given, actor); err != nil {
		return err
	}
	return s.recordOf(ctx, tx, c, typus.Actor{Name: actor}, typus.AuditCandidateFinishedByOperator, "")
}

// complete answers what is open in a test that has begun, and books it as completed at
// c.CompletedAt. Invalid for answers that do not fit the test.
func (s *Steps) complete(ctx context.Context, tx *store.Tx, c typus.Candidate, in *instrument.Instrument, sheet instrument.Sheet, given []Given, actor string) error {
	if _, _, err := apply(in, &sheet, make(ages, len(sheet.Answers)), given); err != nil {
		return err
	}
	role, err := s.asked(ctx, tx, c)
	if err != nil {
		return err
	}
	e, err := evidenceOf(in, sheet, role)
	if err != nil {
		return err
	}
	return s.finish(ctx, tx, c, e, actor)
}

// finish books a test that its candidate has completed at c.CompletedAt, with what its
// answers amount to.
func (s *Steps) finish(ctx context.Context, tx *store.Tx, c typus.Candidate, e evidence, actor string) error {
	won, err := tx.FinishCandidate(ctx, c.AccountID, c.ID, e.scores, c.CompletedAt)
	if err != nil || !won {
		return err
	}
	return s.book(ctx, tx, c, e, actor)
}

// book writes what follows from a result.
func (s *Steps) book(ctx context.Context, tx *store.Tx, c typus.Candidate, e evidence, actor string) error {
	account, err := tx.Account(ctx, c.AccountID)
	if err != nil {
		return err
	}
	// The courier locks a webhook before its account, and so does this.
	if err := s.addEvent(ctx, tx, account, c, e.scores); err != nil {
		return err
	}
	if err := s.bookCompletion(ctx, tx, c, actor); err != nil {
		return err
	}
	if err := keepResult(ctx, tx, c, e); err != nil {
		return err
	}
	return s.tellFinished(ctx, tx, account, c)
}

// bookCompletion takes one credit, whatever the balance (API description 1: a credit
// per completed test); none where earlier answers were taken over, which the ledger tells all
// the same. It writes to the owners when a fifth of the last grant is left, and when nothing
// is left, once each for every grant.
func (s *Steps) bookCompletion(ctx context.Context, tx *store.Tx, c typus.Candidate, actor string) error {
	booked := typus.CreditEntry{
		AccountID: c.AccountID, Delta: -1, Reason: typus.ReasonCompletion,
		CandidateID: c.ID, Actor: actor, CreatedAt: c.CompletedAt,
	}
	if c.TakenOver() {
		booked.Delta, booked.Reason = 0, typus.ReasonTakenOver
	}
	entry, err := tx.BookCredit(ctx, booked)
	if err != nil || c.TakenOver() {
		return err
	}
	grant, err := tx.LastGrant(ctx, c.AccountID)
	if err != nil || grant.ID == 0 {
		return err
	}
	kind := typus.LetterCreditsLow
	switch {
	case entry.BalanceAfter == 0:
		kind = typus.LetterCreditsEmpty
	case entry.BalanceAfter < 0 || entry.BalanceAfter > grant.Delta/5:
		return nil
	}
	since := grant.CreatedAt
	if since.After(c.CompletedAt.Add(typus.Skew)) {
		since = time.Time{} // granted while a clock was ahead: one letter is enough until then
	}
	told, err := tx.AccountLetterSince(ctx, c.AccountID, kind, since, c.CompletedAt)
	if err != nil || told {
		return err
	}
	account, err := tx.Account(ctx, c.AccountID)
	if err != nil {
		return err
	}
	return s.tellOwners(ctx, tx, account, kind)
}

// keepResult freezes the evidence: with the answers, the times and the versions
// the result can be computed again at any time.
func keepResult(ctx context.Context, tx *store.Tx, c typus.Candidate, e evidence) error {
	result := e.result
	result.CandidateID, result.CreatedAt = c.ID, c.CompletedAt
	_, err := tx.AddResult(ctx, c.AccountID, result)
	return err
}

// addEvent writes the event and its deliveries in the same transaction, so that exactly
// what is committed is reported (transactional outbox).
func (s *Steps) addEvent(ctx context.Context, tx *store.Tx, account typus.Account, c typus.Candidate, scores typus.Scores) error {
	payload, err := webhook.Payload(c, scores, s.links.Report(c.ID), account.WorldTime(c.CompletedAt))
	if err != nil {
		return err
	}
	_, err = tx.AddEvent(ctx, typus.Event{
		ID: webhook.NewEventID(c.CompletedAt), AccountID: c.AccountID, Type: typus.EventCandidateCompleted,
		CandidateID: c.ID, OccurredAt: c.CompletedAt, Payload: payload,
	}, func() string { return webhook.NewDeliveryID(c.CompletedAt) })
	return err
}
