package store_test

import (
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// A result that should not be interpreted has no overall score, and counts as little in a
// preview as it does in the order of a list. Nor does one that nobody gave the answers of.
func TestAPreviewCountsNoResultThatSaysNothingOfAPerson(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		doubtful := scores()
		doubtful.Warnings = append(doubtful.Warnings, typus.Warning{Key: typus.DoubtfulAnswers})
		var clear int64
		for _, one := range []struct {
			result typus.Scores
			actor  string
		}{{doubtful, typus.ActorCandidate}, {scores(), "operator"}, {scores(), typus.ActorCandidate}} {
			id := newCandidate(t, s, account, nil)
			begin(t, s, account, id)
			write(t, s, func(tx *store.Tx) error {
				if _, err := tx.FinishCandidate(t.Context(), account, id, one.result, noon); err != nil {
					return err
				}
				booked := completion(account, id)
				booked.Actor = one.actor
				if _, err := tx.BookCredit(t.Context(), booked); err != nil {
					return err
				}
				_, err := tx.AddResult(t.Context(), account, store.Result{CandidateID: id, Scores: []byte{1}, Answers: []byte{1}, RoleSnapshot: []byte{1}, CreatedAt: noon})
				return err
			})
			clear = id
		}
		if list := must[[]store.Result](t)(s.ResultsToPreview(t.Context(), store.WholeAccount(account), 10)); len(list) != 1 || list[0].CandidateID != clear {
			t.Errorf("counted are %+v", list)
		}
	})
}

// Where others rate first, a look before them is noted on the candidate's page; a
// preview, which notes nothing, leaves out whoever has not been looked at there.
func TestAPreviewCountsNobodyWhoIsLookedAtOnTheirPageOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleAdmin, CreatedAt: noon}, "x")
		seen := newCandidate(t, s, account, nil)
		for _, id := range []int64{seen, newCandidate(t, s, account, nil)} {
			begin(t, s, account, id)
			write(t, s, func(tx *store.Tx) error {
				if _, err := tx.FinishCandidate(t.Context(), account, id, scores(), noon); err != nil {
					return err
				}
				_, err := tx.AddResult(t.Context(), account, store.Result{CandidateID: id, Scores: []byte{1}, Answers: []byte{1}, RoleSnapshot: []byte{1}, CreatedAt: noon})
				return err
			})
		}
		write(t, s, func(tx *store.Tx) error {
			p, err := tx.LockStandardPosition(t.Context(), account, noon)
			if err != nil {
				return err
			}
			p.Blind = true
			if err := tx.SetPositionSecrecy(t.Context(), p); err != nil {
				return err
			}
			return tx.AddAudit(t.Context(), typus.AuditEntry{AccountID: account, CandidateID: seen, UserID: user, Action: typus.AuditReportViewedBeforeRating, CreatedAt: noon})
		})
		reader := store.Reader{AccountID: account, UserID: user, Role: typus.RoleAdmin, Positions: store.Positions{Everything: true}, Blind: store.Blind{Others: true}}
		if list := must[[]store.Result](t)(s.ResultsToPreview(t.Context(), reader, 10)); len(list) != 1 || list[0].CandidateID != seen {
			t.Errorf("counted are %+v", list)
		}
	})
}
