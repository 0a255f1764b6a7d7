package assess_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/auth"
	"typus/internal/store"
)

// published is the token of a new public link of a position, 0 for the default one.
func (w *world) published(position int64, most int, ends time.Time) string {
	w.Helper()
	w.Must(w.Accounts.KeepPublicLink(w.Ctx, store.WholeAccount(w.Account), position, ada, func(l *typus.PublicLink) bool {
		l.Most, l.EndsAt = most, ends
		return true
	}))
	return w.publicToken(position)
}

// publicLink is the link of a position that works, as it is stored.
func (w *world) publicLink(position int64) typus.PublicLink {
	w.Helper()
	p, err := w.Store.Position(w.Ctx, w.Account, position)
	w.Must(err)
	l, err := w.Store.PublicLinkOf(w.Ctx, w.Account, p.ID)
	w.Must(err)
	return l
}

func (w *world) publicToken(position int64) string {
	w.Helper()
	address, err := w.Accounts.PublicAddress(typus.Account{}, w.publicLink(position))
	w.Must(err)
	return address[strings.LastIndex(address, "/")+1:]
}

// confirmations are the tokens of the letters to strangers that still say to whom they go.
func (w *world) confirmations() map[string]string {
	w.Helper()
	letters, err := w.Store.Letters(w.Ctx, 0, 1000)
	w.Must(err)
	tokens := map[string]string{}
	for _, l := range letters {
		if l.Kind != typus.LetterEnrolment || l.To == "" {
			continue
		}
		token, err := w.Box.Open(l.Detail, l.DetailAAD())
		w.Must(err)
		tokens[l.To] = string(token)
	}
	return tokens
}

// enrols types name and address at a link, and is the token that the letter brings.
func (w *world) enrols(link, name, email string) string {
	w.Helper()
	w.Must(w.Assess.Enrol(w.Ctx, link, typus.Enrolment{Name: name, Email: email, Language: "en"}, "192.0.2.1"))
	return w.confirmations()[email]
}

// books adds to the balance of the account.
func (w *world) books(credits int64) {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		_, err := tx.BookCredit(w.Ctx, typus.CreditEntry{AccountID: w.Account, Delta: credits, Reason: typus.ReasonGrant, Actor: "operator", CreatedAt: w.Now()})
		return err
	}))
}

// listed are how many candidates there are.
func (w *world) listed() int {
	w.Helper()
	list, _, err := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Limit: 1000})
	w.Must(err)
	return len(list)
}

func TestWhoeverConfirmsAnAddressIsACandidateOfThePosition(t *testing.T) {
	run(t, func(w *world) {
		position := w.hiring(typus.Position{Name: "Süd", Reminders: 2, RoleProfile: "hunter", InviteDays: 12})
		link := w.published(position, 50, time.Time{})
		token := w.enrols(link, " Kim Muster ", "Kim@example.com")
		if w.listed() != 0 || token == "" {
			t.Fatalf("before the address is confirmed there are %d candidates", w.listed())
		}
		test, err := w.Assess.Confirm(w.Ctx, token)
		w.Must(err)
		c, err := w.Store.CandidateByToken(w.Ctx, auth.Hash(test))
		w.Must(err)
		if c.Name != "Kim Muster" || c.Email != "Kim@example.com" || c.PositionID != position || c.RoleProfile != "hunter" || c.Language != "en" ||
			!c.ChoseLanguage || c.ExternalID != "" || c.InvitedBy != 0 || !c.ExpiresAt.Equal(w.Now().Add(12*aDay)) {
			t.Errorf("the candidate is %+v", c)
		}
		again, err := w.Assess.Confirm(w.Ctx, token)
		if err != nil || again != test || w.listed() != 1 {
			t.Errorf("confirmed again: %q in place of %q, %d candidates, %v", again, test, w.listed(), err)
		}
		if l := w.publicLink(position); l.Confirmed != 1 {
			t.Errorf("%d are counted", l.Confirmed)
		}
		letters, err := w.Store.LettersOf(w.Ctx, w.Account, c.ID)
		if err != nil || len(letters) != 1 || letters[0].Kind != typus.LetterInvitation || letters[0].Language != "en" {
			t.Errorf("the letters are %+v, %v", letters, err)
		}
		lines, err := w.Store.AuditOf(w.Ctx, w.Account, c.ID)
		if err != nil || len(lines) != 1 || lines[0].Action != typus.AuditCandidateEnrolled || lines[0].Actor != typus.ActorCandidate || lines[0].Detail != "" {
			t.Errorf("the log says %+v, %v", lines, err)
		}
		if left := w.confirmations(); len(left) != 0 {
			t.Errorf("letters still name %v", left)
		}
		account, err := w.Store.Account(w.Ctx, w.Account)
		if err != nil || account.Credits != 10 {
			t.Errorf("the balance is %d, %v", account.Credits, err)
		}
	})
}

// The default position has a link as the others; its candidates are those without a position.
func TestTheDefaultPositionHasAPublicLinkToo(t *testing.T) {
	run(t, func(w *world) {
		token := w.enrols(w.published(0, 1, time.Time{}), "Kim", "kim@example.com")
		test, err := w.Assess.Confirm(w.Ctx, token)
		w.Must(err)
		if c, err := w.Store.CandidateByToken(w.Ctx, auth.Hash(test)); err != nil || c.PositionID != 0 {
			t.Errorf("the candidate is %+v, %v", c, err)
		}
	})
}

func TestTwoHundredStrangersAtOnceFindFiftyPlaces(t *testing.T) {
	run(t, func(w *world) {
		w.books(1000)
		position := w.hiring(typus.Position{Name: "Süd", Reminders: typus.RemindersOfAccount})
		link := w.published(position, 50, time.Time{})
		errs := parallel(200, func(i int) error {
			e := typus.Enrolment{Name: fmt.Sprint("Person ", i), Email: fmt.Sprintf("p%d@example.com", i), Language: "de"}
			return w.Assess.Enrol(w.Ctx, link, e, fmt.Sprintf("10.%d.0.1", i))
		})
		if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
			t.Fatal(errs[i])
		}
		var tokens []string
		for _, token := range w.confirmations() {
			tokens = append(tokens, token, token) // everybody presses twice
		}
		in := map[string]bool{}
		found := make([]string, len(tokens))
		for i, err := range parallel(len(tokens), func(i int) error {
			var err error
			found[i], err = w.Assess.Confirm(w.Ctx, tokens[i])
			return err
		}) {
			switch {
			case err == nil:
				in[found[i]] = true
			case assess.Shut(err) != typus.PublicFull:
				t.Fatal(err)
			}
		}
		if l := w.publicLink(position); len(tokens) != 400 || len(in) != 50 || w.listed() != 50 || l.Confirmed != 50 {
			t.Errorf("of %d letters %d tests came, %d candidates, %d counted", len(tokens)/2, len(in), w.listed(), l.Confirmed)
		}
		if err := w.Assess.Enrol(w.Ctx, link, typus.Enrolment{Name: "Kim", Email: "kim@example.com", Language: "de"}, "192.0.2.1"); assess.Shut(err) != typus.PublicFull {
			t.Errorf("the next one: %v", err)
		}
	})
}

// Who has a test for the position gets no second one, however they came by the first.
func TestAnAddressHasOneTestForAPosition(t *testing.T) {
	today(t, func(w *world) {
		south := w.hiring(typus.Position{Name: "Süd", Reminders: typus.RemindersOfAccount})
		link := w.published(south, 1, time.Time{})
		invited := w.invite(assess.Invitation{Name: "Kim", Email: "KIM@example.com", PositionID: south, SendEmail: true})
		w.deliver(typus.LetterSent)
		w.Later(2 * aDay)
		test, err := w.Assess.Confirm(w.Ctx, w.enrols(link, "Kim M.", "kim@example.com"))
		if err != nil || test != invited.Token || w.listed() != 1 || w.publicLink(south).Confirmed != 0 {
			t.Errorf("%q in place of %q, %d candidates, %v", test, invited.Token, w.listed(), err)
		}
		letters, err := w.Store.LettersOf(w.Ctx, w.Account, invited.Candidate.ID)
		if err != nil || len(letters) != 2 || letters[1].Kind != typus.LetterInvitation || letters[1].State != typus.LetterQueued {
			t.Errorf("the letters are %+v, %v", letters, err)
		}
		w.begin(invited.Token)
		_, err = w.Assess.Answer(w.Ctx, invited.Token, w.all())
		w.Must(err)
		w.Must(w.Assess.Finish(w.Ctx, invited.Token))
		again, err := w.Assess.Confirm(w.Ctx, w.enrols(link, "Kim", "kim@example.com"))
		if err != nil || again != invited.Token || w.listed() != 1 {
			t.Errorf("after the hand-in: %q, %d candidates, %v", again, w.listed(), err)
		}
		north := w.hiring(typus.Position{Name: "Nord", Reminders: typus.RemindersOfAccount})
		other, err := w.Assess.Confirm(w.Ctx, w.enrols(w.published(north, 1, time.Time{}), "Kim", "kim@example.com"))
		if err != nil || other == invited.Token || w.listed() != 2 {
			t.Errorf("for another position: %q, %d candidates, %v", other, w.listed(), err)
		}
	})
}

func TestAPublicLinkThatLetsNobodyInSaysWhy(t *testing.T) {
	run(t, func(w *world) {
		all, position := store.WholeAccount(w.Account), w.hiring(typus.Position{Name: "Süd", Reminders: typus.RemindersOfAccount})
		link := w.published(position, 5, w.Now().Add(3*aDay))
		waiting := w.enrols(link, "Kim", "kim@example.com")
		shut := func(link string, want typus.PublicStand) {
			t.Helper()
			p, err := w.Assess.PublicLink(w.Ctx, link)
			w.Must(err)
			err = w.Assess.Enrol(w.Ctx, link, typus.Enrolment{Name: "Lou", Email: "lou@example.com", Language: "de"}, "192.0.2.1")
			_, late := w.Assess.Confirm(w.Ctx, waiting)
			if p.Stand != want || !typus.Is(err, typus.Gone) || assess.Shut(err) != want || assess.Shut(late) != want || w.listed() != 0 {
				t.Errorf("it stands %s, enrolling %v, confirming %v; want %s", p.Stand, err, late, want)
			}
		}
		_, err := w.Accounts.ClosePosition(w.Ctx, all, position, accounts.KeepOpen, ada)
		w.Must(err)
		shut(link, typus.PublicClosed)
		w.Must(w.Accounts.ReopenPosition(w.Ctx, all, position, ada))
		w.books(-10)
		shut(link, typus.PublicUnpaid)
		if told, err := w.Store.AccountLetterSince(w.Ctx, w.Account, typus.LetterCreditsRefused, w.Now().Add(-time.Hour), w.Now()); err != nil || !told {
			t.Errorf("the owners are told %t, %v", told, err)
		}
		w.books(10)
		w.Later(3 * aDay)
		shut(link, typus.PublicOver)
		w.published(position, 5, time.Time{})
		w.Must(w.Accounts.RenewPublicLink(w.Ctx, all, position, ada))
		shut(link, typus.PublicRevoked)
		if _, err := w.Assess.PublicLink(w.Ctx, "unknown"); !typus.Is(err, typus.NotFound) {
			t.Errorf("an unknown one: %v", err)
		}
		fresh := w.publicToken(position)
		if _, err := w.Assess.Confirm(w.Ctx, w.enrols(fresh, "Mia", "mia@example.com")); err != nil {
			t.Error(err)
		}
		w.Must(w.Accounts.RevokePublicLink(w.Ctx, all, position, ada))
		w.Must(w.Accounts.RevokePublicLink(w.Ctx, all, position, ada))
		if p, err := w.Assess.PublicLink(w.Ctx, fresh); err != nil || p.Stand != typus.PublicRevoked {
			t.Errorf("revoked it stands %s, %v", p.Stand, err)
		}
		if err := w.Accounts.RenewPublicLink(w.Ctx, all, position, ada); !typus.Is(err, typus.NotFound) {
			t.Errorf("what is off is made anew: %v", err)
		}
	})
}

// A new address takes over what was counted at the former one.
func TestANewAddressGivesNoPlacesBack(t *testing.T) {
	run(t, func(w *world) {
		link := w.published(0, 1, time.Time{})
		_, err := w.Assess.Confirm(w.Ctx, w.enrols(link, "Kim", "kim@example.com"))
		w.Must(err)
		w.Must(w.Accounts.RenewPublicLink(w.Ctx, store.WholeAccount(w.Account), 0, ada))
		if p, err := w.Assess.PublicLink(w.Ctx, w.publicToken(0)); err != nil || p.Stand != typus.PublicFull {
			t.Errorf("it stands %s, %v", p.Stand, err)
		}
	})
}

func TestWhatNobodyConfirmsIsErasedAfterAWeek(t *testing.T) {
	run(t, func(w *world) {
		link := w.published(0, 5, time.Time{})
		first := w.enrols(link, "Kim", "kim@example.com")
		w.Later(time.Minute)
		second := w.enrols(link, "Kim M.", "KIM@example.com")
		if _, err := w.Assess.Enrolled(w.Ctx, first); !typus.Is(err, typus.NotFound) {
			t.Errorf("the earlier letter is good beside the newer: %v", err)
		}
		if e, err := w.Assess.Enrolled(w.Ctx, second); err != nil || e.Name != "Kim M." {
			t.Errorf("the newer is %+v, %v", e, err)
		}
		w.Later(7*aDay - time.Minute)
		w.Must(w.Assess.ForgetEnrolments(w.Ctx, w.Now()))
		if len(w.confirmations()) != 1 {
			t.Error("it is gone before its time")
		}
		w.Later(time.Minute)
		if _, err := w.Assess.Confirm(w.Ctx, second); !typus.Is(err, typus.NotFound) {
			t.Errorf("it is good after a week: %v", err)
		}
		w.Must(w.Assess.ForgetEnrolments(w.Ctx, w.Now()))
		if left := w.confirmations(); len(left) != 0 || w.listed() != 0 {
			t.Errorf("left are %v", left)
		}
	})
}

// Whoever is erased is erased there too: what waits under their address, and how they came.
func TestWhoIsErasedIsErasedAtPublicLinksToo(t *testing.T) {
	run(t, func(w *world) {
		position := w.hiring(typus.Position{Name: "Süd", Reminders: typus.RemindersOfAccount})
		token := w.enrols(w.published(0, 5, time.Time{}), "Kim", "kim@example.com")
		test, err := w.Assess.Confirm(w.Ctx, token)
		w.Must(err)
		waiting := w.enrols(w.published(position, 5, time.Time{}), "Kim", "KIM@example.com")
		other := w.enrols(w.publicToken(position), "Lou", "lou@example.com")
		c, err := w.Store.CandidateByToken(w.Ctx, auth.Hash(test))
		w.Must(err)
		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), c.ID, ada))
		for _, gone := range []string{token, waiting} {
			if _, err := w.Assess.Enrolled(w.Ctx, gone); !typus.Is(err, typus.NotFound) {
				t.Errorf("left: %v", err)
			}
		}
		if left := w.confirmations(); len(left) != 1 || left["lou@example.com"] != other {
			t.Errorf("letters name %v", left)
		}
	})
}

// Letters that strangers can have sent are slowed down, by address and by network.
func TestEnrollingIsSlowedDown(t *testing.T) {
	run(t, func(w *world) {
		link := w.published(0, 5, time.Time{})
		enrol := func(email, ip string) error {
			return w.Assess.Enrol(w.Ctx, link, typus.Enrolment{Name: "Kim", Email: email, Language: "de"}, ip)
		}
		for i := range 5 {
			err := enrol("kim@example.com", fmt.Sprintf("10.%d.0.1", i))
			if wait := typus.Is(err, typus.TooMany); wait != (i >= 3) {
				t.Errorf("one address, time %d: %v", i+1, err)
			}
		}
		waits := 0
		for i := range 45 {
			if typus.Is(enrol(fmt.Sprintf("p%d@example.com", i), "192.0.2.7"), typus.TooMany) {
				waits++
			}
		}
		if waits == 0 {
			t.Error("one network has letters sent to anybody")
		}
	})
}

func TestWrongNamesAndAddressesAreNamed(t *testing.T) {
	run(t, func(w *world) {
		err := w.Assess.Enrol(w.Ctx, w.published(0, 5, time.Time{}), typus.Enrolment{Name: " ", Email: "kim", Language: "de"}, "")
		if wrong, is := errors.AsType[*typus.Error](err); !is || wrong.Kind != typus.Invalid || len(wrong.Fields) != 2 {
			t.Errorf("it is %+v", err)
		}
		all := store.WholeAccount(w.Account)
		for _, terms := range []typus.PublicLink{{Most: 0}, {Most: typus.MaxEnrolled + 1}, {Most: 5, EndsAt: w.Now()}, {Most: 5, EndsAt: w.Now().Add(1000 * aDay)}} {
			err := w.Accounts.KeepPublicLink(w.Ctx, all, 0, ada, func(l *typus.PublicLink) bool {
				l.Most, l.EndsAt = terms.Most, terms.EndsAt
				return true
			})
			if !typus.Is(err, typus.Invalid) {
				t.Errorf("%+v: %v", terms, err)
			}
		}
	})
}

// A step that fails leaves nothing behind: neither candidate, nor count, nor a used letter.
func TestAConfirmationIsWholeOrNothing(t *testing.T) {
	run(t, func(w *world) {
		token := w.enrols(w.published(0, 5, time.Time{}), "Kim", "kim@example.com")
		for n := 1; ; n++ {
			left := n
			broken := w.AssessWith(func(o *assess.Options) {
				o.Store = w.Store.Watched(func(string) error {
					if left--; left == 0 {
						return errors.New("failed on purpose")
					}
					return nil
				})
			})
			if _, err := broken.Confirm(w.Ctx, token); err == nil {
				if n < 5 {
					t.Fatalf("it takes %d statements only", n)
				}
				break
			}
			if w.listed() != 0 || w.publicLink(0).Confirmed != 0 || len(w.confirmations()) != 1 {
				t.Fatalf("after failing at statement %d something is left", n)
			}
		}
	})
}
