package courier

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// hangsUp is a mail server that takes every message and hangs up without a word.
func hangsUp(s *smtptest.Server) { s.Confirm = func(int) string { return "" } }

// The courier starts again each day, and the candidate must not get a letter a day.
func TestAServerThatTakesTheTextAndHangsUpGetsALetterTwiceInThreeWeeks(t *testing.T) {
	simulate(t, internet{}, func(t *testing.T, w *world, run func(Mailer) func()) {
		sink := smtptest.New(t, hangsUp)
		mailer, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://localhost", From: "typus@mail.example.com", Dial: sink.Dial})
		if err != nil {
			t.Fatal(err)
		}
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		for range 21 {
			stop := run(mailer)
			time.Sleep(24 * time.Hour)
			stop()
		}
		if l := w.letter(id); l.State != typus.LetterUncertain || l.Attempts != 2 || l.LastError != "the mail server broke the connection off" || l.SentAt.IsZero() {
			t.Errorf("%+v", l)
		}
		got := sink.Envelopes()
		if len(got) != 2 {
			t.Fatalf("%d copies, want 2", len(got))
		}
		first, _ := w.read(got[0])
		if second, _ := w.read(got[1]); first.Get("Message-Id") != second.Get("Message-Id") {
			t.Errorf("the copies are called %s and %s", first.Get("Message-Id"), second.Get("Message-Id"))
		}
	})
}

// What a person sends again goes once, and not twice again.
func TestAnUncertainLetterGoesOnceMoreForEachTimeThatAPersonSaysSo(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		confirms := false
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Confirm = func(int) string { return map[bool]string{true: "250 2.0.0 kept"}[confirms] }
		})
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		run := func(state typus.LetterState, copies int) {
			t.Helper()
			stop := start(w.courier(w.smtp(sink), nil))
			l := w.letterBecomes(id, state)
			stop()
			if n := len(sink.Envelopes()); n != copies {
				t.Errorf("%d copies, want %d: %+v", n, copies, l)
			}
		}
		again := func() {
			w.tx(func(tx *store.Tx) error {
				queued, err := tx.RetryLetter(t.Context(), w.account, w.letter(id).ID, time.Now())
				if !queued {
					t.Error("it cannot be sent again")
				}
				return err
			})
		}
		run(typus.LetterUncertain, 2)
		again()
		run(typus.LetterUncertain, 3)
		again()
		confirms = true
		run(typus.LetterSent, 4)
	})
}

// An instance that dies after the server has taken the text leaves a letter that
// may have arrived, however often instances die; the next ones go on with the others.
func TestInstancesThatDieMakeTwoCopiesAtMost(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		first, second := w.candidate("Anna", "anna@example.com"), w.candidate("Otto", "otto@example.com")
		w.invite(first)
		w.invite(second)
		for range 21 {
			die(t, w, w.smtp(sink), 1)
			if _, err := s.SweepLetters(t.Context(), store.Ahead{Lease: letterLease, Again: mail.MaxBackoff}); err != nil {
				t.Fatal(err)
			}
		}
		copies := map[string]int{}
		for _, e := range sink.Envelopes() {
			copies[e.To[0]]++
		}
		if copies["anna@example.com"] != 2 || copies["otto@example.com"] != 2 {
			t.Errorf("copies %v, want two of each", copies)
		}
		for _, id := range []int64{first, second} {
			if l := w.letter(id); l.State != typus.LetterUncertain || l.LastError != typus.Unknown || l.SentAt.IsZero() {
				t.Errorf("%+v", l)
			}
		}
	})
}

// die claims what is due, hands so many letters over, and is killed before it has
// written back what became of the last.
func die(t *testing.T, w *world, mailer Mailer, letters int) {
	t.Helper()
	c := w.courier(mailer, nil)
	claimed, err := w.store.ClaimLetters(t.Context(), store.Claim{Owner: c.owner, Lease: -time.Second, Limit: letterBatch})
	if err != nil {
		t.Fatal(err)
	}
	b := batch{c: c}
	for _, l := range claimed {
		m, err := c.write(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		b.letters, b.msgs = append(b.letters, l), append(b.msgs, m)
	}
	for i, err := range mailer.Send(t.Context(), b.msgs, func(i int) error { return b.before(t.Context(), i) }) {
		if err != nil {
			t.Fatal(err)
		}
		if i+1 == letters {
			return
		}
	}
}

// Who was claimed together with a letter that went, but did not go, is not suspected.
func TestALetterThatWasNotHandedOverWhenItsInstanceDiedGoesOutHoweverOften(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		for range 10 {
			die(t, w, mailerFunc(func(context.Context, []mail.Message) []error { return nil }), 1)
			if n, err := s.SweepLetters(t.Context(), store.Ahead{Lease: letterLease, Again: mail.MaxBackoff}); n != 1 || err != nil {
				t.Fatalf("%d swept, %v", n, err)
			}
		}
		sink := smtptest.Start(t, nil)
		stop := start(w.courier(w.smtp(sink), nil))
		w.letterBecomes(id, typus.LetterSent)
		stop()
	})
}

// The server says yes, and that cannot be written down before the lease is over: the
// letter goes once more. Then it is known that nobody knows.
func TestAnOutcomeThatCannotBeWrittenDownMakesTwoCopiesAtMost(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		for range 5 {
			c := w.courier(w.smtp(sink), nil)
			letters, err := s.ClaimLetters(t.Context(), store.Claim{Owner: c.owner, Lease: -time.Second, Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			c.mailer = forgetful{c.mailer, func() {
				if _, err := s.SweepLetters(t.Context(), store.Ahead{Lease: letterLease, Again: mail.MaxBackoff}); err != nil {
					t.Error(err)
				}
			}}
			c.send(t.Context(), letters, time.Now())
		}
		if l := w.letter(id); l.State != typus.LetterUncertain || len(sink.Envelopes()) != 2 {
			t.Errorf("%+v after %d copies, want it uncertain after 2", l, len(sink.Envelopes()))
		}
	})
}

// forgetful has the lease of each message end before its outcome is known.
type forgetful struct {
	Mailer
	lose func()
}

func (f forgetful) Send(ctx context.Context, msgs []mail.Message, before func(int) error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i, err := range f.Mailer.Send(ctx, msgs, before) {
			if f.lose(); !yield(i, err) {
				return
			}
		}
	}
}

// A machine that slept wakes up in the middle of a batch whose lease is over: what
// another instance has taken meanwhile is kept back.
func TestALetterWhoseLeaseIsLostIsNotHandedOver(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		slow := w.courier(w.smtp(sink), nil)
		letters, err := s.ClaimLetters(t.Context(), store.Claim{Owner: slow.owner, Lease: -time.Second, Limit: 1})
		if err != nil || len(letters) != 1 {
			t.Fatal(letters, err)
		}
		stop := start(w.courier(w.smtp(sink), nil))
		w.letterBecomes(id, typus.LetterSent)
		stop()
		slow.send(t.Context(), letters, time.Now())
		if l := w.letter(id); len(sink.Envelopes()) != 1 || l.State != typus.LetterSent || l.Unclear != 0 {
			t.Errorf("%d copies: %+v", len(sink.Envelopes()), l)
		}
	})
}

// The stop cuts the wait for the server's word: the text is there by then.
func TestAStopWhileTheServerConfirmsIsRemembered(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		reached, release := make(chan struct{}), make(chan struct{})
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Confirm = func(int) string { close(reached); <-release; return "" }
		})
		defer close(release)
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		c := w.courier(w.smtp(sink), nil)
		letters, err := s.ClaimLetters(t.Context(), store.Claim{Owner: c.owner, Lease: time.Hour, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cut := context.WithCancel(t.Context())
		go func() { <-reached; cut() }()
		c.send(ctx, letters, time.Now().Add(time.Hour))
		c.release(t.Context())
		if l := w.letter(id); l.State != typus.LetterQueued || l.Unclear != 1 {
			t.Errorf("%+v, want it queued and once unclear", l)
		}
	})
}

// halfMailer hands the first message over and breaks off.
type halfMailer struct{}

func (halfMailer) Send(_ context.Context, _ []mail.Message, before func(int) error) iter.Seq2[int, error] {
	return func(func(int, error) bool) {
		if err := before(0); err != nil {
			panic(err)
		}
		panic("broken")
	}
}

func TestAPanicAfterTheTextWasHandedOverIsUnclear(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		id := w.candidate("Anna", "anna@example.com")
		w.invite(id)
		stop := start(w.courier(halfMailer{}, nil))
		l := w.letterBecomes(id, typus.LetterUncertain)
		stop()
		if l.Attempts != 2 || !strings.Contains(w.logs.String(), "broken") {
			t.Errorf("%+v", l)
		}
	})
}

func TestWhatIsClearAfterAllIsNotCountedAsUnclear(t *testing.T) {
	w := &world{t: t}
	c := w.courier(nil, func(c *Courier) { c.log = nil })
	for _, clear := range []struct {
		err  error
		want typus.LetterState
	}{
		{nil, typus.LetterSent},
		{&mail.SendError{Code: 451, Temporary: true}, typus.LetterQueued},
		{&mail.SendError{Code: 550}, typus.LetterFailed},
		{unwanted(typus.NotSentFinished), typus.LetterHeld},
		{errors.New("a fault of ours"), typus.LetterQueued},
	} {
		if l, _ := c.settleLetter(typus.Letter{Attempts: 2, Unclear: 1}, clear.err); l.State != clear.want || l.Unclear != 1 {
			t.Errorf("%v: %+v, want it %s", clear.err, l, clear.want)
		}
	}
}

// A server that takes its time over each letter is asked for fewer at once.
func TestAServerThatIsSlowButWellGetsEachLetterOnce(t *testing.T) {
	simulate(t, internet{}, func(t *testing.T, w *world, run func(Mailer) func()) {
		const letters = 50
		sink := smtptest.New(t, func(s *smtptest.Server) {
			s.Confirm = func(int) string { time.Sleep(17 * time.Second); return "250 2.0.0 kept" }
		})
		mailer, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://localhost", From: "typus@mail.example.com", Dial: sink.Dial})
		if err != nil {
			t.Fatal(err)
		}
		for n := range letters {
			w.invite(w.candidate("Anna", fmt.Sprintf("anna%d@example.com", n)))
		}
		stop := run(mailer)
		time.Sleep(2 * time.Hour)
		stop()
		copies := map[string]int{}
		for _, e := range sink.Envelopes() {
			copies[e.To[0]]++
		}
		if len(copies) != letters || len(sink.Envelopes()) != letters {
			t.Errorf("%d people got %d letters, want %d", len(copies), len(sink.Envelopes()), letters)
		}
	})
}
