package store_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/webhook"
)

const lease = time.Minute

func claimAs(t testing.TB, s *store.Store, owner string, limit int) []store.Claimed {
	t.Helper()
	return must[[]store.Claimed](t)(s.ClaimDeliveries(t.Context(), owner, lease, limit))
}

// ending is how an attempt ends.
type ending struct {
	webhook.Result
	last bool // of the delivery's attempts
}

func (r ending) judge(e typus.Endpoint, d typus.Delivery, late bool, now time.Time) typus.Verdict {
	if r.last {
		d.Failures = typus.DeliveryAttempts - 1
	}
	r.Late = late
	return webhook.Judge(e, d, r.Result, now)
}

func failure(d typus.Delivery, next time.Duration) ending {
	return ending{Result: webhook.Result{Wait: next, Outcome: webhook.Outcome{
		Attempt: typus.Attempt{N: d.Attempt, Outcome: "failed", HTTPStatus: 500, ErrorCode: "http_5xx", URL: hookURL},
	}}}
}

// lastFailure ends a delivery.
func lastFailure(d typus.Delivery) ending {
	r := failure(d, 0)
	r.last = true
	return r
}

func success(d typus.Delivery) ending {
	return ending{Result: webhook.Result{Outcome: webhook.Outcome{
		Delivered: true, Attempt: typus.Attempt{N: d.Attempt, Outcome: "delivered", HTTPStatus: 204, URL: hookURL, Duration: time.Millisecond},
	}}}
}

func finishAttempt(t testing.TB, s *store.Store, owner string, c store.Claimed, r ending) bool {
	t.Helper()
	return must[bool](t)(tryFinish(t, s, owner, c.Delivery, r))
}

func tryFinish(t testing.TB, s *store.Store, owner string, d typus.Delivery, r ending) (bool, error) {
	t.Helper()
	return s.FinishAttempt(t.Context(), owner, d, r.Attempt, r.judge)
}

// sweep does what a courier does every few seconds, and says how many deliveries and
// endpoints that mended.
func sweep(t testing.TB, s *store.Store) int {
	t.Helper()
	n := must[int](t)(s.SweepDeliveries(t.Context(), lease, interrupted))
	for last, first := int64(0), true; first || last > 0; first = false {
		next, mended, err := s.SweepEndpoints(t.Context(), last)
		if err != nil {
			t.Fatal(err)
		}
		last, n = next, n+mended
	}
	if err := s.TellFailing(t.Context(), webhook.WarnAfter); err != nil {
		t.Error(err)
	}
	return n
}

func interrupted(e typus.Endpoint, d typus.Delivery, _ bool, now time.Time) typus.Verdict {
	return webhook.Judge(e, d, webhook.Interrupted, now)
}

// release gives back what an owner holds, as a courier does that stops.
func release(t testing.TB, s *store.Store, owner string) int {
	t.Helper()
	return must[int](t)(s.ReleaseDeliveries(t.Context(), owner, func(e typus.Endpoint, d typus.Delivery, _ bool, now time.Time) typus.Verdict {
		return webhook.GiveBack(e, d, now)
	}))
}

// delivery reads a delivery again.
func delivery(t testing.TB, s *store.Store, c store.Claimed) typus.Delivery {
	t.Helper()
	for _, d := range must[[]typus.Delivery](t)(s.DeliveriesOf(t.Context(), c.Delivery.AccountID, c.Delivery.EventID)) {
		if d.ID == c.Delivery.ID {
			return d
		}
	}
	t.Fatalf("delivery %s is gone", c.Delivery.ID)
	return typus.Delivery{}
}

func attempts(t testing.TB, s *store.Store, c store.Claimed) []typus.Attempt {
	t.Helper()
	return must[[]typus.Attempt](t)(s.Attempts(t.Context(), c.Delivery.AccountID, c.Delivery.ID))
}
