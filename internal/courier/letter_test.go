package courier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/web/logtest"
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

// The candidate of a position is written to as its settings say, that of none as the
// account's do.
func TestLettersSayForWhomThePositionLooks(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		var p int64
		w.tx(func(tx *store.Tx) (err error) {
			p, err = tx.AddPosition(t.Context(), typus.Position{
				AccountID: w.account, Name: "Süd", State: typus.PositionOpen, Reminders: typus.RemindersOfAccount, CreatedAt: time.Now(),
				ClientKind: typus.ClientNamed, ClientName: "Beispiel AG",
			})
			if err != nil {
				return err
			}
			return tx.SetPositionOwnTerms(t.Context(), w.account, p, typus.OwnResultTerms{Policy: typus.OwnResultAtOnce})
		})
		plain, hired := w.candidate("Otto Muster", "otto@example.com"), w.candidateOf(p, "Anna Beispiel", "anna@example.com", nil)
		c := w.courier(nil, nil)
		for _, kind := range []typus.LetterKind{typus.LetterInvitation, typus.LetterReminder, typus.LetterReceipt} {
			for id, says := range map[int64]bool{plain: false, hired: true} {
				m, err := c.message(t.Context(), typus.Letter{AccountID: w.account, CandidateID: id, Kind: kind, Language: "de"})
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(m.Text, "Demo GmbH sucht im Auftrag von Beispiel AG Menschen für Aufgaben im Vertrieb.") != says {
					t.Errorf("%s to candidate %d:\n%s", kind, id, m.Text)
				}
				if kind == typus.LetterReceipt && strings.Contains(m.Text, "Ihr Ergebnis können Sie hier ansehen") != says {
					t.Errorf("the terms of the position are not those of the receipt:\n%s", m.Text)
				}
			}
		}
	})
}

// The server refuses the first attempt, keeps the second and hangs up before
// saying so, and takes the third: the candidate's mail program gets two letters
// and can tell that they are one.
func TestALetterThatGoesOutAgainHasTheSameMessageID(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		calls := 0
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Confirm = func(n int) string { return map[bool]string{false: "250 2.0.0 kept"}[n == 1] }
			s.Reply = func(string) string {
				if calls++; calls == 1 {
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
		got := sink.Envelopes()
		if l.Attempts != 3 || l.LastError != "" || len(got) != 2 {
			t.Fatalf("%+v, %d envelopes, want 3 attempts and 2 envelopes", l, len(got))
		}
		want := fmt.Sprintf("<letter-%d.%d@typus.example.com>", l.ID, l.CreatedAt.UnixMilli())
		for n, e := range got {
			if head, _ := w.read(e); head.Get("Message-Id") != want {
				t.Errorf("letter %d has the Message-ID %s, want %s", n+1, head.Get("Message-Id"), want)
			}
		}
	})
}

// What has been written back before a crash is not sent again, so every outcome
// is written back at once, not at the end of the conversation.
func TestEachLetterIsWrittenBackBeforeTheNextOneGoesOut(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		const letters = 5
		w := newWorld(t, s, nil)
		ids := map[string]int64{}
		for n := range letters {
			to := fmt.Sprintf("person-%d@example.com", n)
			ids[to] = w.candidate("Anna", to)
			w.invite(ids[to])
		}
		sent := func() int {
			n := 0
			for _, id := range ids {
				l, err := s.LastLetter(context.Background(), w.account, id, typus.LetterInvitation)
				if err == nil && l.State == typus.LetterSent {
					n++
				}
			}
			return n
		}
		var before []int
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Reply = func(string) string { before = append(before, sent()); return "" }
		})
		c := w.courier(w.smtp(sink), nil)
		claimed, err := s.ClaimLetters(t.Context(), store.Claim{Owner: c.owner, Lease: time.Hour, Limit: letters})
		if err != nil || len(claimed) != letters {
			t.Fatalf("%v, %v", claimed, err)
		}
		c.send(t.Context(), claimed, time.Now().Add(time.Hour))
		if !slices.Equal(before, []int{0, 1, 2, 3, 4}) || sent() != letters {
			t.Errorf("when each letter was named, so many were written back: %v, and %d at the end", before, sent())
		}
		if n := sink.Connections(); n != 1 {
			t.Errorf("%d connections, want 1", n)
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

func TestALetterThatCannotBeWrittenIsTriedAgainWithoutEndAndDoesNotStopTheOthers(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		sealedElsewhere, fine := w.candidateWith("Otto", "otto@example.com", []byte("not sealed by us")), w.candidate("Anna", "anna@example.com")
		w.invite(sealedElsewhere)
		w.invite(fine)
		stop := start(w.courier(w.smtp(sink), nil))
		w.letterBecomes(fine, typus.LetterSent)
		w.eventually("the other one was tried thirty times", func() bool { return w.letter(sealedElsewhere).Attempts >= 30 })
		stop()
		l := w.letter(sealedElsewhere)
		if l.State != typus.LetterQueued || l.LastError != "a stored secret is cut short" {
			t.Errorf("%+v, want it queued, with the reason", l)
		}
		if log := w.logs.String(); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "a stored secret is cut short") || strings.Contains(log, "otto") {
			t.Errorf("the log does not say why:\n%.2000s", log)
		}
		w.tx(func(tx *store.Tx) error {
			_, err := tx.CancelCandidate(t.Context(), w.account, sealedElsewhere, time.Now())
			return err
		})
		stop = start(w.courier(w.smtp(sink), nil))
		w.letterBecomes(sealedElsewhere, typus.LetterHeld)
		stop()
	})
}

// The words of the network are the operator's business: they stand in the log,
// while customers read what it means.
func TestAServerThatCannotBeReachedIsLoggedWithItsCauseAndShownWithout(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		mailer, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://mail.invalid", From: "typus@mail.example.com", Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "mail.invalid", Server: "192.0.2.53:53"}}
		}})
		if err != nil {
			t.Fatal(err)
		}
		stop := start(w.courier(mailer, func(c *Courier) { c.pace = usualPace() }))
		w.eventually("the attempt is over", func() bool { l := w.letter(id); return l.State == typus.LetterQueued && l.Attempts == 1 })
		stop()
		if l := w.letter(id); l.LastError != "the mail server cannot be reached" || l.LastCode != 0 {
			t.Errorf("%+v", l)
		}
		log := w.logs.String()
		for _, part := range []string{"level=WARN", "letter attempted", `error="the mail server cannot be reached: dial tcp: lookup mail.invalid on 192.0.2.53:53: no such host"`} {
			if !strings.Contains(log, part) {
				t.Errorf("the log lacks %q:\n%s", part, log)
			}
		}
		if strings.Contains(log, "anna") || strings.Contains(log, "Anna") {
			t.Errorf("the log names a person:\n%s", log)
		}
	})
}

func TestARefusedLoginIsLoggedWithTheServersWords(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, func(s *smtptest.Server) { s.Login = "typus geheim" })
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		mailer, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://typus:falsch@" + sink.Addr, From: "typus@mail.example.com"})
		if err != nil {
			t.Fatal(err)
		}
		stop := start(w.courier(mailer, func(c *Courier) { c.pace = usualPace() }))
		w.eventually("the attempt is over", func() bool { l := w.letter(id); return l.State == typus.LetterQueued && l.Attempts == 1 })
		stop()
		const want = "the mail server refused the login: 535 5.7.8 authentication failed"
		if l := w.letter(id); l.LastError != want || l.LastCode != 535 {
			t.Errorf("%+v", l)
		}
		if log := w.logs.String(); !strings.Contains(log, "level=WARN") || !strings.Contains(log, want) || strings.Contains(log, "falsch") {
			t.Errorf("the log:\n%s", log)
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

func (brokenMailer) Send(_ context.Context, _ []mail.Message, _ func(int) error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		yield(0, nil)
		panic("broken")
	}
}

func TestAPanicOfTheMailerPutsOffTheLettersThatHadNoOutcome(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		fine, id := w.candidate("Otto", "otto@example.com"), w.candidate("Anna", "anna@example.com")
		w.invite(fine)
		w.invite(id)
		stop := start(w.courier(brokenMailer{}, func(c *Courier) { c.pace = usualPace() }))
		w.eventually("the attempt is over", func() bool { l := w.letter(id); return l.State == typus.LetterQueued && l.Attempts == 1 })
		stop()
		if l := w.letter(id); time.Until(l.NextAttemptAt) < 30*time.Second || l.LastError == "" {
			t.Errorf("%+v", l)
		}
		if l := w.letter(fine); l.State != typus.LetterSent {
			t.Errorf("the one that was accepted: %+v", l)
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
		letters, err := s.ClaimLetters(t.Context(), store.Claim{Owner: c.owner, Lease: time.Hour, Limit: 10})
		if err != nil || len(letters) != 2 {
			t.Fatalf("%v, %v", letters, err)
		}
		go func() { <-reached; cut() }()
		c.send(ctx, letters, time.Now().Add(time.Hour))
		c.release(t.Context())
		if a, b := w.letter(fine), w.letter(hangs); a.State != typus.LetterSent || b.State != typus.LetterQueued || b.NextAttemptAt.After(time.Now().Add(time.Second)) {
			t.Errorf("%+v\n%+v", a, b)
		}
	})
}

func TestATemporaryFailureNeverEndsALetter(t *testing.T) {
	w := &world{t: t, logs: new(logtest.Log)}
	for _, err := range []error{
		&mail.SendError{Code: 451, Temporary: true, Reason: "later"},
		&mail.SendError{Temporary: true, Session: true, Reason: "the mail server cannot be reached", Cause: io.EOF},
		typus.Errorf(typus.Unavailable, "the database is busy"),
		errors.New("a fault of ours"),
	} {
		c := w.courier(nil, func(c *Courier) {
			c.pace = usualPace()
			c.random = func() float64 { return 0.5 }
		})
		want := []time.Duration{63 * time.Second, 315 * time.Second, 945 * time.Second, 63 * time.Minute, 252 * time.Minute}
		var l typus.Letter
		for range 1000 {
			l.Attempts++
			var wait time.Duration
			if l, wait = c.settleLetter(l, err); l.State != typus.LetterQueued || wait != want[min(l.Attempts, len(want))-1] {
				t.Fatalf("%v: after attempt %d the letter is %s and waits %v", err, l.Attempts, l.State, wait)
			}
		}
	}
	l, wait := w.courier(nil, nil).settleLetter(typus.Letter{Attempts: 1}, &mail.SendError{Code: 550, Reason: "no such mailbox"})
	if l.State != typus.LetterFailed || wait != 0 || l.LastCode != 550 || l.LastError != "no such mailbox" {
		t.Errorf("a refusal for good leaves %+v", l)
	}
}

func TestAReasonNeverHoldsADriversWords(t *testing.T) {
	const ours = "this server could not write or send the letter; its log says why"
	cause := errors.New("pq: password authentication failed")
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("read: %w", typus.Errorf(typus.Unavailable, "try again later").WithCause(cause)), "try again later"},
		{&mail.SendError{Reason: "the mail server cannot be reached", Cause: cause}, "the mail server cannot be reached"},
		{unwanted("not sent: the test is finished"), "not sent: the test is finished"},
		{cause, ours},
		{fmt.Errorf("seal: %w", cause), ours},
	} {
		if got := reason(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

func TestWithoutALogTheUsualOneIsTaken(t *testing.T) {
	if New(Options{}).log != slog.Default() {
		t.Error("the log is not slog's own")
	}
}

type mailerFunc func(ctx context.Context, msgs []mail.Message) []error

func (f mailerFunc) Send(ctx context.Context, msgs []mail.Message, _ func(int) error) iter.Seq2[int, error] {
	return slices.All(f(ctx, msgs))
}

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
func (w *world) candidateWith(name, email string, sealed []byte) int64 {
	return w.candidateOf(0, name, email, sealed)
}

// candidateOf is candidateWith for a position.
func (w *world) candidateOf(position int64, name, email string, sealed []byte) (id int64) {
	w.t.Helper()
	w.hashes++
	hash := fmt.Sprintf("%064d", w.hashes)
	if sealed == nil {
		sealed = w.box.Seal([]byte(token), typus.Candidate{TokenHash: hash}.TokenAAD())
	}
	w.tx(func(tx *store.Tx) error {
		var err error
		id, _, err = tx.AddCandidate(w.t.Context(), store.NewCandidate{Candidate: typus.Candidate{
			AccountID: w.account, Name: name, Email: email, Status: typus.StatusOpen, Language: "de", RoleProfile: "general_sales",
			CreatedAt: time.Now(), ExpiresAt: time.Now().Add(30 * 24 * time.Hour), SealedToken: sealed, TokenHash: hash, PositionID: position,
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
