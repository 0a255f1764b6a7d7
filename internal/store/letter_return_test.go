package store_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestALetterComesBackOnceAndAsItWasSentLast(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		back := func(p typus.Posting) bool {
			t.Helper()
			marked := false
			write(t, s, func(tx *store.Tx) error {
				var err error
				_, marked, err = tx.ReturnLetter(t.Context(), p, 550, "550 no such user")
				return err
			})
			return marked
		}
		for state, want := range map[typus.LetterState]bool{
			typus.LetterSent: true, typus.LetterUncertain: true,
			typus.LetterQueued: false, typus.LetterHeld: false, typus.LetterFailed: false,
		} {
			addLetter(t, s, invitation(account, candidate))
			l := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 1}))[0]
			p := typus.Posting{AccountID: account, LetterID: l.ID, Attempt: 1}
			if back(p) {
				t.Error("a letter came back that is being sent")
			}
			l.State, l.LastError = state, "as before"
			must[bool](t)(s.FinishLetter(t.Context(), "me", l, time.Hour))
			for _, foreign := range []typus.Posting{
				{AccountID: other, LetterID: l.ID, Attempt: 1}, {AccountID: account, LetterID: l.ID, Attempt: 2}, {AccountID: account, LetterID: l.ID + 1, Attempt: 1},
			} {
				if back(foreign) {
					t.Errorf("%s: %+v came back", state, foreign)
				}
			}
			if got := back(p); got != want {
				t.Errorf("%s: came back %t, want %t", state, got, want)
			}
			got := must[typus.Letter](t)(s.Letter(t.Context(), account, l.ID))
			if want && (got.State != typus.LetterFailed || got.LastCode != 550 || got.LastError != "550 no such user" || got.SentAt.IsZero()) {
				t.Errorf("%s: %+v", state, got)
			}
			if !want && (got.State != state || got.LastError != "as before") {
				t.Errorf("%s was changed: %+v", state, got)
			}
			if back(p) {
				t.Errorf("%s: the second report is news", state)
			}
			if state == typus.LetterQueued { // out of the way of the next
				must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 1}))
			}
		}
	})
}

func TestALetterOfATestWorldOrToNobodyDoesNotComeBack(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		world := newWorld(t, s, account)
		for name, c := range map[string]struct {
			account int64
			erased  bool
		}{"kept": {world, false}, "erased": {account, true}} {
			candidate := newCandidate(t, s, c.account, nil)
			addLetter(t, s, invitation(c.account, candidate))
			l := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 1, Kept: !c.erased}))[0]
			l.State = typus.LetterSent
			if c.erased {
				l.To = ""
			}
			must[bool](t)(s.FinishLetter(t.Context(), "me", l, 0))
			write(t, s, func(tx *store.Tx) error {
				_, marked, err := tx.ReturnLetter(t.Context(), typus.Posting{AccountID: c.account, LetterID: l.ID, Attempt: l.Attempts}, 550, "550 no such user")
				if marked {
					t.Errorf("%s: it came back", name)
				}
				return err
			})
		}
	})
}
