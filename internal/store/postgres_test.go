package store_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

func TestADeadlockEndsWithBothClosuresDone(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	accounts := [2]int64{newAccount(t, s), newAccount(t, s)}
	var locked sync.WaitGroup
	locked.Add(2)
	var runs atomic.Int64
	inParallel(2, func(i int) {
		first := true
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			runs.Add(1)
			if _, err := tx.LockAccount(t.Context(), accounts[i]); err != nil {
				return err
			}
			if first {
				first = false
				locked.Done()
				locked.Wait()
			}
			_, err := tx.BookCredit(t.Context(), typus.CreditEntry{AccountID: accounts[1-i], Delta: 1, Reason: typus.ReasonGrant, CreatedAt: noon})
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	for _, id := range accounts {
		if got := must[typus.Account](t)(s.Account(t.Context(), id)).Credits; got != 1 {
			t.Errorf("account %d has %d credits, want 1", id, got)
		}
	}
	if runs.Load() < 3 {
		t.Errorf("%d runs: there was no deadlock", runs.Load())
	}
}

// Both take the delivery first: a late answer that held the event and waited for
// the delivery would be caught with the erasure, and one of them undone.
func TestALateAnswerThatWaitsForAnErasureHoldsNothingItNeeds(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	account := newAccount(t, s)
	newEndpoint(t, s, account)
	newEvent(t, s, account)
	c := claimAs(t, s, "me", 1)[0]
	release(t, s, "me")
	var late sync.WaitGroup
	write(t, s, func(tx *store.Tx) error {
		if err := tx.Exec(t.Context(), "update webhook_deliveries set state = 'cancelled'"); err != nil {
			return err
		}
		late.Go(func() {
			if _, err := tryFinish(t, s, "me", c.Delivery, success(c.Delivery)); err != nil {
				t.Error(err)
			}
		})
		if err := untilSomebodyWaits(t, tx); err != nil {
			return err
		}
		return tx.Exec(t.Context(), "select 1 from webhook_events for update nowait")
	})
	late.Wait()
	if d := delivery(t, s, c); d.State != typus.DeliveryCancelled {
		t.Errorf("the delivery is %s", d.State)
	}
}

// untilSomebodyWaits returns once another transaction waits for this one.
func untilSomebodyWaits(t *testing.T, tx *store.Tx) error {
	for {
		waits, err := tx.Rows(t.Context(), "select 1 from pg_locks where not granted and transactionid = pg_current_xact_id()::xid")
		if err != nil || len(waits) > 0 {
			return err
		}
	}
}

// Two sweeps that write to the same accounts take them in the same order.
func TestFailingEndpointsAreToldOfAccountByAccount(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	first, second := newAccount(t, s), newAccount(t, s)
	failingSince(t, s, first, 20, 25*time.Hour)
	failingSince(t, s, second, 20, 30*time.Hour)
	var sweep sync.WaitGroup
	write(t, s, func(tx *store.Tx) error {
		if _, err := tx.LockAccount(t.Context(), first); err != nil {
			return err
		}
		sweep.Go(func() {
			if err := s.TellFailing(t.Context(), webhook.WarnAfter); err != nil {
				t.Error(err)
			}
		})
		if err := untilSomebodyWaits(t, tx); err != nil {
			return err
		}
		return tx.Exec(t.Context(), fmt.Sprintf("select 1 from accounts where id = %d for no key update nowait", second))
	})
	sweep.Wait()
	for _, account := range []int64{first, second} {
		if got := kinds(t, s, account); len(got) != 1 {
			t.Errorf("account %d: %v", account, got)
		}
	}
}

func TestAConnectionLostBeforeTheCommitIsTriedAgain(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	runs := 0
	write(t, s, func(tx *store.Tx) error {
		runs++
		if err := addNamed(t.Context(), tx, "once"); err != nil || runs > 2 {
			return err
		}
		return tx.Exec(t.Context(), "select pg_terminate_backend(pg_backend_pid())")
	})
	if got := names(t, s); got != "once" || runs != 3 {
		t.Errorf("stored %q after %d runs", got, runs)
	}
}

func TestALostConnectionIsNotTriedForEver(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	runs := 0
	err := s.InTx(t.Context(), func(tx *store.Tx) error {
		runs++
		return tx.Exec(t.Context(), "select pg_terminate_backend(pg_backend_pid())")
	})
	hasKind(t, "a connection that is always lost", err, typus.Unavailable)
	if runs != 5 {
		t.Errorf("%d runs, want 5", runs)
	}
}

func TestAStandbyIsUnavailableAndItsConnectionsAreDropped(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	err := s.InTx(t.Context(), func(tx *store.Tx) error {
		if err := tx.Exec(t.Context(), "set session characteristics as transaction read only; set transaction read only"); err != nil {
			return err
		}
		return addNamed(t.Context(), tx, "refused")
	})
	hasKind(t, "a write on a standby", err, typus.Unavailable)
	write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, "next") })
	if got := names(t, s); got != "next" {
		t.Errorf("stored %q", got)
	}
}

func TestACommitWithoutAnAnswerIsOfUnknownOutcomeAndNotRepeated(t *testing.T) {
	for _, committed := range []bool{false, true} {
		dsn := storetest.Postgres(t)
		direct := storetest.Open(t, dsn)
		cut := storetest.CutAtCommit(t, dsn, committed)
		s := storetest.Open(t, cut.DSN)
		write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, "before") })
		cut.Arm(true)
		runs := 0
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			runs++
			return addNamed(t.Context(), tx, "unknown")
		})
		cut.Arm(false)
		hasKind(t, "a commit without an answer", err, typus.OutcomeUnknown)
		if runs != 1 {
			t.Errorf("committed %t: the closure ran %d times", committed, runs)
		}
		write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, "after") })
		if got := names(t, direct); strings.Contains(got, "unknown") != committed {
			t.Errorf("committed %t: stored %q", committed, got)
		}
	}
}
