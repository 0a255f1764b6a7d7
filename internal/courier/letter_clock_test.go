package courier

import (
	"testing"
	"time"

	"typus"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// nowIs sets the clock of a courier off by so much.
func nowIs(off time.Duration) func(*Courier) {
	return func(c *Courier) { c.clock = func() time.Time { return time.Now().Add(off) } }
}

// looks is how often a letter was looked at that must not be held.
func (w *world) looks(id int64) int {
	w.t.Helper()
	for _, account := range []int64{w.account, 0} { // a sign-up is nobody's yet
		l, err := w.store.Letter(w.t.Context(), account, id)
		if l.State == typus.LetterHeld {
			w.t.Fatalf("%s is held for good: %s", l.Kind, l.LastError)
		}
		if err == nil {
			return l.Attempts
		}
	}
	return 0
}

const year = 365 * 24 * time.Hour

// What a clock that is ahead says is over goes out once it is right again.
func TestALetterThatAClockAheadCallsOverIsPutOff(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		candidate := w.candidate("Anna", "anna@example.com")
		ids := []int64{
			w.add(typus.Letter{CandidateID: candidate, Kind: typus.LetterInvitation}),
			w.add(typus.Letter{CandidateID: candidate, Kind: typus.LetterReminder}),
			w.add(w.link(typus.LetterPasswordReset, w.user(typus.RoleOwner), "reset", time.Now().Add(time.Hour))),
			w.signUp("new", time.Now().Add(time.Hour)),
		}
		stop := start(w.courier(w.smtp(sink), nowIs(year)))
		for _, id := range ids {
			w.eventually("it was looked at thrice", func() bool { return w.looks(id) >= 3 })
		}
		stop()
		if n := len(sink.Envelopes()); n != 0 {
			t.Errorf("%d letters went out", n)
		}
		stop = start(w.courier(w.smtp(sink), nil))
		defer stop()
		w.eventually("all are sent", func() bool { return len(sink.Envelopes()) == len(ids) })
	})
}

// A clock that is behind does not make a link work again.
func TestWhoAsksForANewLinkIsReportedByAClockThatIsBehind(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		id := w.candidate("Anna", "anna@example.com")
		w.tx(func(tx *store.Tx) error {
			return tx.ExtendCandidate(t.Context(), w.account, id, time.Now().Add(-time.Hour))
		})
		letter := w.add(typus.Letter{CandidateID: id, Kind: typus.LetterLinkRequested, To: "team@example.com"})
		stop := start(w.courier(w.smtp(sink), nowIs(-year)))
		defer stop()
		if l := w.settled(letter); l.State != typus.LetterSent {
			t.Errorf("the letter is %s: %s", l.State, l.LastError)
		}
	})
}
