package assess_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
)

// A call repeats an invitation that came back, and somebody sends the one that came
// back again: one of the two is enough, whoever comes first.
func TestALetterIsNotSentAgainBesideANewerOne(t *testing.T) {
	for _, byHandFirst := range []bool{true, false} {
		run(t, func(w *world) {
			out := w.invite(jana)
			w.deliver(typus.LetterFailed)
			letters, err := w.Store.LettersOf(w.Ctx, w.Account, out.Candidate.ID)
			if err != nil {
				w.Fatal(err)
			}
			byHand := func() error { return w.Assess.RetryLetter(w.Ctx, store.WholeAccount(w.Account), letters[0].ID, ada) }
			byCall := func() { w.invite(jana) }
			if byHandFirst {
				if err := byHand(); err != nil {
					w.Error(err)
				}
				byCall()
			} else {
				byCall()
				w.WantKind(byHand(), typus.Conflict)
			}
			letters, err = w.Store.LettersOf(w.Ctx, w.Account, out.Candidate.ID)
			if err != nil {
				w.Fatal(err)
			}
			queued := 0
			for _, l := range letters {
				if l.State == typus.LetterQueued {
					queued++
				}
			}
			if queued != 1 {
				w.Errorf("%d letters wait", queued)
			}
		})
	}
}

// A letter that came too late, by a clock that was ahead or before the invitation was
// extended, is no reason against the next one; what was withdrawn from sending is.
func TestARepeatedInvitationIsSentWhoseLetterCameTooLate(t *testing.T) {
	for why, want := range map[string]typus.LetterState{typus.NotSentExpired: typus.LetterQueued, typus.NotSentUnwanted: typus.LetterHeld} {
		run(t, func(w *world) {
			w.invite(jana)
			claimed, err := w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Minute, Limit: 1})
			if err != nil || len(claimed) != 1 {
				w.Fatal(claimed, err)
			}
			l := claimed[0]
			l.State, l.LastError = typus.LetterHeld, why
			if mine, err := w.Store.FinishLetter(w.Ctx, "me", l, 0); err != nil || !mine {
				w.Fatal(mine, err)
			}
			if out := w.invite(jana); !out.Repeat || out.Mail != want {
				w.Errorf("%q: %+v, want the mail %s", why, out, want)
			}
		})
	}
}
