package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/instrument"
	"typus/internal/mail"
	"typus/internal/store"
	"typus/internal/webhook"
)

// month makes the demo's past: an account as it looks after some weeks of use. It takes
// the real steps in the order of time, with a clock of its own. In between it does what
// a server does: it brings letters and webhooks, sends reminders, and notes what has
// run out.
type month struct {
	steps    *assess.Steps
	access   *access.Steps
	accounts *accounts.Steps
	clerk    *clerk.Clerk
	store    *store.Store
	test     *instrument.Instrument
	account  int64
	hook     string // the address of the demo's receiver

	at     time.Time // the clock that the steps and the store see
	now    time.Time // where the past ends
	agenda []task    // in the order of time

	petra, lars, nina, iris typus.Actor
	password                string            // Petra's
	passwords               map[string]string // of those she hired, by address
	key                     string            // of the API, and its id
	keyID                   int64
	secret                  string // of the webhook
	letters                 postman
	brought                 int   // attempts at webhooks
	blind                   bool  // interviews are without prior knowledge
	field                   int64 // the position in field sales
	decided                 int64 // the candidate whom the team decided about
}

// task is something that happened at a time.
type task struct {
	at time.Time
	do func(context.Context) error
}

// beat is how often the past's server looks for reminders and expiries.
const beat = 2 * time.Hour

// forever is a time that no task has.
var forever = time.Unix(1<<40, 0)

// plan puts something on the agenda, after what happens at the same time.
func (m *month) plan(at time.Time, do func(context.Context) error) {
	i, _ := slices.BinarySearchFunc(m.agenda, at, func(t task, at time.Time) int {
		if t.at.After(at) {
			return 1
		}
		return -1
	})
	m.agenda = slices.Insert(m.agenda, i, task{at, do})
}

// live goes through the time up to now. What is due earlier than the next task, a
// letter or a delivery, comes first.
func (m *month) live(ctx context.Context) error {
	for t := m.agenda[0].at.Add(beat); t.Before(m.now); t = t.Add(beat) {
		m.plan(t, m.look)
	}
	m.plan(m.now, m.look)
	for len(m.agenda) > 0 {
		if err := m.bring(ctx, m.agenda[0].at); err != nil {
			return m.fault(err)
		}
		next := m.agenda[0]
		m.agenda = m.agenda[1:]
		if next.at.After(m.at) {
			m.at = next.at
		}
		if err := next.do(ctx); err != nil {
			return m.fault(err)
		}
	}
	return m.bring(ctx, m.now.Add(time.Second))
}

func (m *month) fault(err error) error {
	return fmt.Errorf("the demo's past, %s: %w", m.at.Format(time.RFC3339), err)
}

// look does the chores of a server.
func (m *month) look(ctx context.Context) error {
	return errors.Join(m.steps.RemindDue(ctx, m.at), m.steps.ExpireDue(ctx, m.at))
}

// bring takes the letters and webhooks that are due before the given time to
// their recipients, each at its time.
func (m *month) bring(ctx context.Context, until time.Time) error {
	for {
		letter, err := due(ctx, m.at, m.store.NextLetter)
		if err != nil {
			return err
		}
		delivery, err := due(ctx, m.at, func(ctx context.Context) (time.Duration, bool, error) { return m.store.NextDelivery(ctx) })
		if err != nil {
			return err
		}
		switch {
		case !letter.Before(until) && !delivery.Before(until):
			return nil
		case letter.Before(delivery):
			m.at = letter
			err = m.bringLetters(ctx)
		default:
			m.at = delivery
			err = m.deliver(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// due is when something is due, forever when nothing waits.
func due(ctx context.Context, at time.Time, next func(context.Context) (time.Duration, bool, error)) (time.Time, error) {
	wait, waits, err := next(ctx)
	if err != nil || !waits {
		return forever, err
	}
	return at.Add(wait), nil
}

// postman knows which addresses of the past were trouble.
type postman struct {
	unknown map[string]bool // no such mailbox
	slow    map[string]bool // the mail server there asks to come again
}

// What the mail servers of the past said, as a server keeps it.
const (
	saidUnknown = "the mail server refused the recipient: 550 5.1.1 no such mailbox here"
	saidLater   = "the mail server refused the recipient: 451 4.7.1 greylisted, please try again later"
)

// bringLetters brings the letters that are due.
func (m *month) bringLetters(ctx context.Context) error {
	letters, err := m.store.ClaimLetters(ctx, store.Claim{Owner: "demo", Lease: time.Minute, Limit: 50})
	if err != nil {
		return err
	}
	for _, l := range letters {
		l, again, err := m.outcome(ctx, l)
		if err != nil {
			return err
		}
		if _, err := m.store.FinishLetter(ctx, "demo", l, again); err != nil {
			return err
		}
	}
	return nil
}

// outcome is what became of a letter and, if it is tried again, the wait.
func (m *month) outcome(ctx context.Context, l typus.Letter) (typus.Letter, time.Duration, error) {
	if l.Kind == typus.LetterInvitation {
		c, err := m.store.Candidate(ctx, l.AccountID, l.CandidateID)
		if err != nil {
			return l, 0, err
		}
		if !c.CancelledAt.IsZero() {
			l.State, l.LastCode, l.LastError = typus.LetterHeld, 0, typus.NotSentCancelled
			return l, 0, nil
		}
	}
	switch {
	case m.letters.unknown[l.To]:
		l.State, l.LastCode, l.LastError = typus.LetterFailed, 550, saidUnknown
	case m.letters.slow[l.To]:
		l.State, l.LastCode, l.LastError = typus.LetterQueued, 451, saidLater
		return l, mail.Backoff(l.Attempts, func() float64 { return 0 }), nil
	default:
		l.State, l.LastCode = typus.LetterSent, 250
	}
	return l, 0, nil
}

// deliver brings the webhooks that are due. The receiver of the past was away now
// and then: some arrive with the second attempt.
func (m *month) deliver(ctx context.Context) error {
	claimed, err := m.store.ClaimDeliveries(ctx, "demo", time.Minute, 50)
	if err != nil {
		return err
	}
	for _, c := range claimed {
		attempt := typus.Attempt{
			N: c.Delivery.Attempt, StartedAt: m.at, Duration: time.Duration(38+c.Delivery.Attempt*9) * time.Millisecond,
			URL: c.Endpoint.URL, RemoteIP: "127.0.0.1", HTTPStatus: 204, ResponseHead: "HTTP/1.1 204 No Content", Outcome: webhook.OutcomeDelivered,
		}
		if m.brought++; m.brought%9 == 5 && c.Delivery.Failures == 0 {
			attempt.HTTPStatus, attempt.ErrorCode, attempt.Outcome = 503, webhook.Code5xx, webhook.OutcomeFailed
			attempt.ResponseHead = "HTTP/1.1 503 Service Unavailable"
		}
		result := webhook.Result{
			Outcome: webhook.Outcome{Attempt: attempt, Delivered: attempt.HTTPStatus == 204},
			Wait:    webhook.Backoff(1, 0, func() float64 { return 0.5 }),
		}
		_, err := m.store.FinishAttempt(ctx, "demo", c.Delivery, attempt, func(e typus.Endpoint, d typus.Delivery, _ bool, now time.Time) typus.Verdict {
			return webhook.Judge(e, d, result, now)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
