package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/store"
)

// The demo's account had credits for these completed tests, and this many are left.
const (
	demoFinished = 25
	demoCredits  = 25
)

// stage is how far a fictitious candidate has come.
type stage struct {
	count   int
	answers int  // of 97; all of them: handed in
	begun   bool // the test was begun
	expired bool // invited so long ago that the link has run out
	then    func(m *month, ctx context.Context, c typus.Candidate) error
}

// month makes the demo's past: an account as it looks after a few weeks of use.
// It walks the real steps, with a clock of its own.
type month struct {
	steps   *assess.Steps
	store   *store.Store
	test    *instrument.Instrument
	account int64
	at      time.Time // the clock the steps see
}

// live invites sixty people over the last weeks and leads each to a stage.
func (m *month) live(ctx context.Context, now time.Time) error {
	items := len(m.test.Items())
	stages := []stage{
		{count: demoFinished, answers: items, begun: true},
		{count: 5, answers: 0, expired: true},
		{count: 3, answers: 40, begun: true, expired: true},
		{count: 7, answers: 58, begun: true},
		{count: 2, then: (*month).cancel},
		{count: 2, then: (*month).decline},
		{count: 16},
	}
	person := 0
	for _, s := range stages {
		for i := range s.count {
			m.at = now.Add(-time.Duration(20*24-person*7) * time.Hour)
			if s.expired {
				m.at = now.Add(-time.Duration(32*24+i*5) * time.Hour)
			}
			if err := m.lead(ctx, person, s); err != nil {
				return fmt.Errorf("the demo's past: %w", err)
			}
			person++
		}
	}
	return nil
}

func (m *month) lead(ctx context.Context, person int, s stage) error {
	name, email := fictitious(person)
	invited, _, err := m.steps.Invite(ctx, m.account, assess.Invitation{
		Name: name, Email: email, ExternalID: fmt.Sprintf("crm-%d", 1001+person),
	}, nil)
	if err != nil {
		return err
	}
	if err := m.post(ctx); err != nil {
		return err
	}
	if s.begun {
		m.at = m.at.Add(5 * time.Hour)
		notice := typus.Notice{Version: "demo", Language: "de", At: m.at}
		if err := m.steps.Begin(ctx, invited.Token, notice, "The demo's past; no candidate read a notice."); err != nil {
			return err
		}
		if err := m.answer(ctx, invited.Token, person, s.answers); err != nil {
			return err
		}
	}
	if s.answers == len(m.test.Items()) {
		if err := m.steps.Finish(ctx, invited.Token); err != nil {
			return err
		}
		return m.post(ctx)
	}
	if s.then != nil {
		m.at = m.at.Add(20 * time.Hour)
		return s.then(m, ctx, invited.Candidate)
	}
	return nil
}

// post brings the letters that are due by the past's clock: all arrive but those
// to one person, whose address has a slip in it.
func (m *month) post(ctx context.Context) error {
	then := store.Past(ctx, m.at.Add(time.Second))
	letters, err := m.store.ClaimLetters(then, store.Claim{Owner: "demo", Lease: time.Minute, Limit: 50})
	for _, l := range letters {
		l.State, l.LastCode = typus.LetterSent, 250
		if strings.HasPrefix(l.To, demoUnreachable) {
			l.State, l.LastCode, l.LastError = typus.LetterFailed, 550, "550 5.1.1 no such mailbox here"
		}
		if err == nil {
			_, err = m.store.FinishLetter(then, "demo", l, 0)
		}
	}
	return err
}

// answer saves a person's answers one by one, at the pace they were thought over.
func (m *month) answer(ctx context.Context, token string, person, count int) error {
	for _, g := range plausible(m.test, uint64(person))[:count] {
		m.at = m.at.Add(time.Duration(g.ActiveMS+400) * time.Millisecond)
		if _, err := m.steps.Answer(ctx, token, []assess.Given{g}); err != nil {
			return err
		}
	}
	return nil
}

func (m *month) cancel(ctx context.Context, c typus.Candidate) error {
	return m.steps.Cancel(ctx, m.account, c.ID, typus.Actor{Name: operator})
}

func (m *month) decline(ctx context.Context, c typus.Candidate) error {
	token, err := m.steps.Token(c)
	if err != nil {
		return err
	}
	return m.steps.Decline(ctx, token)
}

var (
	demoFirst = []string{"Jana", "Mehmet", "Lena", "Paweł", "Sofia", "Jonas", "Aylin", "David", "Klára", "Tomás", "Greta", "Noah"}
	demoLast  = []string{"Öztürk", "Müller", "Nowak", "Weiß", "Fernández"}
)

// demoUnreachable is how the address begins that no letter reaches.
const demoUnreachable = "greta.weiss"

// fictitious names a person who does not exist.
func fictitious(n int) (string, string) {
	first, last := demoFirst[n%len(demoFirst)], demoLast[n/len(demoFirst)%len(demoLast)]
	plain := strings.NewReplacer("Ö", "oe", "ü", "ue", "ß", "ss", "á", "a", "ł", "l").Replace
	return first + " " + last, strings.ToLower(plain(first)+"."+plain(last)) + "@example.com"
}
