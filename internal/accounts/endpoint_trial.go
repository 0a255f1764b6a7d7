package accounts

import (
	"context"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/instrument"
	"typus/internal/store"
	"typus/internal/webhook"
)

// At most so many test events of an account in any testWindow (our choice).
const (
	testLimit  = 5
	testWindow = time.Minute
)

// TestEndpoint is SendTest with the usual external_id.
func (s *Steps) TestEndpoint(ctx context.Context, accountID, id int64, by typus.Actor) (string, error) {
	return s.SendTest(ctx, accountID, id, webhook.TestCandidate.ExternalID, by)
}

// SendTest sends a test event to a webhook: a real, signed delivery about a person who
// does not exist, marked as a test, attempted once. An empty external id is null, as of an
// invitation without one. It returns the id of the delivery, whose outcome is there within
// 20 seconds while a server runs. Invalid: the external id is none; Conflict while the
// webhook is off; TooMany, with the Wait, after 5 in a minute; NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) SendTest(ctx context.Context, accountID, id int64, externalID string, by typus.Actor) (string, error) {
	delivery := webhook.NewDeliveryID(s.now())
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		// An unknown account is the first thing to say.
		if _, err := tx.Account(ctx, accountID); err != nil {
			return err
		}
		e, err := tx.LockEndpoint(ctx, accountID, id)
		if err != nil {
			return err
		}
		// After the endpoint, as the courier does it. The lock makes the limit exact.
		account, err := tx.LockAccount(ctx, accountID)
		if err != nil {
			return err
		}
		if !e.On() {
			return typus.Errorf(typus.Conflict, "the webhook is off; switch it on first")
		}
		var f clerk.Faults
		f.AtMost("external_id", externalID, clerk.MaxExternalID)
		if err := f.Err(); err != nil {
			return err
		}
		now := s.now()
		if err := s.mayTest(ctx, tx, accountID, now); err != nil {
			return err
		}
		if err := s.addTest(ctx, tx, account, id, externalID, delivery, now); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditWebhookTested, Detail: e.Trace()})
	})
	return delivery, err
}

func (s *Steps) mayTest(ctx context.Context, tx *store.Tx, accountID int64, now time.Time) error {
	recent, err := tx.TestEvents(ctx, accountID, now.Add(-testWindow), now, testLimit)
	if err != nil || len(recent) < testLimit {
		return err
	}
	wait := typus.Ahead(recent[0].Add(testWindow), now, testWindow)
	return clerk.TooMany(wait, "at most %d test events a minute; wait %s", testLimit, wait.Round(time.Second))
}

func (s *Steps) addTest(ctx context.Context, tx *store.Tx, account typus.Account, endpointID int64, externalID, delivery string, now time.Time) error {
	payload, err := s.testPayload(account, externalID, now)
	if err != nil {
		return err
	}
	return tx.AddTestEvent(ctx, typus.Event{
		ID: webhook.NewEventID(now), AccountID: account.ID, Type: typus.EventCandidateCompleted, OccurredAt: now, Payload: payload,
	}, endpointID, delivery)
}

// ExamplePayload is what a test event to a webhook of the account would carry
// now.
func (s *Steps) ExamplePayload(a typus.Account) ([]byte, error) {
	return s.testPayload(a, webhook.TestCandidate.ExternalID, s.now())
}

func (s *Steps) testPayload(a typus.Account, externalID string, at time.Time) ([]byte, error) {
	result, _, err := s.Sample(a)
	if err != nil {
		return nil, err
	}
	return webhook.TestPayload(result.Scores(), externalID, s.links.Report(webhook.TestCandidate.ID), a.WorldTime(at))
}

// Sample is what a test event reports, with the real names and keys of this version's
// scores: always the same answers, compared with the account's role profile, or with the
// test's first one where the account's is its own.
func (s *Steps) Sample(a typus.Account) (instrument.Result, instrument.Role, error) {
	role, known := s.instrument.Role(a.RoleProfile)
	if !known {
		role = s.instrument.Roles()[0]
	}
	result, err := s.instrument.Score(s.sampleSheet(), role.Key)
	return result, role, err
}

func (s *Steps) sampleSheet() instrument.Sheet {
	points := len(s.instrument.Labels(s.instrument.Languages()[0]))
	sheet := s.instrument.NewSheet()
	for i, item := range s.instrument.Items() {
		value := 3 + i*7%3
		switch {
		case item.Type == instrument.Instructed:
			value = item.Expect
		case item.Minus:
			value = points + 1 - value
		}
		sheet.Answers[i] = instrument.Answer{Value: value, ActiveMS: 4000 + 137*(i%23)}
	}
	return sheet
}
