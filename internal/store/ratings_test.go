package store_test

import (
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Saved ratings stay when their author leaves the team; drafts, which nobody else has read,
// go with the author.
func TestWhoLeavesTakesOnlyDraftsAlong(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		saved, draft := newCandidate(t, s, account, nil), newCandidate(t, s, account, nil)
		var ada int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			ada, err = tx.AddUser(t.Context(), typus.User{AccountID: account, Email: unique("ada") + "@example.com", Role: typus.RoleMember, CreatedAt: noon}, "")
			if err != nil {
				return err
			}
			for _, id := range []int64{saved, draft} {
				if err := tx.PutRating(t.Context(), id, store.Rating{UserID: ada, Author: "Ada", Question: "mo1", Note: "erzählt lange", SavedAt: noon}); err != nil {
					return err
				}
			}
			if err := tx.SetRated(t.Context(), saved, ada, noon); err != nil {
				return err
			}
			return tx.RemoveUser(t.Context(), account, ada)
		})
		author := store.WholeAccount(account)
		author.UserID = ada
		for id, want := range map[int64]int{saved: 1, draft: 0} {
			if left := must[[]store.Rating](t)(s.RatingsOf(t.Context(), author, id)); len(left) != want {
				t.Errorf("%+v is left, want %d", left, want)
			}
		}
	})
}
