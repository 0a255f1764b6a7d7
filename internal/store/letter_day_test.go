package store_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// atNoon is a store whose day does not end during a test.
func atNoon(s *store.Store) *store.Store {
	return s.WithClock(func() time.Time { return noon.Add(time.Second) })
}

func TestLettersAboveTheDailyNumberAreHeldUntilTomorrow(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		s = atNoon(s)
		account, other := newAccount(t, s), newAccount(t, s)
		candidate, foreign := newCandidate(t, s, account, nil), newCandidate(t, s, other, nil)
		var ids []int64
		for range 5 {
			ids = append(ids, addLetter(t, s, invitation(account, candidate)))
		}
		reset := addLetter(t, s, typus.Letter{AccountID: account, Kind: typus.LetterPasswordReset, To: "a@example.com", CreatedAt: noon})
		theirs := addLetter(t, s, invitation(other, foreign))
		claim := func() []int64 {
			var got []int64
			for _, l := range must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 10, PerDay: 3})) {
				got = append(got, l.ID)
				l.State = typus.LetterSent
				must[bool](t)(s.FinishLetter(t.Context(), "me", l, 0))
			}
			slices.Sort(got)
			return got
		}
		if got, want := claim(), append(slices.Clone(ids[:3]), reset, theirs); !slices.Equal(got, want) {
			t.Errorf("claimed %v, want %v", got, want)
		}
		midnight := noon.Truncate(24 * time.Hour).Add(24 * time.Hour)
		for _, id := range ids[3:] {
			l := must[typus.Letter](t)(s.Letter(t.Context(), account, id))
			if l.State != typus.LetterHeld || !l.HeldUntil.Equal(midnight) || l.Attempts != 0 {
				t.Errorf("%+v, want held until %s", l, midnight)
			}
		}
		if n := must[int](t)(s.ReleaseHeld(t.Context())); n != 0 {
			t.Errorf("%d released on the same day", n)
		}
		if got := claim(); got != nil {
			t.Errorf("claimed %v on the same day", got)
		}
		later := addLetter(t, s, invitation(account, candidate))
		if got := claim(); got != nil || must[typus.Letter](t)(s.Letter(t.Context(), account, later)).State != typus.LetterHeld {
			t.Errorf("claimed %v, want the new letter held too", got)
		}
		// A letter that somebody wants at once is held again: the number is the operator's.
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.RetryLetter(t.Context(), account, later, noon)
			return err
		})
		if got := claim(); got != nil {
			t.Errorf("claimed %v by hand", got)
		}
		// Tomorrow has come.
		write(t, s, func(tx *store.Tx) error {
			return tx.Exec(t.Context(), `update letters set held_until = 1 where held_until is not null`)
		})
		if n := must[int](t)(s.ReleaseHeld(t.Context())); n != 3 {
			t.Errorf("%d released, want 3", n)
		}
	})
}

// An account's own number takes the place of the server's, above it and below it, and holds
// where the server has none; 0 is the server's again.
func TestTheDailyNumberOfAnAccountTakesThePlaceOfTheServers(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		s = atNoon(s)
		number := func(account int64, n int) {
			write(t, s, func(tx *store.Tx) error {
				a, err := tx.LockAccount(t.Context(), account)
				if err != nil {
					return err
				}
				a.LettersADay = n
				return tx.SetAccount(t.Context(), a)
			})
		}
		for _, c := range []struct{ server, own, of, want int }{{0, 0, 5, 5}, {0, 3, 5, 3}, {2, 4, 5, 4}, {4, 2, 5, 2}, {3, 0, 5, 3}} {
			account, other := newAccount(t, s), newAccount(t, s)
			number(account, 1)
			number(account, c.own)
			for _, of := range []int64{account, other} {
				candidate := newCandidate(t, s, of, nil)
				for range c.of {
					addLetter(t, s, invitation(of, candidate))
				}
			}
			got := map[int64]int{}
			for range 2 { // what went out counts as well as what goes out right now
				for _, l := range must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: unique("me"), Lease: lease, Limit: 2 * c.of, PerDay: c.server})) {
					got[l.AccountID]++
				}
			}
			others := c.of
			if c.server > 0 {
				others = c.server
			}
			if got[account] != c.want || got[other] != others {
				t.Errorf("%+v: %d letters go out, and %d of the other account", c, got[account], got[other])
			}
		}
	})
}

func TestManyInstancesTogetherKeepToTheDailyNumber(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		s = atNoon(s)
		account := newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		for range 40 {
			addLetter(t, s, invitation(account, candidate))
		}
		var (
			mu    sync.Mutex
			going int
		)
		dbtest.AtOnce(8, func(int) {
			for range 3 {
				claimed, err := s.ClaimLetters(t.Context(), store.Claim{Owner: unique("me"), Lease: lease, Limit: 5, PerDay: 7})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				going += len(claimed)
				mu.Unlock()
			}
		})
		if going != 7 {
			t.Errorf("%d letters go out, want 7", going)
		}
	})
}

func TestTheLogOfLettersFiltersAndPages(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		ids := map[typus.LetterStand]int64{}
		for filter, change := range map[typus.LetterStand]string{
			typus.LetterStandWaiting:   `state = 'queued'`,
			typus.LetterStandDeferred:  `state = 'queued', attempts = 2`,
			typus.LetterStandPostponed: `state = 'held', held_until = 1`,
			typus.LetterStandSent:      `state = 'sent', attempts = 1`,
			typus.LetterStandUncertain: `state = 'uncertain', attempts = 2`,
			typus.LetterStandBounced:   `state = 'failed', attempts = 1`,
			typus.LetterStandHeld:      `state = 'held'`,
		} {
			l := invitation(account, candidate)
			l.Language = string(filter)
			ids[filter] = addLetter(t, s, l)
			write(t, s, func(tx *store.Tx) error {
				return tx.Exec(t.Context(), `update letters set `+change+` where language = '`+string(filter)+`'`)
			})
		}
		log := func(account int64, filter typus.LetterStand, before int64, limit int) []typus.Letter {
			return must[[]typus.Letter](t)(s.LetterLog(t.Context(), store.WholeAccount(account), filter, before, limit))
		}
		for filter, id := range ids {
			if got := log(account, filter, 0, 10); len(got) != 1 || got[0].ID != id {
				t.Errorf("%s: %+v, want letter %d", filter, got, id)
			}
		}
		first := log(account, "", 0, 3)
		rest := log(account, "", first[2].ID, 3)
		if len(first) != 3 || len(rest) != 3 || first[2].ID <= rest[0].ID {
			t.Errorf("pages %v and %v", first, rest)
		}
		if got := log(other, "", 0, 10); len(got) != 0 {
			t.Errorf("another account's letters: %v", got)
		}
		_, err := s.LetterLog(t.Context(), store.WholeAccount(account), "nonsense", 0, 10)
		hasKind(t, "an unknown filter", err, typus.Invalid)
		for filter, again := range map[typus.LetterStand]bool{typus.LetterStandSent: false, typus.LetterStandUncertain: true, typus.LetterStandBounced: true, typus.LetterStandHeld: true, typus.LetterStandPostponed: true, typus.LetterStandDeferred: true} {
			write(t, s, func(tx *store.Tx) error {
				got, err := tx.RetryLetter(t.Context(), account, ids[filter], noon)
				if got != again {
					t.Errorf("%s: tried again %t", filter, got)
				}
				return err
			})
		}
	})
}
