package store_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// A few are listed and all are counted, however many statements that takes, and although
// all of them finished in the same moment.
func TestADailyLetterCountsEverybodyWhoHasFinished(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := typus.Account{ID: newAccount(t, s), ContactEmail: "kontakt@example.com"}
		const finished = 205
		write(t, s, func(tx *store.Tx) error {
			for range finished {
				id, _, err := tx.AddCandidate(t.Context(), candidateOf(account.ID))
				if err != nil {
					return err
				}
				if _, err := tx.BeginCandidate(t.Context(), account.ID, id, typus.Notice{Version: "1", Language: "de", At: noon}, "test@1", noon); err != nil {
					return err
				}
				if _, err := tx.FinishCandidate(t.Context(), account.ID, id, scores(), noon); err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range []struct {
			to                string
			since             time.Time
			most, listed, all int
		}{
			{"kontakt@example.com", noon, 150, 150, finished},
			{"kontakt@example.com", noon, 1000, finished, finished},
			{"kontakt@example.com", noon.Add(time.Millisecond), 1000, 0, 0},
			{"sonst@example.com", noon, 1000, 0, 0},
		} {
			list, all, err := s.FinishedSince(t.Context(), account, typus.Letter{To: c.to}, c.since, c.most)
			if err != nil {
				t.Fatal(err)
			}
			for i, one := range list {
				if i > 0 && one.ID <= list[i-1].ID {
					t.Errorf("candidate %d comes after %d", one.ID, list[i-1].ID)
				}
			}
			if len(list) != c.listed || all != c.all {
				t.Errorf("%+v: %d of %d are listed", c, len(list), all)
			}
		}
	})
}
