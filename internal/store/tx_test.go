package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// names lists the account names, in which these tests write.
func names(t testing.TB, s *store.Store) string {
	t.Helper()
	var list []string
	for _, a := range must[[]typus.Account](t)(s.Accounts(context.Background())) {
		list = append(list, a.Name)
	}
	return strings.Join(list, " ")
}

func addNamed(ctx context.Context, tx *store.Tx, name string) error {
	_, err := tx.AddAccount(ctx, typus.Account{Name: name, Plan: typus.PlanStarter, CreatedAt: noon})
	return err
}

// finishWhole is a finished test as the product does it.
func finishWhole(ctx context.Context, tx *store.Tx, account, id int64) error {
	if ok, err := tx.FinishCandidate(ctx, account, id, scores(), noon); err != nil || !ok {
		return err
	}
	if _, err := tx.BookCredit(ctx, completion(account, id)); err != nil {
		return err
	}
	if _, err := tx.AddResult(ctx, account, store.Result{CandidateID: id, Scores: []byte("{}"), Answers: []byte{1}, RoleSnapshot: []byte("{}"), CreatedAt: noon}); err != nil {
		return err
	}
	e := typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: id, OccurredAt: noon, Payload: []byte("{}")}
	if _, err := tx.AddEvent(ctx, e, func() string { return unique("dlv_") }); err != nil {
		return err
	}
	_, err := tx.AddLetter(ctx, typus.Letter{AccountID: account, Kind: typus.LetterCreditsLow, CreatedAt: noon})
	return err
}

// counts are the rows that a finished test leaves behind.
func counts(t testing.TB, s *store.Store) string {
	t.Helper()
	return strings.Join(rows(t, s, `
		select (select count(*) from candidates where status = 'abgeschlossen'), (select credits from accounts), (select count(*) from credit_ledger),
			(select count(*) from results), (select count(*) from sheets), (select count(*) from webhook_events),
			(select count(*) from webhook_deliveries), (select count(*) from letters)`), " ")
}

func TestWhicheverStatementFailsNothingOrEverythingIsDone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		id := newCandidate(t, s, account, nil)
		begin(t, s, account, id)
		write(t, s, func(tx *store.Tx) error {
			return tx.SaveSheet(t.Context(), account, id, store.Sheet{Body: []byte{1}, SavedAt: noon})
		})
		before := counts(t, s)
		for n := 1; ; n++ {
			left := n
			failing := s.Watched(func(string) error {
				if left--; left == 0 {
					return errors.New("failed on purpose")
				}
				return nil
			})
			err := failing.InTx(t.Context(), func(tx *store.Tx) error {
				return finishWhole(t.Context(), tx, account, id)
			})
			if err == nil {
				if n < 9 {
					t.Errorf("only %d statements failed", n-1)
				}
				break
			}
			if got := counts(t, s); got != before {
				t.Errorf("after statement %d failed: %s, want %s", n, got, before)
			}
		}
		if got, want := counts(t, s), "1|-1|1|1|0|1|1|1"; got != want {
			t.Errorf("in the end: %s, want %s", got, want)
		}
	})
}
