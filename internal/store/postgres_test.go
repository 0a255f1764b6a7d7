package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

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
