package store_test

import (
	"fmt"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Every letter is found under the one filter that its page shows as its state, whatever
// its state, its attempts and its time are.
func TestADatabaseFindsEveryLetterWhereTheProgramSaysThatItStands(t *testing.T) {
	stands := []typus.LetterStand{
		typus.LetterStandWaiting, typus.LetterStandDeferred, typus.LetterStandPostponed, typus.LetterStandSent,
		typus.LetterStandUncertain, typus.LetterStandBounced, typus.LetterStandHeld,
	}
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		letters := 0
		for _, state := range []typus.LetterState{typus.LetterQueued, typus.LetterSending, typus.LetterSent, typus.LetterUncertain, typus.LetterFailed, typus.LetterHeld} {
			for attempts := range 3 {
				for _, until := range []string{"null", "1772625600000"} {
					id := addLetter(t, s, invitation(account, candidate))
					write(t, s, func(tx *store.Tx) error {
						return tx.Exec(t.Context(), fmt.Sprintf(`update letters set state = '%s', attempts = %d, held_until = %s, turn = null where id = %d`, state, attempts, until, id))
					})
					letters++
				}
			}
		}
		found := map[int64]int{}
		for _, stand := range stands {
			for _, l := range must[[]typus.Letter](t)(s.LetterLog(t.Context(), store.WholeAccount(account), stand, 0, 100)) {
				found[l.ID]++
				if l.Stand() != stand {
					t.Errorf("a letter that is %s after %d attempts, held until %v, is found as %q and stands %q", l.State, l.Attempts, l.HeldUntil, stand, l.Stand())
				}
			}
		}
		for id, times := range found {
			if times != 1 {
				t.Errorf("letter %d is found %d times", id, times)
			}
		}
		if len(found) != letters {
			t.Errorf("%d letters are found, want %d", len(found), letters)
		}
	})
}
