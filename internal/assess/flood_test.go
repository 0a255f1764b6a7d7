package assess_test

import (
	"fmt"
	"sync"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// A thousand invitations to one address are one letter while they are the same
// invitation. Under a thousand names of the inviter's own they are as many letters, of which a
// day brings no more than the operator allows; the others wait and say so.
func TestAThousandInvitationsToOneAddress(t *testing.T) {
	today(t, func(w *world) {
		const most, perDay = 1000, 20
		invite := func(externalID func(n int) string) {
			var all sync.WaitGroup
			for worker := range 10 {
				all.Go(func() {
					for n := worker; n < most; n += 10 {
						i := assess.Invitation{Name: "Kim Muster", Email: "kim@example.com", ExternalID: externalID(n), SendEmail: true}
						if _, _, err := w.Assess.Invite(w.Ctx, w.Account, i, nil); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
		}
		count := func(state typus.LetterState) int {
			letters, err := w.Store.Letters(w.Ctx, w.Account, 3*most)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, l := range letters {
				if l.State == state {
					n++
				}
			}
			return n
		}

		invite(func(int) string { return "crm-1" })
		if got := count(typus.LetterQueued); got != 1 {
			t.Errorf("the same invitation a thousand times queues %d letters, want 1", got)
		}
		invite(func(n int) string { return fmt.Sprintf("other-%d", n) })
		sent := 0
		for {
			claimed, err := w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: 1 << 40, Limit: 250, PerDay: perDay})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range claimed {
				sent++
				l.State = typus.LetterSent
				if _, err := w.Store.FinishLetter(w.Ctx, "me", l, 0); err != nil {
					t.Fatal(err)
				}
			}
			if len(claimed) == 0 && count(typus.LetterQueued) == 0 {
				break
			}
		}
		if held := count(typus.LetterHeld); sent != perDay || held != most+1-perDay {
			t.Errorf("%d letters went out in a day, want %d; %d wait, want %d", sent, perDay, held, most+1-perDay)
		}
	})
}
