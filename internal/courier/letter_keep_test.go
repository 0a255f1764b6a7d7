package courier

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// inWorld is the test world of w's account, whose clock is ahead by so much.
func (w *world) inWorld(ahead time.Duration) *world {
	w.t.Helper()
	inner := *w
	inner.hashes += 1000
	w.tx(func(tx *store.Tx) error {
		var err error
		if inner.account, _, err = tx.AddWorld(w.t.Context(), w.account, time.Now()); err != nil {
			return err
		}
		return tx.MoveWorld(w.t.Context(), inner.account, ahead)
	})
	return &inner
}

// keptLetters are what the world keeps, newest first, with what each of them says.
func (w *world) keptLetters() ([]typus.KeptLetter, []mail.Message) {
	w.t.Helper()
	kept, err := w.store.KeptLetters(w.t.Context(), w.account, 0, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	said := make([]mail.Message, len(kept))
	for i, k := range kept {
		packed, err := w.box.Open(k.Sealed, k.AAD())
		if err != nil {
			w.t.Fatal(err)
		}
		if said[i], err = mail.Unpack(packed); err != nil {
			w.t.Fatal(err)
		}
	}
	return kept, said
}

func TestALetterOfATestWorldIsKeptAsItWouldHaveGoneOut(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newWorld(t, s, nil)
		w := live.inWorld(0)
		theirs := live.candidate("Otto Muster", "otto@example.com")
		live.invite(theirs)
		stop := start(w.courier(nil, nil))
		defer stop()
		id := w.candidate("Anna Beispiel", "Anna@example.com")
		w.invite(id)
		l := w.letterBecomes(id, typus.LetterSent)
		if l.LastCode != 250 || l.Attempts != 1 || l.SentAt.IsZero() || l.LastError != "" {
			t.Errorf("%+v", l)
		}
		want, err := w.courier(nil, nil).write(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		kept, said := w.keptLetters()
		if len(kept) != 1 || said[0] != want {
			t.Fatalf("kept is %+v, want %+v", said, want)
		}
		if k := kept[0]; k.LetterID != l.ID || k.CandidateID != id || k.Kind != typus.LetterInvitation || k.To != "Anna@example.com" || k.CreatedAt.IsZero() {
			t.Errorf("%+v", k)
		}
		if bytes := string(kept[0].Sealed); strings.Contains(bytes, "Anna") || strings.Contains(bytes, token) {
			t.Error("what is kept can be read")
		}
		if l := live.letter(theirs); l.State != typus.LetterQueued || l.Attempts != 0 {
			t.Errorf("without a mail server the live letter is %+v", l)
		}
		if kept, _ := live.keptLetters(); len(kept) != 0 {
			t.Errorf("the account keeps %+v", kept)
		}
	})
}

// The mail server, the account's number of letters a day and letters that wait are nothing to
// a world's letters, and they are nothing to it.
func TestNoLetterOfATestWorldReachesTheMailServer(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newWorld(t, s, nil)
		w := live.inWorld(0)
		sink := smtptest.Start(t, nil)
		var ids []int64
		for n := range 5 {
			ids = append(ids, w.candidate("Anna", fmt.Sprintf("anna-%d@example.com", n)))
			w.invite(ids[n])
		}
		first, second := live.candidate("Otto", "otto@example.com"), live.candidate("Kim", "kim@example.com")
		live.invite(first)
		live.invite(second)
		stop := start(w.courier(w.smtp(sink), func(c *Courier) { c.perDay = 1 }))
		for _, id := range ids {
			w.letterBecomes(id, typus.LetterSent)
		}
		live.letterBecomes(first, typus.LetterSent)
		live.letterBecomes(second, typus.LetterHeld)
		stop()
		if got := sink.Envelopes(); len(got) != 1 || got[0].To[0] != "otto@example.com" {
			t.Errorf("the mail server got %v", got)
		}
		if kept, _ := w.keptLetters(); len(kept) != len(ids) {
			t.Errorf("%d letters are kept", len(kept))
		}
	})
}

func TestALetterToWhoeverIsCalledBounceComesBack(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newWorld(t, s, nil)
		w := live.inWorld(0)
		id, other := w.candidate("Otto", "bounce+7@example.com"), live.candidate("Otto", "bounce@example.com")
		w.invite(id)
		live.invite(other)
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Reply = func(string) string { return "550 5.1.1 no such mailbox" }
		})
		stop := start(w.courier(w.smtp(sink), nil))
		defer stop()
		got, want := w.letterBecomes(id, typus.LetterFailed), live.letterBecomes(other, typus.LetterFailed)
		if got.LastCode != want.LastCode || got.LastError != want.LastError || got.Attempts != 1 {
			t.Errorf("it is %+v, of a real mail server %+v", got, want)
		}
		if kept, _ := w.keptLetters(); len(kept) != 0 {
			t.Errorf("kept is %+v", kept)
		}
	})
}

// What cannot be written any more is held for the same reasons as a live letter, and one to an
// address that nobody can write to fails.
func TestALetterOfATestWorldThatMustNotGoOutIsNotKept(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil).inWorld(0)
		expired, odd := w.candidate("Anna", "anna@example.com"), w.candidate("Kim", "nobody")
		w.tx(func(tx *store.Tx) error {
			return tx.ExtendCandidate(t.Context(), w.account, expired, time.Now().Add(-time.Minute))
		})
		w.invite(expired)
		w.invite(odd)
		stop := start(w.courier(nil, nil))
		defer stop()
		if l := w.letterBecomes(expired, typus.LetterHeld); l.LastError != typus.NotSentExpired {
			t.Errorf("%+v", l)
		}
		if l := w.letterBecomes(odd, typus.LetterFailed); l.LastError != typus.FailedAddress {
			t.Errorf("%+v", l)
		}
		if kept, _ := w.keptLetters(); len(kept) != 0 {
			t.Errorf("kept is %+v", kept)
		}
	})
}

// A letter names the times of the world that it comes from, and a live one the machine's.
func TestALetterOfATestWorldNamesTheWorldsTimes(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newWorld(t, s, nil)
		c := live.courier(nil, nil)
		ends := time.Date(2031, time.March, 3, 14, 5, 0, 0, time.UTC)
		for _, of := range []struct {
			w    *world
			says string
		}{{live, "3. März 2031, 14:05 Uhr (UTC)"}, {live.inWorld(72 * time.Hour), "6. März 2031, 14:05 Uhr (UTC)"}} {
			id := of.w.candidate("Anna", "anna@example.com")
			of.w.tx(func(tx *store.Tx) error { return tx.ExtendCandidate(t.Context(), of.w.account, id, ends) })
			for _, kind := range []typus.LetterKind{typus.LetterInvitation, typus.LetterReminder} {
				m, err := c.message(t.Context(), typus.Letter{AccountID: of.w.account, CandidateID: id, Kind: kind, Language: "de"})
				if err != nil || !strings.Contains(m.Text, of.says) || !strings.Contains(m.HTML, of.says) {
					t.Errorf("%v: %s does not say %s:\n%s", err, kind, of.says, m.Text)
				}
			}
		}
	})
}

// A letter says its times in the account's zone, which the reader may not be in, and names it.
func TestALetterNamesTheAccountsZone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		c := w.courier(nil, nil)
		for zone, says := range map[typus.Zone][2]string{
			"Europe/Berlin":     {"3. März 2031, 23:59 Uhr (MEZ)", "3 March 2031, 23:59 (CET)"},
			"Asia/Kathmandu":    {"4. März 2031, 04:44 Uhr (UTC+5:45)", "4 March 2031, 04:44 (UTC+5:45)"},
			"Pacific/Pago_Pago": {"3. März 2031, 11:59 Uhr (UTC−11)", "3 March 2031, 11:59 (UTC−11)"},
		} {
			w.tx(func(tx *store.Tx) error {
				a, err := tx.Account(t.Context(), w.account)
				if err != nil {
					return err
				}
				a.Zone = zone
				return tx.SetAccount(t.Context(), a)
			})
			id := w.candidate("Anna", "anna@example.com")
			w.tx(func(tx *store.Tx) error {
				return tx.ExtendCandidate(t.Context(), w.account, id, time.Date(2031, time.March, 3, 22, 59, 0, 0, time.UTC))
			})
			for n, language := range []string{"de", "en"} {
				m, err := c.message(t.Context(), typus.Letter{AccountID: w.account, CandidateID: id, Kind: typus.LetterInvitation, Language: language})
				if err != nil || !strings.Contains(m.Text, says[n]) {
					t.Errorf("%v: a letter of %s does not say %s:\n%s", err, zone, says[n], m.Text)
				}
			}
		}
	})
}

// The clock of the world is moved on while a letter is being written: its days are those of the
// clock all the same.
func TestALetterThatIsWrittenDuringAMoveNamesNoOtherDay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil).inWorld(0)
		id := w.candidate("Anna", "anna@example.com")
		w.tx(func(tx *store.Tx) error {
			return tx.ExtendCandidate(t.Context(), w.account, id, time.Date(2031, time.March, 3, 14, 5, 0, 0, time.UTC))
		})
		w.invite(id)
		var once sync.Once
		watched := *w
		watched.store = s.Watched(func(query string) error {
			if strings.Contains(query, " from candidates where account_id = $1 and id = $2") {
				once.Do(func() {
					w.tx(func(tx *store.Tx) error { return tx.MoveWorld(t.Context(), w.account, 72*time.Hour) })
				})
			}
			return nil
		})
		stop := start(watched.courier(nil, nil))
		w.letterBecomes(id, typus.LetterSent)
		stop()
		if ahead, err := s.Account(t.Context(), w.account); err != nil || ahead.Ahead != 72*time.Hour {
			t.Fatalf("the clock is %s ahead, %v", ahead.Ahead, err)
		}
		if _, said := w.keptLetters(); len(said) != 1 || !strings.Contains(said[0].Text, "3. März 2031, 14:05 Uhr (UTC)") {
			t.Errorf("it says\n%+v", said)
		}
	})
}

// Once switched on, people of the account get the letters that are to them by the mail server,
// too; nobody else does, and nobody who has not accepted.
func TestLettersOfATestWorldAreForwardedToPeopleOfItsAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newWorld(t, s, nil)
		w := live.inWorld(0)
		stranger := newWorld(t, s, nil)
		for email, of := range map[string]struct {
			account  int64
			password string
		}{"ada@example.com": {live.account, "hash"}, "new@example.com": {live.account, ""}, "eve@example.com": {stranger.account, "hash"}} {
			w.tx(func(tx *store.Tx) error {
				_, err := tx.AddUser(t.Context(), typus.User{AccountID: of.account, Email: email, Role: typus.RoleMember, CreatedAt: time.Now()}, of.password)
				return err
			})
		}
		refused := 0
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Reply = func(string) string {
				if refused++; refused == 1 {
					return "451 4.7.1 greylisted, come back"
				}
				return ""
			}
		})
		stop := start(w.courier(w.smtp(sink), nil))
		before := w.candidate("Ada", "ada@example.com")
		w.invite(before)
		w.letterBecomes(before, typus.LetterSent)
		w.tx(func(tx *store.Tx) error { return tx.SetForwardsLetters(t.Context(), w.account, true) })
		for _, email := range []string{"new@example.com", "eve@example.com", "otto@example.com", "Ada@Example.com"} {
			id := w.candidate("Ada", email)
			w.invite(id)
			w.letterBecomes(id, typus.LetterSent)
		}
		w.eventually("the letter arrived", func() bool { return len(sink.Envelopes()) > 0 })
		stop()
		got := sink.Envelopes()
		if len(got) != 1 || !strings.EqualFold(got[0].To[0], "ada@example.com") {
			t.Fatalf("the mail server got %v", got)
		}
		kept, said := w.keptLetters()
		if len(kept) != 5 {
			t.Errorf("%d letters are kept", len(kept))
		}
		i := slices.IndexFunc(kept, func(k typus.KeptLetter) bool { return k.To == "Ada@Example.com" })
		if head, body := w.read(got[0]); head.Get("Message-Id") != "<"+said[i].ID+">" || !strings.Contains(body, "https://typus.example.com/t/"+token) {
			t.Errorf("what arrived is %v\n%s", head, body)
		}
		if again, err := s.ClaimForwards(t.Context(), store.Ahead{Lease: time.Minute, Again: time.Hour}, 10); err != nil || len(again) != 0 {
			t.Errorf("it goes again: %v, %v", again, err)
		}
	})
}

func TestAKeptLetterThatCannotBeSentIsGivenUpAfterAFewTries(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newWorld(t, s, nil)
		w := live.inWorld(0)
		w.tx(func(tx *store.Tx) error {
			_, err := tx.AddUser(t.Context(), typus.User{AccountID: live.account, Email: "ada@example.com", Role: typus.RoleMember, CreatedAt: time.Now()}, "hash")
			if err != nil {
				return err
			}
			return tx.SetForwardsLetters(t.Context(), w.account, true)
		})
		sink := smtptest.Start(t, func(s *smtptest.Server) { s.Reply = func(string) string { return "451 4.7.1 come back" } })
		id := w.candidate("Ada", "ada@example.com")
		w.invite(id)
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("it is given up", func() bool { return strings.Contains(w.logs.String(), "attempt=5 again=false") })
		stop()
		if l := w.letter(id); l.State != typus.LetterSent {
			t.Errorf("%+v", l)
		}
		if log := w.logs.String(); strings.Contains(log, "attempt=6") || strings.Contains(log, "ada@") {
			t.Errorf("the log says\n%s", log)
		}
	})
}
