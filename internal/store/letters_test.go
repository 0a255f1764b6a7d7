package store_test

import (
	"maps"
	"reflect"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func addLetter(t testing.TB, s *store.Store, l typus.Letter) int64 {
	t.Helper()
	var id int64
	write(t, s, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddLetter(t.Context(), l)
		return err
	})
	return id
}

var reach = store.Ahead{Lease: lease, Again: 5 * time.Hour}

func invitation(account, candidate int64) typus.Letter {
	return typus.Letter{AccountID: account, CandidateID: candidate, Kind: typus.LetterInvitation, Language: "de", To: "old@example.com", CreatedAt: noon}
}

func TestALetterIsQueuedAndDueAtOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		_, err := s.LastLetter(t.Context(), account, candidate, typus.LetterInvitation)
		hasKind(t, "a letter before there is one", err, typus.NotFound)
		addLetter(t, s, invitation(account, candidate))
		want := invitation(account, candidate)
		want.ID = addLetter(t, s, want)
		want.State, want.NextAttemptAt = typus.LetterQueued, noon
		if got := must[typus.Letter](t)(s.LastLetter(t.Context(), account, candidate, typus.LetterInvitation)); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		_, err = s.LastLetter(t.Context(), other, candidate, typus.LetterInvitation)
		hasKind(t, "another account's letter", err, typus.NotFound)
		_, err = s.LastLetter(t.Context(), account, candidate, typus.LetterCreditsLow)
		hasKind(t, "a letter of another kind", err, typus.NotFound)
		if list := must[[]typus.Letter](t)(s.Letters(t.Context(), account, 1)); len(list) != 1 || !reflect.DeepEqual(list[0], want) {
			t.Errorf("the newest: %+v", list)
		}
		if list := must[[]typus.Letter](t)(s.Letters(t.Context(), other, 10)); len(list) != 0 {
			t.Errorf("another account's letters: %+v", list)
		}
		if n := must[int](t)(s.QueuedLetters(t.Context())); n != 2 {
			t.Errorf("%d queued, want 2", n)
		}
	})
}

// Letters to the team are about the candidate, too; whether one to the candidate is
// on its way is told from the newest.
func TestOfMoreLettersThanAreReadTheNewestAreListedOldestFirst(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		many := make([]typus.Letter, 200)
		for n := range many {
			many[n] = typus.Letter{AccountID: account, CandidateID: candidate, Kind: typus.LetterLinkRequested, Language: "de", To: "owner@example.com", CreatedAt: noon}
		}
		addLetter(t, s, invitation(account, candidate))
		write(t, s, func(tx *store.Tx) error { return tx.AddLetters(t.Context(), many) })
		newest := addLetter(t, s, invitation(account, candidate))
		list := must[[]typus.Letter](t)(s.LettersOf(t.Context(), account, candidate))
		if len(list) != 200 || list[199].ID != newest || list[0].Kind != typus.LetterLinkRequested || list[0].ID >= list[1].ID {
			t.Errorf("%d letters, from %+v to %+v", len(list), list[0], list[len(list)-1])
		}
	})
}

func TestAClaimedLetterGoesToTheCandidatesPresentAddress(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		candidate := newCandidate(t, s, account, func(c *store.NewCandidate) { c.Email = "new@example.com" })
		addLetter(t, s, invitation(account, candidate))
		addLetter(t, s, typus.Letter{AccountID: account, Kind: typus.LetterCreditsLow, Language: "de", To: "owner@example.com", CreatedAt: noon.Add(time.Second)})
		later := invitation(account, candidate)
		later.NextAttemptAt = time.Now().Add(time.Hour)
		addLetter(t, s, later)
		claimed := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 10}))
		to := map[string]bool{}
		for _, l := range claimed {
			to[l.To] = true
			if l.State != typus.LetterSending || l.Attempts != 1 {
				t.Errorf("claimed %+v", l)
			}
		}
		if !maps.Equal(to, map[string]bool{"new@example.com": true, "owner@example.com": true}) {
			t.Errorf("claimed letters to %v", to)
		}
		if again := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 10})); len(again) != 0 {
			t.Errorf("claimed twice: %+v", again)
		}
		wait, waits, err := s.NextLetter(t.Context())
		if !waits || err != nil || wait < 59*time.Minute || wait > time.Hour {
			t.Errorf("next in %s, %t, %v; want an hour", wait, waits, err)
		}
	})
}

func TestALetterIsWrittenBackByItsOwnerOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		addLetter(t, s, invitation(account, candidate))
		claim := func() typus.Letter {
			return must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 1}))[0]
		}
		finish := func(owner string, l typus.Letter, in time.Duration) bool {
			return must[bool](t)(s.FinishLetter(t.Context(), owner, l, in))
		}
		first := claim()
		again := first
		again.State, again.LastCode, again.LastError = typus.LetterQueued, 451, "greylisted"
		if finish("you", again, 0) || !finish("me", again, 0) || finish("me", again, 0) {
			t.Error("not written back exactly once by the owner")
		}
		second := claim()
		if second.Attempts != 2 || second.LastCode != 451 || second.LastError != "greylisted" {
			t.Errorf("second attempt: %+v", second)
		}
		if finish("me", first, 0) {
			t.Error("the first attempt was written over the second")
		}
		second.State, second.LastCode, second.LastError = typus.LetterSent, 250, ""
		if !finish("me", second, 0) {
			t.Error("the owner could not write back")
		}
		got := must[typus.Letter](t)(s.LastLetter(t.Context(), account, candidate, typus.LetterInvitation))
		if got.State != typus.LetterSent || got.LastCode != 250 || time.Since(got.SentAt) > time.Minute || got.To != second.To {
			t.Errorf("sent: %+v", got)
		}
		if _, waits, err := s.NextLetter(t.Context()); waits || err != nil {
			t.Errorf("something waits: %t, %v", waits, err)
		}
	})
}

func TestLettersComeBackFromAReleaseAndFromAnExpiredLease(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		addLetter(t, s, invitation(account, candidate))
		if n := must[int](t)(s.ReleaseLetters(t.Context(), "me")); n != 0 {
			t.Errorf("released %d unclaimed letters", n)
		}
		for i, free := range []func() (int, error){
			func() (int, error) { return s.ReleaseLetters(t.Context(), "me") },
			func() (int, error) { return s.SweepLetters(t.Context(), reach) },
		} {
			term := []time.Duration{lease, -time.Second}[i]
			if n := len(must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: term, Limit: 1}))); n != 1 {
				t.Fatalf("round %d: claimed %d", i, n)
			}
			if n := must[int](t)(s.ReleaseLetters(t.Context(), "you")); n != 0 {
				t.Errorf("round %d: another owner released %d", i, n)
			}
			if n := must[int](t)(free()); n != 1 {
				t.Errorf("round %d: %d came back", i, n)
			}
		}
		must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 1}))
		if n := must[int](t)(s.SweepLetters(t.Context(), reach)); n != 0 {
			t.Errorf("swept %d live leases", n)
		}
	})
}

func TestTheMailStateIsThatOfTheNewestInvitation(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		none, two, foreign := newCandidate(t, s, account, nil), newCandidate(t, s, account, nil), newCandidate(t, s, other, nil)
		sent := invitation(account, two)
		sent.State = typus.LetterFailed
		addLetter(t, s, sent)
		addLetter(t, s, invitation(account, two))
		reminder := invitation(account, two)
		reminder.Kind, reminder.State = "reminder", typus.LetterSent
		addLetter(t, s, reminder)
		addLetter(t, s, invitation(other, foreign))
		got := must[map[int64]typus.LetterState](t)(s.MailStates(t.Context(), account, []int64{none, two, foreign}))
		if want := map[int64]typus.LetterState{two: typus.LetterQueued}; !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := must[map[int64]typus.LetterState](t)(s.MailStates(t.Context(), account, nil)); len(got) != 0 {
			t.Errorf("of nobody: %v", got)
		}
		if _, err := s.MailStates(t.Context(), account, make([]int64, 100)); err != nil {
			t.Errorf("100 candidates: %v", err)
		}
		_, err := s.MailStates(t.Context(), account, make([]int64, 101))
		hasKind(t, "101 candidates", err, typus.Invalid)
	})
}

func TestAnAccountHearsOfOneThingOnceADay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		toCandidate := invitation(account, candidate)
		toCandidate.Kind = typus.LetterCreditsLow // a letter to a candidate never counts
		addLetter(t, s, toCandidate)
		since := func(account int64, kind typus.LetterKind, at time.Time) bool {
			return must[bool](t)(s.AccountLetterSince(t.Context(), account, kind, at, noon))
		}
		if since(account, typus.LetterCreditsLow, noon) {
			t.Error("a letter to a candidate counted")
		}
		addLetter(t, s, typus.Letter{AccountID: account, Kind: typus.LetterCreditsLow, Language: "de", To: "owner@example.com", CreatedAt: noon})
		if !since(account, typus.LetterCreditsLow, noon) || since(account, typus.LetterCreditsLow, noon.Add(time.Millisecond)) ||
			since(account, typus.LetterCreditsEmpty, noon) || since(other, typus.LetterCreditsLow, noon) {
			t.Error("not exactly this account, kind and time")
		}
	})
}

func TestTheKindsInStatementsAreThoseOfTheTable(t *testing.T) {
	if got, want := store.CandidateKinds, "'invitation', 'reminder', 'receipt', 'own_code', 'own_released', 'own_answered'"; got != want {
		t.Errorf("letters to candidates: %s, want %s", got, want)
	}
	if got, want := store.CountedKinds, "'invitation', 'reminder', 'receipt', 'own_released', 'team_invitation'"; got != want {
		t.Errorf("counted letters: %s, want %s", got, want)
	}
}
