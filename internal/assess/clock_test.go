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
			w.later(ahead)
			c := w.mailed(jana)
			w.later(-ahead)
			w.remindDue()
			if n := w.reminders(c); n != 0 {
				w.Fatalf("%d reminders at once", n)
			}
			w.later(2*aDay + 5*time.Hour)
			w.remindDue()
			if n := w.reminders(c); n != 1 {
				w.Errorf("%d reminders two days after a clock that was %v ahead was set right", n, ahead)
			}
		})
	}
}

func TestALetterOfAClockThatWasAheadDoesNotKeepAnotherBack(t *testing.T) {
	run(t, func(w *world) {
		w.later(240 * time.Hour)
		c := w.mailed(jana)
		w.later(-240 * time.Hour)
		if err := w.steps.Remind(w.ctx, w.account, c, ada); err != nil {
			w.Error(err)
		}
	})
}

// hooked is a webhook of the world's account.
func (w *world) hooked() int64 {
	w.Helper()
	id, _, err := w.steps.CreateEndpoint(w.ctx, w.account, "https://hooks.example.com/", "", ada)
	if err != nil {
		w.Fatal(err)
	}
	return id
}

func TestAWebhookIsSwitchedOnAfterAClockThatWasAhead(t *testing.T) {
	run(t, func(w *world) {
		id := w.hooked()
		for _, ahead := range []time.Duration{5 * time.Hour, 240 * time.Hour} {
			w.later(ahead)
			if err := w.store.InTx(w.ctx, func(tx *store.Tx) error {
				return tx.SetEndpointStatus(w.ctx, w.account, id, typus.EndpointGone, "", w.clock())
			}); err != nil {
				w.Fatal(err)
			}
			w.later(-ahead)
			if _, err := w.steps.ResumeEndpoint(w.ctx, w.account, id, true, ada); err != nil {
				w.Errorf("after a clock that was %v ahead: %v", ahead, err)
			}
		}
	})
}

func TestNoTestEventWaitsForAClockThatWasAhead(t *testing.T) {
	run(t, func(w *world) {
		id := w.hooked()
		for _, ahead := range []time.Duration{5 * time.Hour, 240 * time.Hour} {
			w.later(ahead)
			var err error
			for n := 0; err == nil && n < 6; n++ {
				_, err = w.steps.TestEndpoint(w.ctx, w.account, id, ada)
			}
			if typus.KindOf(err) != typus.TooMany {
				w.Fatal(err)
			}
			w.later(-ahead)
			if _, err := w.steps.TestEndpoint(w.ctx, w.account, id, ada); err != nil {
				w.Errorf("after a clock that was %v ahead: %v", ahead, err)
			}
		}
	})
}

// Until then both secrets sign, so no receiver misses anything.
func TestAChangeOfSecretsBegunByAClockThatWasAheadCanBeEnded(t *testing.T) {
	run(t, func(w *world) {
		id := w.hooked()
		w.later(240 * time.Hour)
		if _, _, err := w.steps.RotateSecret(w.ctx, w.account, id, ada); err != nil {
			w.Fatal(err)
		}
		w.later(-240 * time.Hour)
		if both, err := w.steps.ShowSecrets(w.ctx, w.account, id, ada); err != nil || len(both) != 2 {
			w.Errorf("%d secrets sign, %v", len(both), err)
		}
		if err := w.steps.EndRotation(w.ctx, w.account, id, ada); err != nil {
			w.Error(err)
		}
		if _, _, err := w.steps.RotateSecret(w.ctx, w.account, id, ada); err != nil {
			w.Error(err)
		}
		if err := w.steps.SwitchSecret(w.ctx, w.account, id, ada); err != nil {
			w.Error(err)
		}
	})
}

// mailed invites somebody whose invitation is sent by the world's clock.
func (w *world) mailed(i assess.Invitation) int64 {
	w.Helper()
	out, seen := w.invite(i), w.store.WithClock(w.clock)
	letters, err := seen.ClaimLetters(w.ctx, store.Claim{Owner: "me", Lease: time.Minute, Limit: 10})
	if err != nil || len(letters) != 1 {
		w.Fatal(len(letters), err)
	}
	letters[0].State = typus.LetterSent
	if mine, err := seen.FinishLetter(w.ctx, "me", letters[0], 0); err != nil || !mine {
		w.Fatal(mine, err)
	}
	return out.Candidate.ID
}
