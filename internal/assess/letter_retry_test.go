package assess_test

import (
	"testing"

	"typus"
)

// A call repeats an invitation that came back, and somebody sends the one that came
// back again: one of the two is enough, whoever comes first.
func TestALetterIsNotSentAgainBesideANewerOne(t *testing.T) {
	for _, byHandFirst := range []bool{true, false} {
		run(t, func(w *world) {
			out := w.invite(jana)
			w.deliver(typus.LetterFailed)
			letters, err := w.store.LettersOf(w.ctx, w.account, out.Candidate.ID)
			if err != nil {
				w.Fatal(err)
			}
			byHand := func() error { return w.steps.RetryLetter(w.ctx, w.account, letters[0].ID, ada) }
			byCall := func() { w.invite(jana) }
			if byHandFirst {
				if err := byHand(); err != nil {
					w.Error(err)
				}
				byCall()
			} else {
				byCall()
				w.wantKind(byHand(), typus.Conflict)
			}
			letters, err = w.store.LettersOf(w.ctx, w.account, out.Candidate.ID)
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
