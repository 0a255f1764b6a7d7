package assess_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// The invitation was sent, and the reminder planned, while the clock was ahead.
func TestAReminderPlannedByAClockThatWasAheadComesInTime(t *testing.T) {
	for _, ahead := range []time.Duration{5 * time.Hour, 240 * time.Hour} {
		run(t, func(w *world) {
			w.Later(ahead)
			c := w.mailed(jana)
			w.Later(-ahead)
			w.remindDue()
			if n := w.reminders(c); n != 0 {
				w.Fatalf("%d reminders at once", n)
			}
			w.Later(2*aDay + 5*time.Hour)
			w.remindDue()
			if n := w.reminders(c); n != 1 {
				w.Errorf("%d reminders two days after a clock that was %v ahead was set right", n, ahead)
			}
		})
	}
}

func TestALetterOfAClockThatWasAheadDoesNotKeepAnotherBack(t *testing.T) {
	run(t, func(w *world) {
		w.Later(240 * time.Hour)
		c := w.mailed(jana)
		w.Later(-240 * time.Hour)
		if err := w.Assess.Remind(w.Ctx, store.WholeAccount(w.Account), c, ada); err != nil {
			w.Error(err)
		}
	})
}

// mailed invites somebody whose invitation is sent by the world's clock.
func (w *world) mailed(i assess.Invitation) int64 {
	w.Helper()
	out, seen := w.invite(i), w.Store.WithClock(w.Now)
	letters, err := seen.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Minute, Limit: 10})
	if err != nil || len(letters) != 1 {
		w.Fatal(len(letters), err)
	}
	letters[0].State = typus.LetterSent
	if mine, err := seen.FinishLetter(w.Ctx, "me", letters[0], 0); err != nil || !mine {
		w.Fatal(mine, err)
	}
	return out.Candidate.ID
}
