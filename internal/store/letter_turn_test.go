package store_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// addMany queues so many invitations of an account, as an import does.
func addMany(t *testing.T, s *store.Store, account int64, n int) {
	t.Helper()
	many := make([]typus.Letter, n)
	for i := range many {
		many[i] = invitation(account, 0)
	}
	write(t, s, func(tx *store.Tx) error { return tx.AddLetters(t.Context(), many) })
}

// batchOf claims the next letters and says which came of which account.
func batchOf(t *testing.T, s *store.Store, limit int) ([]typus.Letter, map[int64]int) {
	t.Helper()
	letters := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: unique("me"), Lease: lease, Limit: limit}))
	accounts := map[int64]int{}
	for _, l := range letters {
		accounts[l.AccountID]++
	}
	return letters, accounts
}

func TestAPersonWhoWaitsGoesBeforeTenThousandInvitations(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		big, small, third := newAccount(t, s), newAccount(t, s), newAccount(t, s)
		addMany(t, s, big, 10000)
		batchOf(t, s, 25)
		reset := addLetter(t, s, typus.Letter{AccountID: small, Kind: typus.LetterPasswordReset, Language: "de", To: "ada@example.com", CreatedAt: noon})
		addLetter(t, s, invitation(third, 0))
		again := must[[]typus.Letter](t)(s.LetterLog(t.Context(), store.WholeAccount(big), typus.LetterStandWaiting, 0, 1))[0]
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.RetryLetter(t.Context(), big, again.ID, noon)
			return err
		})
		first, _ := batchOf(t, s, 25)
		if ids := []int64{first[0].ID, first[1].ID}; !slices.Contains(ids, reset) || !slices.Contains(ids, again.ID) {
			t.Errorf("the next are %v, want the reset %d and what a person sends again, %d", ids, reset, again.ID)
		}
		_, second := batchOf(t, s, 25)
		if n := slices.IndexFunc(first, func(l typus.Letter) bool { return l.AccountID == third }); n < 0 && second[third] == 0 {
			t.Error("the third account's invitation is not in the second batch")
		}
	})
}

// Whatever they have queued, in whatever order, accounts are served one after the
// other.
func TestTheOutboxServesOneAccountAfterTheOther(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		a, b, c := newAccount(t, s), newAccount(t, s), newAccount(t, s)
		addMany(t, s, a, 600)
		for range 4 {
			batchOf(t, s, 25) // a was alone for long, which is not held against it
		}
		addMany(t, s, b, 300)
		if _, got := batchOf(t, s, 20); got[a] < 9 || got[b] < 9 {
			t.Errorf("of two accounts so many went: %v", got)
		}
		for range 50 {
			addLetter(t, s, invitation(c, 0))
		}
		if _, got := batchOf(t, s, 30); got[a] < 9 || got[b] < 9 || got[c] < 9 {
			t.Errorf("of three accounts so many went: %v", got)
		}
	})
}

// What comes back to be tried again, or was held for its day, goes in turn as well.
func TestWhatBecomesDueLaterTakesItsTurn(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		a, b := newAccount(t, s), newAccount(t, s)
		addMany(t, s, a, 400)
		write(t, s, func(tx *store.Tx) error {
			return tx.Exec(t.Context(), `update letters set turn = null, attempts = 1, next_attempt_at = id`)
		})
		batchOf(t, s, 25)
		addMany(t, s, b, 30)
		if _, got := batchOf(t, s, 20); got[a] < 9 || got[b] < 9 {
			t.Errorf("so many went: %v", got)
		}
		write(t, s, func(tx *store.Tx) error {
			return tx.Exec(t.Context(), `update letters set state = 'held', turn = null, held_until = 1 where state = 'queued'`)
		})
		if n := must[int](t)(s.ReleaseHeld(t.Context())); n < 300 {
			t.Fatalf("%d released", n)
		}
		if _, got := batchOf(t, s, 20); got[a] < 9 || got[b] < 9 {
			t.Errorf("after they were held so many went: %v", got)
		}
	})
}

func TestSeveralInstancesTakeEachLetterOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		const each, accounts = 100, 4
		for range accounts {
			addMany(t, s, newAccount(t, s), each)
		}
		write(t, s, func(tx *store.Tx) error { // some are lined up by whoever claims
			return tx.Exec(t.Context(), `update letters set turn = null where id % 3 = 0`)
		})
		var (
			mu   sync.Mutex
			seen = map[int64]int{}
		)
		dbtest.AtOnce(8, func(int) {
			for range 40 {
				letters, err := s.ClaimLetters(t.Context(), store.Claim{Owner: unique("me"), Lease: lease, Limit: 7})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, l := range letters {
					seen[l.ID]++
				}
				mu.Unlock()
			}
		})
		for id, n := range seen {
			if n != 1 {
				t.Errorf("letter %d was claimed %d times", id, n)
			}
		}
		if len(seen) != each*accounts {
			t.Errorf("%d letters were claimed, want %d", len(seen), each*accounts)
		}
	})
}

// However many wait, the next ones are read from the head of an index.
func TestTheNextLettersAreFoundWithoutReadingThoseThatWait(t *testing.T) {
	s, ran := everythingRecorded(t)
	seen := planned(t, s, ran, holds("order by urgent desc, turn, id limit"), func(plan string) bool {
		return strings.Contains(plan, "USING COVERING INDEX letters_turn") && !strings.Contains(plan, "TEMP B-TREE")
	})
	due := planned(t, s, ran, holds("row_number() over (partition by account_id"), holds("INDEX letters_due (kept=? AND urgent=? AND next_attempt_at<?)"))
	behind := planned(t, s, ran, holds("places as ("), holds("INDEX letters_line (account_id=? AND urgent=? AND turn>?)"))
	ahead := planned(t, s, ran, holds("and attempts > 0 and next_attempt_at > $2"), holds("INDEX letters_again (next_attempt_at>?)"))
	if seen != 1 || due != 1 || behind != 1 || ahead != 1 {
		t.Errorf("%d, %d, %d and %d statements, want one of each", seen, due, behind, ahead)
	}
	postgres := storetest.Open(t, storetest.Postgres(t))
	addMany(t, postgres, newAccount(t, postgres), 10000)
	write(t, postgres, func(tx *store.Tx) error {
		return tx.Exec(t.Context(), "analyze") //nolint:misspell // the word is PostgreSQL's
	})
	for _, text := range ran.list() {
		if !strings.Contains(text, "order by urgent desc, turn, id limit") || strings.HasPrefix(text, "explain") {
			continue
		}
		if plan := strings.Join(planOf(t, postgres, text), "\n"); !strings.Contains(plan, "letters_turn") || strings.Contains(plan, "Sort") {
			t.Errorf("%s\nis the plan of %s", plan, text)
		}
	}
}

// The clock of the database was ahead, or behind, and is set right: nothing in the
// outbox waits longer for it than its lease.
func TestNoLetterWaitsForAClockThatWasWrong(t *testing.T) {
	storetest.Run(t, func(t *testing.T, open *store.Store) {
		for _, wrong := range []time.Duration{5 * time.Hour, 10 * 24 * time.Hour, 2 * 365 * 24 * time.Hour, -5 * time.Hour, -10 * 24 * time.Hour} {
			now := time.Now()
			s := open.WithClock(func() time.Time { return now })
			account := newAccount(t, s)
			now = now.Add(wrong)
			claim := func() []typus.Letter {
				return must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: reach.Lease, Limit: 100, PerDay: 4}))
			}
			at := func(l typus.Letter) typus.Letter { l.CreatedAt = now; return l }
			sending, again := addLetter(t, s, at(invitation(account, 0))), addLetter(t, s, at(invitation(account, 0)))
			for _, l := range claim() {
				if l.State = typus.LetterQueued; l.ID == again {
					must[bool](t)(s.FinishLetter(t.Context(), "me", l, 4*time.Hour))
				}
			}
			queued := addLetter(t, s, at(invitation(account, 0)))
			digest := at(typus.Letter{AccountID: account, Kind: typus.LetterDigest, Language: "de", To: "a@example.com"})
			digest.NextAttemptAt = now.Add(15 * time.Hour)
			addLetter(t, s, digest)

			now = now.Add(-wrong)
			if wrong < 0 {
				now = now.Add(4 * time.Hour) // the time of what is to be tried again
			}
			now = now.Add(reach.Lease + time.Second)
			must[int](t)(s.SweepLetters(t.Context(), reach))
			wait, waits, err := s.NextLetter(t.Context())
			if err != nil || !waits || wait > 0 {
				t.Errorf("a clock that was %v off: next in %v, %t, %v", wrong, wait, waits, err)
			}
			var got []int64
			digests := 0
			for _, l := range claim() {
				if got = append(got, l.ID); l.Kind == typus.LetterDigest {
					digests, got = digests+1, got[:len(got)-1]
				}
			}
			slices.Sort(got)
			if want := []int64{sending, again, queued}; !slices.Equal(got, want) {
				t.Errorf("a clock that was %v off: claimed %v, want %v", wrong, got, want)
			}
			if want := wrong > 24*time.Hour || wrong < -24*time.Hour; (digests == 1) != want {
				t.Errorf("a clock that was %v off: the daily letter goes: %d", wrong, digests)
			}
			write(t, s, func(tx *store.Tx) error { return tx.Exec(t.Context(), `update letters set state = 'failed'`) })
		}
	})
}

// What went out while the clock was ahead does not count on a later day, and is not
// taken for news of today.
func TestWhatWasWrittenInTheFutureDoesNotStandInTheWay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		today := time.Now().UTC()
		future := today.Add(10 * 24 * time.Hour)
		addLetter(t, s, invitation(account, 0))
		digest := typus.Letter{
			AccountID: account, Kind: typus.LetterDigest, Language: "de", To: "a@example.com", CreatedAt: future, NextAttemptAt: future, State: typus.LetterHeld,
		}
		addLetter(t, s, digest)
		refused := typus.Letter{AccountID: account, Kind: typus.LetterCreditsRefused, Language: "de", To: "a@example.com", CreatedAt: future, State: typus.LetterSent}
		addLetter(t, s, refused)
		write(t, s, func(tx *store.Tx) error {
			return tx.Exec(t.Context(), `update letters set state = 'sent', sent_at = 4102444800000 where kind = 'invitation'`)
		})
		if must[bool](t)(s.AccountLetterSince(t.Context(), account, typus.LetterCreditsRefused, today.Truncate(24*time.Hour), today)) {
			t.Error("a letter of a wrong clock counts as today's")
		}
		addLetter(t, s, invitation(account, 0))
		if got := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 10, PerDay: 1})); len(got) != 1 {
			t.Errorf("%d letters go, want 1: what was sent in 2100 is not of today", len(got))
		}
		digest.CreatedAt, digest.NextAttemptAt = today, today.Add(time.Hour)
		write(t, s, func(tx *store.Tx) error { return tx.AddLetterOnce(t.Context(), digest, today.Add(-48*time.Hour)) })
		var waiting []typus.LetterKind
		for _, l := range must[[]typus.Letter](t)(s.LetterLog(t.Context(), store.WholeAccount(account), typus.LetterStandWaiting, 0, 10)) {
			waiting = append(waiting, l.Kind)
		}
		if want := []typus.LetterKind{typus.LetterDigest, typus.LetterInvitation}; !slices.Equal(waiting, want) {
			t.Errorf("waiting: %v, want the daily letter, and the invitation that is being sent", waiting)
		}
	})
}
