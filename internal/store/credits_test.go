package store_test

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func grant(t testing.TB, s *store.Store, account, amount int64) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		_, err := tx.BookCredit(t.Context(), typus.CreditEntry{AccountID: account, Delta: amount, Reason: typus.ReasonGrant, Note: "Start", Actor: "operator", CreatedAt: noon})
		return err
	})
}

func completion(account, candidate int64) typus.CreditEntry {
	return typus.CreditEntry{AccountID: account, Delta: -1, Reason: typus.ReasonCompletion, CandidateID: candidate, Actor: "candidate", CreatedAt: noon}
}

func TestTheBalanceIsTheSumOfTheLedger(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		if last := must[typus.CreditEntry](t)(s.LastGrant(t.Context(), account)); last.ID != 0 {
			t.Errorf("last grant of a new account: %+v", last)
		}
		grant(t, s, account, 1)
		grant(t, s, account, 25)
		for range 27 {
			id := newCandidate(t, s, account, nil)
			write(t, s, func(tx *store.Tx) error {
				_, err := tx.BookCredit(t.Context(), completion(account, id))
				return err
			})
		}
		entries := must[[]typus.CreditEntry](t)(s.CreditEntries(t.Context(), account, 100))
		var sum int64
		for i, e := range entries {
			sum += e.Delta
			if i > 0 && entries[i-1].ID < e.ID {
				t.Errorf("entry %d is not newest first", i)
			}
		}
		if balance := must[typus.Account](t)(s.Account(t.Context(), account)).Credits; balance != -1 || sum != -1 || entries[0].BalanceAfter != -1 {
			t.Errorf("balance %d, sum %d, last entry %+v; want -1", balance, sum, entries[0])
		}
		first := entries[len(entries)-1]
		want := typus.CreditEntry{ID: first.ID, AccountID: account, Delta: 1, Reason: typus.ReasonGrant, Note: "Start", Actor: "operator", BalanceAfter: 1, CreatedAt: noon}
		if first != want {
			t.Errorf("first entry %+v, want %+v", first, want)
		}
		if last := must[typus.CreditEntry](t)(s.LastGrant(t.Context(), account)); last.Delta != 25 || last.CreatedAt.IsZero() {
			t.Errorf("last grant %+v, want 25", last)
		}
		if list := must[[]typus.CreditEntry](t)(s.CreditEntries(t.Context(), account, 2)); len(list) != 2 || list[0] != entries[0] {
			t.Errorf("the newest two: %+v", list)
		}
		if list := must[[]typus.CreditEntry](t)(s.CreditEntries(t.Context(), other, 100)); len(list) != 0 {
			t.Errorf("another account's ledger: %+v", list)
		}
	})
}

func TestACompletionIsBookedOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		grant(t, s, account, 10)
		var booked atomic.Int64
		dbtest.AtOnce(50, func(int) {
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := tx.BookCredit(t.Context(), completion(account, id))
				return err
			})
			if err == nil {
				booked.Add(1)
			} else {
				hasKind(t, "the second booking", err, typus.Conflict)
			}
		})
		if balance := must[typus.Account](t)(s.Account(t.Context(), account)).Credits; balance != 9 || booked.Load() != 1 {
			t.Errorf("balance %d after %d bookings, want 9 after 1", balance, booked.Load())
		}
	})
}

// The index is the second proof, beside the look under the account's lock.
func TestAReferenceStandsOnceInAnAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		book := func(account int64) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := tx.BookCredit(t.Context(), typus.CreditEntry{AccountID: account, Delta: 5, Reason: typus.ReasonGrant, Reference: "RE-7", CreatedAt: noon})
				return err
			})
		}
		if err := errors.Join(book(account), book(other)); err != nil {
			t.Fatal(err)
		}
		hasKind(t, "the same reference again", book(account), typus.Conflict)
		for _, id := range []int64{account, other} {
			if balance := must[typus.Account](t)(s.Account(t.Context(), id)).Credits; balance != 5 {
				t.Errorf("balance %d, want 5", balance)
			}
		}
	})
}

func TestAConflictThatIsSwallowedStillRollsBack(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		book := func() error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				_, _ = tx.BookCredit(t.Context(), completion(account, id))
				return nil
			})
		}
		if err := book(); err != nil {
			t.Fatal(err)
		}
		hasKind(t, "a lost transaction", book(), typus.Conflict)
		if balance := must[typus.Account](t)(s.Account(t.Context(), account)).Credits; balance != -1 {
			t.Errorf("balance %d, want -1", balance)
		}
	})
}

func TestCreditsOfAnUnknownAccountAreRefused(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.BookCredit(t.Context(), typus.CreditEntry{AccountID: 4711, Delta: 1, Reason: typus.ReasonGrant, CreatedAt: noon})
			return err
		})
		hasKind(t, "an unknown account", err, typus.NotFound)
	})
}

// Completions and grants of one account in a random order, some of which fail
// on purpose after booking: what was acknowledged is what is in the ledger.
func TestNoCreditIsLostOrBookedTwice(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		grant(t, s, account, 10)
		var candidates []int64
		for range 100 {
			candidates = append(candidates, newCandidate(t, s, account, nil))
		}
		broken := errors.New("broken off on purpose")
		var acknowledged atomic.Int64
		dbtest.AtOnce(8, func(int) {
			for range 50 {
				e, fails := completion(account, candidates[rand.IntN(len(candidates))]), rand.IntN(4) == 0
				if rand.IntN(4) == 0 {
					e = typus.CreditEntry{AccountID: account, Delta: 1, Reason: typus.ReasonGrant, Actor: "operator", CreatedAt: noon}
				}
				err := s.InTx(t.Context(), func(tx *store.Tx) error {
					if _, err := tx.BookCredit(t.Context(), e); err != nil {
						return err
					}
					if fails {
						return broken
					}
					return nil
				})
				switch {
				case err == nil:
					acknowledged.Add(e.Delta)
				case !errors.Is(err, broken) && typus.KindOf(err) != typus.Conflict:
					t.Error(err)
				}
			}
		})
		entries := must[[]typus.CreditEntry](t)(s.CreditEntries(t.Context(), account, 1000))
		var sum int64
		for i, e := range entries {
			sum += e.Delta
			if i+1 < len(entries) && e.BalanceAfter != entries[i+1].BalanceAfter+e.Delta {
				t.Errorf("entry %+v follows %+v", e, entries[i+1])
			}
		}
		balance := must[typus.Account](t)(s.Account(t.Context(), account)).Credits
		if want := 10 + acknowledged.Load(); balance != want || sum != want {
			t.Errorf("balance %d, sum of the ledger %d, acknowledged %d", balance, sum, want)
		}
	})
}
