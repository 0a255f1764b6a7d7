package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

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

func TestAFailingClosureLeavesNothingAndItsErrorComesBack(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		refused := errors.New("refused")
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			if err := addNamed(t.Context(), tx, "gone"); err != nil {
				return err
			}
			if list, err := tx.Accounts(t.Context()); err != nil || len(list) != 1 {
				t.Errorf("the transaction does not see its own write: %d, %v", len(list), err)
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
		if got := names(t, s); got != "" {
			t.Errorf("left behind: %s", got)
		}
	})
}

func TestAPanicBecomesAnErrorAndTheNextClosureRuns(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			if err := addNamed(t.Context(), tx, "gone"); err != nil {
				return err
			}
			panic("the sky fell")
		})
		hasKind(t, "a panic", err, typus.Internal)
		e, _ := errors.AsType[*typus.Error](err)
		if strings.Contains(e.Msg, "sky") || !strings.Contains(e.Cause.Error(), "the sky fell") || !strings.Contains(e.Cause.Error(), "tx_test.go") {
			t.Errorf("message %q, cause %v", e.Msg, e.Cause)
		}
		write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, "next") })
		if got := names(t, s); got != "next" {
			t.Errorf("accounts: %s", got)
		}
	})
}

// A statement that failed ends the transaction on both databases, also when the
// closure goes on as if nothing had happened.
func TestAFailedStatementEndsTheTransaction(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			if err := addNamed(t.Context(), tx, "before"); err != nil {
				return err
			}
			bad := typus.APIKey{AccountID: 4711, Name: "of nobody", Hash: "x", CreatedAt: noon}
			if _, err := tx.AddAPIKey(t.Context(), bad); err == nil {
				t.Error("a key of nobody was stored")
			}
			if err := addNamed(t.Context(), tx, "after"); err == nil {
				t.Error("a lost transaction went on")
			}
			return nil
		})
		hasKind(t, "a swallowed fault", err, typus.Internal)
		if got := names(t, s); got != "" {
			t.Errorf("left behind: %s", got)
		}
	})
}

func TestAnEndedRequestIsNotRun(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := s.InTx(ctx, func(tx *store.Tx) error {
			t.Error("the closure ran")
			return nil
		})
		hasKind(t, "an ended request", err, typus.Unavailable)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the cause is lost: %v", err)
		}
	})
}

func TestAnEndedReadSaysSo(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Accounts(ctx)
		hasKind(t, "an ended read", err, typus.Unavailable)
	})
}

// The request ends while its closure runs: whatever InTx answers is true.
func TestARunningClosureGetsItsTrueOutcome(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.InTx(ctx, func(tx *store.Tx) error {
			if err := addNamed(ctx, tx, "there"); err != nil {
				return err
			}
			cancel()
			time.Sleep(10 * time.Millisecond) // so that a caller who gives up has the time to
			return nil
		})
		if committed := names(t, s) == "there"; committed != (err == nil) {
			t.Errorf("committed: %t, answered: %v", committed, err)
		}
	})
}

func TestAClosedStoreAnswersWithAnError(t *testing.T) {
	for _, dsn := range []string{storetest.SQLite(t), storetest.Postgres(t)} {
		s, err := store.Open(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("%s: ping: %v", s.Dialect(), err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: close: %v", s.Dialect(), err)
		}
		if err := s.InTx(t.Context(), func(*store.Tx) error { return nil }); err == nil {
			t.Errorf("%s: a closed store runs a closure", s.Dialect())
		}
		if s.Ping(t.Context()) == nil {
			t.Errorf("%s: a closed store answers", s.Dialect())
		}
	}
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
		write(t, s, func(tx *store.Tx) error { return tx.SaveSheet(t.Context(), account, id, []byte{1}, noon) })
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
