package courier

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// sends gives the account a sender of its own.
func (w *world) sends(change func(s *typus.Sender)) {
	w.t.Helper()
	s := typus.Sender{AccountID: w.account, Address: "tests@kunde.example"}
	if change != nil {
		change(&s)
	}
	w.tx(func(tx *store.Tx) error { return tx.SetSender(w.t.Context(), s) })
}

// What is written to candidates, to who enrols and to the team comes from the account; what is
// about logging in or about credits comes from the server, whatever the account has set.
func TestOnlyLettersInTheAccountsNameHaveItsSender(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		w.sends(func(s *typus.Sender) { s.BounceAddress = "bounces@kunde.example" })
		c := w.courier(nil, func(c *Courier) { c.sender = func(_ typus.Letter, mailbox string) string { return mailbox } })
		of := senders{c: c, of: map[int64]sender{}}
		ours := 0
		for _, kind := range typus.LetterKinds(nil) {
			l, m := typus.Letter{AccountID: w.account, Kind: kind}, mail.Message{}
			if kind.Reader() == typus.ReaderStranger {
				l.AccountID, m.Look.AccountID = 0, w.account
			}
			m, err := of.put(t.Context(), l, m)
			if err != nil {
				t.Fatal(err)
			}
			server := kind.Reader() == typus.ReaderOwners || kind == typus.LetterSignUp || kind.Reader() == typus.ReaderUser && kind != typus.LetterTeamInvitation
			if (m.Sender == nil) != server || (m.ReturnPath == "") != server {
				t.Errorf("%s: sender %v, reports to %q", kind, m.Sender, m.ReturnPath)
			}
			if server {
				ours++
			}
		}
		if ours != 14 {
			t.Errorf("%d kinds come from the server", ours)
		}
	})
}

// A key that does not open is the trouble of one account, until it is set anew.
func TestASenderThatCannotBeOpenedStopsItsOwnLettersOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		broken, other := newWorld(t, s, nil), newWorld(t, s, nil)
		other.hashes = 1000
		broken.sends(func(s *typus.Sender) {
			s.DKIMDomain, s.DKIMSelector, s.SealedKey = "kunde.example", "one", broken.box.Seal([]byte("x"), typus.Sender{AccountID: 99}.KeyAAD())
		})
		first, second := broken.candidate("Anna", "anna@example.com"), other.candidate("Otto", "otto@example.com")
		broken.invite(first)
		other.invite(second)
		sink := smtptest.Start(t, nil)
		stop := start(broken.courier(broken.smtp(sink), nil))
		other.letterBecomes(second, typus.LetterSent)
		broken.eventually("the letter was tried", func() bool { return broken.letter(first).Attempts > 0 })
		if got := sink.Envelopes(); len(got) != 1 || got[0].To[0] != "otto@example.com" {
			t.Errorf("%+v arrived", got)
		}
		broken.sends(nil)
		broken.letterBecomes(first, typus.LetterSent)
		stop()
		got := sink.Envelopes()
		if head, _ := broken.read(got[len(got)-1]); got[len(got)-1].From != "tests@kunde.example" || !strings.Contains(head.Get("From"), "<tests@kunde.example>") {
			t.Errorf("after it was set anew: %s, %s", got[len(got)-1].From, head.Get("From"))
		}
	})
}

// What somebody gets who enrols is of no account yet, and written in the name of one.
func TestWhoEnrolsIsWrittenToByTheAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		w.sends(nil)
		w.enrols("new", time.Now().Add(time.Hour))
		sink := smtptest.Start(t, nil)
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("it is sent", func() bool { return len(sink.Envelopes()) == 1 })
		stop()
		if from := sink.Envelopes()[0].From; from != "tests@kunde.example" {
			t.Errorf("the letter came from %s", from)
		}
	})
}

// A test world has no sender: nothing of it is sent but copies to the team.
func TestALetterOfATestWorldHasNoSenderOfItsOwn(t *testing.T) {
	live := newWorld(t, storetest.OpenSQLite(t), nil)
	live.sends(nil)
	w := live.inWorld(0)
	w.tx(func(tx *store.Tx) error {
		if _, err := tx.AddUser(t.Context(), typus.User{AccountID: live.account, Email: "ada@example.com", Role: typus.RoleMember, CreatedAt: time.Now()}, "hash"); err != nil {
			return err
		}
		return tx.SetForwardsLetters(t.Context(), w.account, true)
	})
	w.invite(w.candidate("Ada", "ada@example.com"))
	sink := smtptest.Start(t, nil)
	stop := start(w.courier(w.smtp(sink), nil))
	w.eventually("the copy is sent", func() bool { return len(sink.Envelopes()) == 1 })
	stop()
	if from := sink.Envelopes()[0].From; from != "typus@mail.example.com" {
		t.Errorf("the copy came from %s", from)
	}
}

// Each letter leads candidates, and whoever enrols, to the account's own host, and its team to
// that of the server.
func TestLettersLeadToTheHostOfTheAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		w.tx(func(tx *store.Tx) error {
			a, err := tx.LockAccount(t.Context(), w.account)
			if err != nil {
				return err
			}
			a.Host = "tests.kunde.example"
			return tx.SetAccount(t.Context(), a)
		})
		user, open, done := w.user(typus.RoleOwner), w.candidate("Anna", "anna@example.com"), w.finished("Kim")
		c := w.courier(nil, nil)
		const own, server = "https://tests.kunde.example", "https://typus.example.com"
		for _, l := range []struct {
			letter typus.Letter
			leads  string
		}{
			{typus.Letter{CandidateID: open, Kind: typus.LetterInvitation}, own + "/t/" + token},
			{typus.Letter{CandidateID: open, Kind: typus.LetterReminder}, own + "/t/" + token},
			{typus.Letter{CandidateID: done, Kind: typus.LetterReceipt}, own + "/t/" + token + "/ergebnis"},
			{typus.Letter{CandidateID: done, Kind: typus.LetterOwnReleased}, own + "/t/" + token + "/ergebnis"},
			{typus.Letter{CandidateID: done, Kind: typus.LetterOwnAnswered}, own + "/t/" + token + "/ergebnis"},
			{typus.Letter{CandidateID: done, Kind: typus.LetterCompleted, To: "ada@example.com"}, server + "/dashboard/kandidat/"},
			{w.link(typus.LetterTeamInvitation, user, "token", time.Now().Add(time.Hour)), server + "/passwort/token"},
			{typus.Letter{UserID: user, Kind: typus.LetterPasswordChanged, To: "ada@example.com"}, server + "/passwort"},
		} {
			l.letter.AccountID, l.letter.Language = w.account, "de"
			m, err := c.message(t.Context(), l.letter)
			if err != nil {
				t.Fatalf("%s: %v", l.letter.Kind, err)
			}
			other := map[bool]string{true: server, false: own}[strings.HasPrefix(l.leads, own)]
			if all := m.Text + m.HTML + m.Stop; !strings.Contains(m.Text, l.leads) || strings.Contains(all, other) {
				t.Errorf("%s does not lead to %s alone:\n%s\n%s", l.letter.Kind, l.leads, m.Stop, m.Text)
			}
		}
		w.enrols("new", time.Now().Add(time.Hour))
		sink := smtptest.Start(t, nil)
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("it is sent", func() bool { return len(sink.Envelopes()) == 1 })
		stop()
		if body, err := sink.Envelopes()[0].Text(); err != nil || !strings.Contains(body, own+"/p/bestaetigen/new") || strings.Contains(body, server) {
			t.Errorf("%v, who enrols reads\n%s", err, body)
		}
	})
}
