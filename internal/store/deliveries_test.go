package store_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
)

const lease = time.Minute

func claimAs(t testing.TB, s *store.Store, owner string, limit int) []store.Claimed {
	t.Helper()
	return must[[]store.Claimed](t)(s.ClaimDeliveries(t.Context(), owner, lease, limit))
}

func failure(d typus.Delivery, next time.Duration) store.AttemptResult {
	return store.AttemptResult{Attempt: typus.Attempt{Outcome: "failed", HTTPStatus: 500, ErrorCode: "http_5xx", URL: hookURL},
		State: typus.DeliveryPending, Failures: d.Failures + 1, NextIn: next}
}

func success(d typus.Delivery) store.AttemptResult {
	return store.AttemptResult{Attempt: typus.Attempt{Outcome: "delivered", HTTPStatus: 204}, State: typus.DeliveryDelivered, Failures: d.Failures}
}

func finishAttempt(t testing.TB, s *store.Store, owner string, c store.Claimed, r store.AttemptResult) bool {
	t.Helper()
	return must[bool](t)(s.FinishAttempt(t.Context(), owner, c.Delivery, r))
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
