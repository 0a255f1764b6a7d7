package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// testEvent stores a test event of that moment and returns its id and that of its
// delivery.
func testEvent(t *testing.T, s *store.Store, account, endpoint int64, at time.Time) (event, delivery string) {
	t.Helper()
	event, delivery = unique("evt_"), unique("dlv_")
	write(t, s, func(tx *store.Tx) error {
		return tx.AddTestEvent(t.Context(), typus.Event{
			ID: event, AccountID: account, Type: typus.EventCandidateCompleted, OccurredAt: at, Payload: []byte(`{"test":true}`),
		}, endpoint, delivery)
	})
	return event, delivery
}

func TestAnswersOfReceiversAreEmptiedByTheirAge(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		endpoint := newEndpoint(t, s, account)
		_, delivery := testEvent(t, s, account, endpoint, noon)
		answered := func(n int, at time.Time, head, body string) {
			write(t, s, func(tx *store.Tx) error {
				return tx.Exec(t.Context(), fmt.Sprintf(`insert into webhook_attempts (account_id, delivery_id, n, started_at, url, http_status, response_head, response_body, outcome)
					values (%d, '%s', %d, %d, '%s', 500, '%s', cast('%s' as %s), 'failed')`, account, delivery, n, at.UnixMilli(), hookURL, head, body, byteType(s)))
			})
		}
		answered(1, noon.Add(-time.Millisecond), "HTTP/1.1 500", "oops")
		answered(2, noon.Add(-time.Millisecond), "HTTP/1.1 500", "")
		answered(3, noon.Add(-time.Millisecond), "", "oops")
		answered(4, noon, "HTTP/1.1 500", "oops")
		write(t, s, func(tx *store.Tx) error {
			for _, want := range []int{3, 0} {
				if n, err := tx.ForgetAnswers(t.Context(), noon.AddDate(0, 0, 90)); n != want || err != nil {
					t.Errorf("emptied %d, want %d, %v", n, want, err)
				}
			}
			return nil
		})
		for _, a := range must[[]typus.Attempt](t)(s.Attempts(t.Context(), account, delivery)) {
			if kept := a.ResponseHead != "" || len(a.ResponseBody) > 0; kept != (a.N == 4) || a.HTTPStatus != 500 || a.Outcome != "failed" || a.URL != hookURL {
				t.Errorf("attempt %d: %+v", a.N, a)
			}
		}
	})
}

func TestOldTestEventsAreEmptiedUnlessTheyAreStillToGoOut(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		endpoint := newEndpoint(t, s, account)
		real := newEvent(t, s, account)
		old, delivered := testEvent(t, s, account, endpoint, noon)
		waiting, _ := testEvent(t, s, account, endpoint, noon)
		fresh, sent := testEvent(t, s, account, endpoint, noon.Add(time.Millisecond))
		write(t, s, func(tx *store.Tx) error {
			err := tx.Exec(t.Context(), fmt.Sprintf(`update webhook_deliveries set state = 'delivered', finished_at = 1
				where id in ('%s', '%s') or event_id = '%s'`, delivered, sent, real))
			if err != nil {
				return err
			}
			for _, want := range []int{1, 0} {
				if n, err := tx.ForgetTestPayloads(t.Context(), noon.Add(time.Millisecond).AddDate(0, 0, 90)); n != want || err != nil {
					t.Errorf("emptied %d, want %d, %v", n, want, err)
				}
			}
			return nil
		})
		kept := map[string]bool{}
		for _, id := range rows(t, s, "select id from webhook_events where payload is not null") {
			kept[id] = true
		}
		if kept[old] || !kept[waiting] || !kept[fresh] || !kept[real] {
			t.Errorf("kept: %v; %s is old, %s waits, %s is fresh, %s is real", kept, old, waiting, fresh, real)
		}
	})
}

// The chore runs each hour, mostly for nothing.
func TestWhatIsToBeForgottenIsFoundByAnIndex(t *testing.T) {
	lite, ran := everythingRecorded(t)
	asked := func(text string) bool { return strings.Contains(text, "a.keep_answers_days *") }
	sound := func(plan string) bool {
		return strings.Contains(plan, "webhook_attempts_answered (account_id=? AND started_at<?)") || strings.Contains(plan, "webhook_events_old_tests (account_id=? AND occurred_at<?)")
	}
	if seen := planned(t, lite, ran, asked, sound); seen != 2 {
		t.Errorf("%d statements forget", seen)
	}
}

// One statement serves all accounts, each by its own days.
func TestEachAccountKeepsAnswersForItsOwnDays(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		now, kept := noon.AddDate(0, 0, 100), map[string]bool{}
		for _, days := range []int{7, 30, 90} {
			account := newAccount(t, s)
			run(t, s, "update accounts set keep_answers_days = %d where id = %d", days, account)
			endpoint := newEndpoint(t, s, account)
			for _, age := range []int{days, days + 1} {
				event, delivery := testEvent(t, s, account, endpoint, now.AddDate(0, 0, -age))
				run(t, s, "update webhook_deliveries set state = 'delivered', finished_at = 1 where id = '%s'", delivery)
				run(t, s, `insert into webhook_attempts (account_id, delivery_id, n, started_at, url, response_head, outcome)
					values (%d, '%s', 1, %d, '%s', 'HTTP/1.1 500', 'failed')`, account, delivery, now.AddDate(0, 0, -age).UnixMilli(), hookURL)
				kept[event], kept[delivery] = age == days, age == days
			}
		}
		write(t, s, func(tx *store.Tx) error {
			answers := must[int](t)(tx.ForgetAnswers(t.Context(), now))
			if payloads := must[int](t)(tx.ForgetTestPayloads(t.Context(), now)); answers != 3 || payloads != 3 {
				t.Errorf("emptied %d answers and %d payloads", answers, payloads)
			}
			return nil
		})
		is := map[string]bool{}
		for _, id := range append(rows(t, s, "select id from webhook_events where payload is not null"), rows(t, s, "select delivery_id from webhook_attempts where response_head <> ''")...) {
			is[id] = true
		}
		for id, want := range kept {
			if is[id] != want {
				t.Errorf("%s is kept: %t", id, is[id])
			}
		}
	})
}
