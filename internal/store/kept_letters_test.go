package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// keep claims what is due in test worlds and keeps it, as a courier does.
func keep(t testing.TB, s *store.Store, sends bool) []typus.Letter {
	t.Helper()
	claimed := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 100, Kept: true}))
	for i := range claimed {
		claimed[i].State = typus.LetterSent
		if !must[bool](t)(s.KeepLetter(t.Context(), "me", claimed[i], []byte("sealed"), sends)) {
			t.Errorf("letter %d is somebody else's", claimed[i].ID)
		}
	}
	return claimed
}

func keptOf(t testing.TB, s *store.Store, world int64) []typus.KeptLetter {
	t.Helper()
	return must[[]typus.KeptLetter](t)(s.KeptLetters(t.Context(), world, 0, 100))
}

// Live letters and those of worlds are never claimed together, also once they have become due
// later, were tried before, or are sent again by a person.
func TestLettersOfTestWorldsAreClaimedForThemselves(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		now := noon
		s = s.WithClock(func() time.Time { return now })
		live := newAccount(t, s)
		world := newWorld(t, s, live)
		owner := newUser(t, s, typus.User{AccountID: live, Email: unique("ada") + "@example.com", Role: typus.RoleOwner}, "hash")
		for _, account := range []int64{live, world} {
			id := newCandidate(t, s, account, nil)
			addLetter(t, s, invitation(account, id))
			later := invitation(account, id)
			later.NextAttemptAt = noon.Add(time.Minute)
			addLetter(t, s, later)
			write(t, s, func(tx *store.Tx) error {
				team := typus.Letter{AccountID: account, CandidateID: id, Kind: typus.LetterCompleted, Language: "de", CreatedAt: noon}
				if err := tx.AddLetterToTeam(t.Context(), team); err != nil {
					return err
				}
				digest := typus.Letter{AccountID: account, UserID: owner, Kind: typus.LetterDigest, Language: "de", To: "a@example.com", CreatedAt: noon, NextAttemptAt: noon}
				if err := tx.AddLetterOnce(t.Context(), digest, noon.Add(-time.Hour)); err != nil {
					return err
				}
				receipt := typus.Letter{AccountID: account, CandidateID: id, Kind: typus.LetterReceipt, Language: "de", To: "a@example.com", CreatedAt: noon}
				return tx.AddLetterIfInvited(t.Context(), receipt)
			})
		}
		now = noon.Add(time.Hour)
		for account, claim := range map[int64]store.Claim{live: {Owner: "me", Lease: lease, Limit: 100}, world: {Owner: "me", Lease: lease, Limit: 100, Kept: true}} {
			_, due, err := s.NextLetter(t.Context())
			_, kept, wrong := s.NextKeptLetter(t.Context())
			if !due && !kept || err != nil || wrong != nil {
				t.Errorf("due: %t and %t, %v, %v", due, kept, err, wrong)
			}
			letters := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), claim))
			if len(letters) != 5 || slices.ContainsFunc(letters, func(l typus.Letter) bool { return l.AccountID != account }) {
				t.Errorf("of account %d come %+v", account, letters)
			}
			for _, l := range letters {
				l.State = typus.LetterFailed
				must[bool](t)(s.FinishLetter(t.Context(), "me", l, 0))
				write(t, s, func(tx *store.Tx) error {
					_, err := tx.RetryLetter(t.Context(), account, l.ID, now)
					return err
				})
			}
			again := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), claim))
			if len(again) != 5 || slices.ContainsFunc(again, func(l typus.Letter) bool { return l.AccountID != account }) {
				t.Errorf("again of account %d come %+v", account, again)
			}
		}
		for name, next := range map[string]func() (time.Duration, bool, error){
			"live": func() (time.Duration, bool, error) { return s.NextLetter(t.Context()) },
			"kept": func() (time.Duration, bool, error) { return s.NextKeptLetter(t.Context()) },
		} {
			if _, waits, err := next(); waits || err != nil {
				t.Errorf("%s letters wait: %v", name, err)
			}
		}
	})
}

func TestKeptLettersAreReadByTheirWorldNewestFirst(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		world, other := newWorld(t, s, newAccount(t, s)), newWorld(t, s, newAccount(t, s))
		id, theirs := newCandidate(t, s, world, nil), newCandidate(t, s, other, nil)
		for range 3 {
			addLetter(t, s, invitation(world, id))
		}
		addLetter(t, s, invitation(other, theirs))
		keep(t, s, false)
		kept := keptOf(t, s, world)
		if len(kept) != 3 || kept[0].ID < kept[1].ID || kept[1].ID < kept[2].ID || string(kept[0].Sealed) != "sealed" || kept[0].CandidateID != id {
			t.Fatalf("%+v", kept)
		}
		if older := must[[]typus.KeptLetter](t)(s.KeptLetters(t.Context(), world, kept[0].ID, 1)); len(older) != 1 || older[0].ID != kept[1].ID {
			t.Errorf("older than the newest: %+v", older)
		}
		if one := must[typus.KeptLetter](t)(s.KeptLetter(t.Context(), world, kept[2].ID)); one.LetterID != kept[2].LetterID {
			t.Errorf("%+v", one)
		}
		_, err := s.KeptLetter(t.Context(), other, kept[0].ID)
		hasKind(t, "another world's letter", err, typus.NotFound)
	})
}

func TestKeptLettersAreFoundByTheAddressTheyWereWrittenTo(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		world, other := newWorld(t, s, newAccount(t, s)), newWorld(t, s, newAccount(t, s))
		for _, w := range []int64{world, other} {
			for _, to := range []string{"Ökonom@example.com", "b@example.com", "ökonom@EXAMPLE.com", "okonom@example.com"} {
				addLetter(t, s, typus.Letter{AccountID: w, Kind: typus.LetterDigest, Language: "de", To: to, CreatedAt: noon})
			}
		}
		keep(t, s, false)
		find := must[[]typus.KeptLetter](t)
		found := find(s.KeptLettersTo(t.Context(), world, "öKONOM@example.com", 0, 10))
		if len(found) != 2 || found[0].ID < found[1].ID || found[0].AccountID != world || found[1].AccountID != world {
			t.Fatalf("%+v", found)
		}
		if next := find(s.KeptLettersTo(t.Context(), world, "ökonom@example.com", found[0].ID, 10)); len(next) != 1 || next[0].ID != found[1].ID {
			t.Errorf("before the newest: %+v", next)
		}
		for _, to := range []string{"", "nobody@example.com", "b@example", "%", "b\x00@example.com"} {
			if found := find(s.KeptLettersTo(t.Context(), world, to, 0, 10)); len(found) > 0 {
				t.Errorf("to %q: %+v", to, found)
			}
		}
	})
}

// Whoever has lost the lease of a letter keeps nothing, and nothing of it is kept twice.
func TestALetterIsKeptOnceByWhoeverHoldsIt(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		world := newWorld(t, s, newAccount(t, s))
		addLetter(t, s, invitation(world, newCandidate(t, s, world, nil)))
		l := keep(t, s, false)[0]
		for _, owner := range []string{"me", "you"} {
			if must[bool](t)(s.KeepLetter(t.Context(), owner, l, []byte("twice"), false)) {
				t.Error("it is kept again")
			}
		}
		if kept := keptOf(t, s, world); len(kept) != 1 || string(kept[0].Sealed) != "sealed" {
			t.Errorf("%+v", kept)
		}
	})
}

// The 30 days are the machine's, however the world's clock is moved.
func TestKeptLettersAreDroppedAfter30DaysOfTheMachine(t *testing.T) {
	storetest.Run(t, func(t *testing.T, open *store.Store) {
		now := noon
		s := open.WithClock(func() time.Time { return now })
		world := newWorld(t, s, newAccount(t, s))
		addLetter(t, s, invitation(world, newCandidate(t, s, world, nil)))
		keep(t, s, false)
		write(t, s, func(tx *store.Tx) error { return tx.MoveWorld(t.Context(), world, 90*24*time.Hour) })
		drop := func(at time.Time) {
			write(t, s, func(tx *store.Tx) error {
				_, err := tx.DropKeptLetters(t.Context(), at)
				return err
			})
		}
		drop(noon.Add(typus.KeepKeptLetters - time.Second))
		if kept := keptOf(t, s, world); len(kept) != 1 || !kept[0].CreatedAt.Equal(noon.Add(-90*24*time.Hour)) {
			t.Errorf("before: %+v", kept)
		}
		drop(noon.Add(typus.KeepKeptLetters))
		if kept := keptOf(t, s, world); len(kept) != 0 {
			t.Errorf("after: %+v", kept)
		}
	})
}

// A digest names people of whom it is not known whom, so all of the world's go.
func TestErasingACandidateTakesTheirKeptLettersAway(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		world := newWorld(t, s, newAccount(t, s))
		id, stays := newCandidate(t, s, world, nil), newCandidate(t, s, world, nil)
		addLetter(t, s, invitation(world, id))
		addLetter(t, s, typus.Letter{AccountID: world, CandidateID: id, Kind: typus.LetterCompleted, Language: "de", To: "a@example.com", CreatedAt: noon})
		addLetter(t, s, typus.Letter{AccountID: world, Kind: typus.LetterDigest, Language: "de", To: "a@example.com", CreatedAt: noon})
		addLetter(t, s, invitation(world, stays))
		keep(t, s, false)
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), world, id, noon) })
		if kept := keptOf(t, s, world); len(kept) != 1 || kept[0].CandidateID != stays {
			t.Errorf("%+v", kept)
		}
	})
}

// A letter that was being written when its candidate was erased is not kept.
func TestWhatIsErasedMeanwhileIsNotKept(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		world := newWorld(t, s, newAccount(t, s))
		id := newCandidate(t, s, world, nil)
		addLetter(t, s, invitation(world, id))
		l := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: lease, Limit: 1, Kept: true}))[0]
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), world, id, noon) })
		l.State = typus.LetterSent
		if must[bool](t)(s.KeepLetter(t.Context(), "me", l, []byte("sealed"), false)) || len(keptOf(t, s, world)) != 0 {
			t.Error("it is kept")
		}
	})
}

func TestOnlyATestWorldForwardsLetters(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newAccount(t, s)
		world := newWorld(t, s, live)
		err := s.InTx(t.Context(), func(tx *store.Tx) error { return tx.SetForwardsLetters(t.Context(), live, true) })
		hasKind(t, "a live account", err, typus.NotFound)
		for _, on := range []bool{true, false} {
			write(t, s, func(tx *store.Tx) error { return tx.SetForwardsLetters(t.Context(), world, on) })
			if a := must[typus.Account](t)(s.Account(t.Context(), world)); a.ForwardsLetters != on {
				t.Errorf("it forwards: %t", a.ForwardsLetters)
			}
		}
	})
}

// forwarding is a world that forwards letters, with one that is kept and to be sent.
func forwarding(t testing.TB, s *store.Store) int64 {
	t.Helper()
	live := newAccount(t, s)
	world := newWorld(t, s, live)
	email := strings.ToUpper(unique("ada")) + "@example.com"
	newUser(t, s, typus.User{AccountID: live, Email: email, Role: typus.RoleMember}, "hash")
	write(t, s, func(tx *store.Tx) error { return tx.SetForwardsLetters(t.Context(), world, true) })
	addLetter(t, s, typus.Letter{AccountID: world, Kind: typus.LetterDigest, Language: "de", To: strings.ToLower(email), CreatedAt: noon})
	keep(t, s, true)
	return world
}

// The clock of the database was ahead, or behind, and is set right: nothing that is to be
// forwarded waits for longer than its ladder says.
func TestNoKeptLetterWaitsForAClockThatWasWrong(t *testing.T) {
	storetest.Run(t, func(t *testing.T, open *store.Store) {
		for _, wrong := range jumps {
			now := noon.Add(wrong)
			s := open.WithClock(func() time.Time { return now })
			world := forwarding(t, s)
			now = noon
			if wrong > 0 {
				now = now.Add(reach.Again)
			}
			claimed := must[[]store.Forward](t)(s.ClaimForwards(t.Context(), reach, 10))
			if len(claimed) != 1 || claimed[0].AccountID != world || claimed[0].Tries != 1 {
				t.Errorf("a clock that was %s off: %+v", wrong, claimed)
			}
			for _, f := range claimed {
				if err := s.FinishForward(t.Context(), f, false, 0); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// What a courier did not finish is sent by another one, and the first says nothing any more.
func TestAForwardIsHeldForItsLease(t *testing.T) {
	storetest.Run(t, func(t *testing.T, open *store.Store) {
		now := noon
		s := open.WithClock(func() time.Time { return now })
		forwarding(t, s)
		claim := func() []store.Forward {
			return must[[]store.Forward](t)(s.ClaimForwards(t.Context(), reach, 10))
		}
		first := claim()[0]
		if again := claim(); len(again) != 0 {
			t.Errorf("claimed twice: %+v", again)
		}
		now = now.Add(reach.Lease)
		second := claim()[0]
		if err := s.FinishForward(t.Context(), first, false, 0); err != nil || second.Tries != 2 {
			t.Errorf("%+v, %v", second, err)
		}
		if err := s.FinishForward(t.Context(), second, true, time.Minute); err != nil {
			t.Error(err)
		}
		if early := claim(); len(early) != 0 {
			t.Errorf("claimed early: %+v", early)
		}
		now = now.Add(time.Minute)
		if third := claim(); len(third) != 1 || third[0].Tries != 3 {
			t.Errorf("%+v", third)
		}
	})
}
