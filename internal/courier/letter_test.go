package courier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

const token = "4fzyo82mvyr8hxsfYbcQ1pWk3nTa9LdE"

func TestAnInvitationReachesTheCandidateWithItsLink(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		id := w.candidate("Anna Beispiel", "anna@example.com")
		w.invite(id)
		stop := start(w.courier(w.smtp(sink), nil))
		l := w.letterBecomes(id, typus.LetterSent)
		stop()

		got := sink.Envelopes()
		if len(got) != 1 || got[0].To[0] != "anna@example.com" {
			t.Fatalf("envelopes: %v", got)
		}
		head, body := w.read(got[0])
		for _, part := range []string{"https://typus.example.com/t/" + token, "Guten Tag Anna Beispiel", "chef@example.com"} {
			if !strings.Contains(body, part) {
				t.Errorf("the letter lacks %q", part)
			}
		}
		if want := fmt.Sprintf("<letter-%d.%d@typus.example.com>", l.ID, l.CreatedAt.UnixMilli()); head.Get("Message-Id") != want {
			t.Errorf("Message-ID %s, want %s", head.Get("Message-Id"), want)
		}
		if !strings.Contains(head.Get("From"), "Demo GmbH") || !strings.Contains(head.Get("Reply-To"), "chef@example.com") {
			t.Errorf("From %s, Reply-To %s", head.Get("From"), head.Get("Reply-To"))
		}
		if l.Attempts != 1 || l.SentAt.IsZero() || l.LastCode != 250 {
			t.Errorf("%+v", l)
		}
		for _, private := range []string{"anna", "Anna", token} {
			if strings.Contains(w.logs.String(), private) {
				t.Errorf("the log holds %q:\n%s", private, w.logs)
			}
		}
	})
}

func TestALetterPutOffIsAcceptedLaterUnderTheSameMessageID(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		calls := 0
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Reply = func(string) string {
				if calls++; calls < 3 {
					return "451 4.7.1 greylisted, come back"
				}
				return ""
			}
		})
		id := w.candidate("Anna Beispiel", "anna@example.com")
		w.invite(id)
		stop := start(w.courier(w.smtp(sink), nil))
		l := w.letterBecomes(id, typus.LetterSent)
		stop()
		if l.Attempts != 3 || l.LastError != "" || len(sink.Envelopes()) != 1 {
			t.Errorf("%+v, %d envelopes", l, len(sink.Envelopes()))
		}
	})
}

func TestARefusedLetterFailsForGoodWithTheServersWords(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Reply = func(to string) string {
				if to == "gone@example.com" {
					return "550 5.1.1 no such mailbox"
				}
				return ""
			}
		})
		gone, fine := w.candidate("Otto", "gone@example.com"), w.candidate("Anna", "anna@example.com")
		w.invite(gone)
		w.invite(fine)
		stop := start(w.courier(w.smtp(sink), nil))
		w.letterBecomes(fine, typus.LetterSent)
		l := w.letterBecomes(gone, typus.LetterFailed)
		stop()
		if l.LastCode != 550 || !strings.Contains(l.LastError, "no such mailbox") || l.Attempts != 1 {
			t.Errorf("%+v", l)
		}
		if strings.Contains(w.logs.String(), "mailbox") {
			t.Errorf("the log holds the server's words:\n%s", w.logs)
		}
	})
}

func TestWithoutAMailServerLettersStayInTheOutbox(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		r := newReceiver(t, nil)
		w.endpoint(r.url)
		e := w.event(1)
		stop := start(w.courier(nil, nil))
		w.until(e, typus.DeliveryDelivered) // the courier is at work
		stop()
		if l := w.letter(id); l.State != typus.LetterQueued || l.Attempts != 0 {
			t.Errorf("%+v", l)
		}
		sink := smtptest.Start(t, nil)
		stop = start(w.courier(w.smtp(sink), nil))
		w.letterBecomes(id, typus.LetterSent)
		stop()
	})
}

func TestALetterThatIsNoLongerWantedIsHeldWithTheReason(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		now := time.Now()
		held := map[string]int64{}
		for word, step := range map[string]func(tx *store.Tx, id int64) error{
			"cancelled": func(tx *store.Tx, id int64) error {
				_, err := tx.CancelCandidate(t.Context(), w.account, id, now)
				return err
			},
			"does not want": func(tx *store.Tx, id int64) error {
				_, err := tx.DeclineCandidate(t.Context(), w.account, id, now)
				return err
			},
			"expired": func(tx *store.Tx, id int64) error {
				return tx.ExtendCandidate(t.Context(), w.account, id, now.Add(-time.Hour))
			},
			"finished": func(tx *store.Tx, id int64) error {
				if _, err := tx.BeginCandidate(t.Context(), w.account, id, typus.Notice{Version: "1", Language: "de", At: now}, "test@1", now); err != nil {
					return err
				}
				_, err := tx.FinishCandidate(t.Context(), w.account, id, typus.Scores{Warnings: []typus.Warning{}}, now)
				return err
			},
		} {
			id := w.candidate("Anna", "anna@example.com")
			w.invite(id)
			w.tx(func(tx *store.Tx) error { return step(tx, id) })
			held[word] = id
		}
		stop := start(w.courier(w.smtp(sink), nil))
		for word, id := range held {
			if l := w.letterBecomes(id, typus.LetterHeld); !strings.Contains(l.LastError, word) {
				t.Errorf("%s: %q", word, l.LastError)
			}
		}
		stop()
		if n := len(sink.Envelopes()); n != 0 {
			t.Errorf("%d letters went out", n)
		}
	})
}

func TestALetterThatCannotBeWrittenIsTriedAgainAndDoesNotStopTheOthers(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		sealedElsewhere, fine := w.candidateWith("Otto", "otto@example.com", []byte("not sealed by us")), w.candidate("Anna", "anna@example.com")
		w.invite(sealedElsewhere)
		w.invite(fine)
		stop := start(w.courier(w.smtp(sink), nil))
		w.letterBecomes(fine, typus.LetterSent)
		l := w.letterBecomes(sealedElsewhere, typus.LetterFailed)
		stop()
		if l.Attempts != letterAttempts || l.LastError == "" {
			t.Errorf("%+v, want failed after %d attempts", l, letterAttempts)
		}
	})
}

func TestOwnersHearOfTheirCredits(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		w.tx(func(tx *store.Tx) error {
			_, err := tx.BookCredit(t.Context(), typus.CreditEntry{AccountID: w.account, Delta: 5, Reason: typus.ReasonGrant, Actor: "operator", CreatedAt: time.Now()})
			return err
		})
		for _, kind := range []typus.LetterKind{typus.LetterCreditsLow, typus.LetterCreditsEmpty} {
			w.tx(func(tx *store.Tx) error {
				_, err := tx.AddLetter(t.Context(), typus.Letter{AccountID: w.account, Kind: kind, Language: "en", To: "owner@example.com", CreatedAt: time.Now()})
				return err
			})
		}
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("one letter is sent and the untrue one is held", func() bool {
			list, err := s.Letters(t.Context(), w.account, 10)
			if err != nil {
				t.Fatal(err)
			}
			return list[1].State == typus.LetterSent && list[0].State == typus.LetterHeld
		})
		stop()
		got := sink.Envelopes()
		if len(got) != 1 || got[0].To[0] != "owner@example.com" {
			t.Fatalf("envelopes: %v", got)
		}
		if _, body := w.read(got[0]); !strings.Contains(body, "has 5 credits left") {
			t.Errorf("the letter says:\n%s", body)
		}
	})
}

// A mailer that breaks off, as a library might.
type brokenMailer struct{}

func (brokenMailer) Send(context.Context, []mail.Message) []error { panic("broken") }

func TestAPanicOfTheMailerPutsTheLettersOff(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		stop := start(w.courier(brokenMailer{}, func(c *Courier) { c.pace = usualPace() }))
		w.eventually("the attempt is over", func() bool { l := w.letter(id); return l.State == typus.LetterQueued && l.Attempts == 1 })
		stop()
		if l := w.letter(id); time.Until(l.NextAttemptAt) < 30*time.Second || l.LastError == "" {
			t.Errorf("%+v", l)
		}
	})
}

// The stop cuts a conversation that hangs; the letter is due at once for the
// next instance, and a letter that was accepted before is not sent again.
func TestAStopGivesBackTheLettersThatWereNotAccepted(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		fine, hangs := w.candidate("Anna", "anna@example.com"), w.candidate("Otto", "otto@example.com")
		w.invite(fine)
		w.invite(hangs)
		reached := make(chan struct{})
		mailer := mailerFunc(func(ctx context.Context, msgs []mail.Message) []error {
			close(reached)
			<-ctx.Done()
			return []error{nil, &mail.SendError{Temporary: true, Reason: "cut"}}
		})
		c := w.courier(mailer, nil)
		ctx, cut := context.WithCancel(t.Context())
		letters, err := s.ClaimLetters(t.Context(), c.owner, time.Hour, 10)
		if err != nil || len(letters) != 2 {
			t.Fatalf("%v, %v", letters, err)
		}
		go func() { <-reached; cut() }()
		c.send(ctx, letters)
		c.release(t.Context())
		if a, b := w.letter(fine), w.letter(hangs); a.State != typus.LetterSent || b.State != typus.LetterQueued || b.NextAttemptAt.After(time.Now().Add(time.Second)) {
			t.Errorf("%+v\n%+v", a, b)
		}
	})
}

func TestTheWaitsBetweenAttemptsReachOverTwoDays(t *testing.T) {
	w := &world{t: t, logs: newLog()}
	c := w.courier(nil, func(c *Courier) { c.pace = usualPace() })
	var l typus.Letter
	var total time.Duration
	for l.State != typus.LetterFailed {
		l.Attempts++
		var wait time.Duration
		l, wait = c.settleLetter(l, &mail.SendError{Code: 451, Temporary: true, Reason: "later"})
		total += wait
		if l.State == typus.LetterFailed && wait != 0 {
			t.Errorf("a failed letter waits %v", wait)
		}
	}
	if total < 48*time.Hour || total > 52*time.Hour || l.LastCode != 451 || l.LastError != "later" {
		t.Errorf("%d attempts over %v, %+v", l.Attempts, total, l)
	}
}

func TestAReasonNeverHoldsADriversWords(t *testing.T) {
	err := typus.Errorf(typus.Unavailable, "try again later").WithCause(errors.New("pq: password authentication failed"))
	if got := reason(fmt.Errorf("read: %w", err)); got != "try again later" {
		t.Errorf("got %q", got)
	}
}

type mailerFunc func(ctx context.Context, msgs []mail.Message) []error

func (f mailerFunc) Send(ctx context.Context, msgs []mail.Message) []error { return f(ctx, msgs) }

func (w *world) smtp(sink *smtptest.Server) *mail.SMTP {
	w.t.Helper()
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: sink.URL(), From: "Typus <typus@mail.example.com>"})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) candidate(name, email string) int64 { return w.candidateWith(name, email, nil) }

// candidateWith takes the sealed token as given; nil seals the usual one.
func (w *world) candidateWith(name, email string, sealed []byte) (id int64) {
	w.t.Helper()
	w.hashes++
	hash := fmt.Sprintf("%064d", w.hashes)
	if sealed == nil {
		sealed = w.box.Seal([]byte(token), "candidate_token|"+hash)
	}
	w.tx(func(tx *store.Tx) error {
		var err error
		id, _, err = tx.AddCandidate(w.t.Context(), store.NewCandidate{Candidate: typus.Candidate{
			AccountID: w.account, Name: name, Email: email, Status: typus.StatusOpen, Language: "de", RoleProfile: "general_sales",
			CreatedAt: time.Now(), ExpiresAt: time.Now().Add(30 * 24 * time.Hour), SealedToken: sealed, TokenHash: hash,
		}})
		return err
	})
	return id
}

func (w *world) invite(candidate int64) {
	w.t.Helper()
	w.tx(func(tx *store.Tx) error {
		_, err := tx.AddLetter(w.t.Context(), typus.Letter{
			AccountID: w.account, CandidateID: candidate, Kind: typus.LetterInvitation, Language: "de", To: "outdated@example.com", CreatedAt: time.Now(),
		})
		return err
	})
}

func (w *world) letter(candidate int64) typus.Letter {
	w.t.Helper()
	l, err := w.store.LastLetter(w.t.Context(), w.account, candidate, typus.LetterInvitation)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

func (w *world) letterBecomes(candidate int64, state typus.LetterState) typus.Letter {
	w.t.Helper()
	var l typus.Letter
	w.eventually("the letter is "+string(state), func() bool {
		l = w.letter(candidate)
		return l.State == state
	})
	return l
}

// read returns the header of a message and its text with the transfer encoding undone.
func (w *world) read(e smtptest.Envelope) (netmail.Header, string) {
	w.t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(string(e.Data)))
	if err != nil {
		w.t.Fatal(err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		w.t.Fatal(err)
	}
	return m.Header, string(body)
}
