package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestAnAttemptIsWrittenBackByItsOwnerOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		if finishAttempt(t, s, "you", c, failure(c.Delivery, time.Hour)) {
			t.Error("another owner wrote back")
		}
		if d := delivery(t, s, c); d.State != typus.DeliverySending {
			t.Errorf("after another's write-back: %+v", d)
		}
		r := failure(c.Delivery, time.Hour)
		r.Attempt = typus.Attempt{Outcome: "failed", HTTPStatus: 503, ErrorCode: "http_5xx", Duration: 1234 * time.Millisecond, URL: hookURL,
			RemoteIP: "93.184.216.34", RequestHeaders: "X-A: b", ResponseHead: "HTTP/1.1 503", ResponseBody: []byte{0, 0xff}}
		before := time.Now()
		if !finishAttempt(t, s, "me", c, r) {
			t.Error("the owner could not write back")
		}
		d := delivery(t, s, c)
		if d.State != typus.DeliveryPending || d.Failures != 1 || d.LastStatus != 503 || d.LastError != "http_5xx" || !d.FinishedAt.IsZero() {
			t.Errorf("after a failure: %+v", d)
		}
		if in := d.NextAttemptAt.Sub(before); in < 59*time.Minute || in > 61*time.Minute {
			t.Errorf("next attempt in %s", in)
		}
		want := r.Attempt
		want.DeliveryID, want.N = c.Delivery.ID, 1
		got := attempts(t, s, c)[0]
		want.StartedAt = got.StartedAt
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("logged %+v, want %+v", got, want)
		}
		if finishAttempt(t, s, "me", c, success(c.Delivery)) {
			t.Error("an attempt was written back twice")
		}
	})
}

func TestASuccessAndTheLastFailureEndADelivery(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		for state, r := range map[typus.DeliveryState]ending{
			typus.DeliveryDelivered: success(typus.Delivery{}),
			typus.DeliveryExhausted: lastFailure(typus.Delivery{}),
		} {
			newEvent(t, s, account)
			c := claimAs(t, s, "me", 1)[0]
			finishAttempt(t, s, "me", c, r)
			if d := delivery(t, s, c); d.State != state || d.FinishedAt.IsZero() || r.last != (d.Failures == typus.DeliveryAttempts) {
				t.Errorf("want %s: %+v", state, d)
			}
		}
		if _, waits, err := s.NextDelivery(t.Context()); waits || err != nil {
			t.Errorf("something waits: %t, %v", waits, err)
		}
	})
}

func TestALateSuccessCountsWhileNoNewerAttemptHasBegun(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		newEvent(t, s, account)
		first := claimAs(t, s, "me", 1)[0]
		if n := release(t, s, "me"); n != 1 {
			t.Fatalf("released %d", n)
		}
		second := claimAs(t, s, "you", 1)[0]
		if finishAttempt(t, s, "me", first, success(first.Delivery)) {
			t.Error("a late result was taken for a timely one")
		}
		if d := delivery(t, s, second); d.State != typus.DeliverySending || d.Attempt != 2 {
			t.Errorf("a late success ended a newer attempt: %+v", d)
		}
		if log := attempts(t, s, first); log[0].Outcome != "late" || log[0].HTTPStatus != 204 || log[1].Outcome != "started" {
			t.Errorf("log: %+v", log)
		}
		release(t, s, "you")
		finishAttempt(t, s, "you", second, failure(second.Delivery, time.Hour))
		if d := delivery(t, s, second); d.State != typus.DeliveryPending || d.Failures != 0 {
			t.Errorf("a late failure counted: %+v", d)
		}
		finishAttempt(t, s, "you", second, success(second.Delivery))
		if d := delivery(t, s, second); d.State != typus.DeliveryDelivered || d.LastStatus != 204 || d.FinishedAt.IsZero() {
			t.Errorf("a late success did not count: %+v", d)
		}
	})
}

func TestThreeFailuresMakeAnEndpointFailingAndASuccessActive(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		newEvent(t, s, account)
		check := func(what string, status typus.EndpointStatus, failures int) {
			t.Helper()
			e := must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, id))
			if e.Status != status || e.ConsecutiveFailures != failures {
				t.Errorf("%s: %s with %d failures, want %s with %d", what, e.Status, e.ConsecutiveFailures, status, failures)
			}
		}
		for i := range 4 {
			c := claimAs(t, s, "me", 1)[0]
			finishAttempt(t, s, "me", c, failure(c.Delivery, 0))
			want := typus.EndpointActive
			if i >= 2 {
				want = typus.EndpointFailing
			}
			check(fmt.Sprintf("after failure %d", i+1), want, i+1)
		}
		c := claimAs(t, s, "me", 1)[0]
		finishAttempt(t, s, "me", c, success(c.Delivery))
		check("after a success", typus.EndpointActive, 0)
	})
}

func TestAnAnswer410SwitchesTheEndpointOffAndHoldsItsDeliveries(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		first, second := newEvent(t, s, account), newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		r := failure(c.Delivery, time.Hour)
		r.Attempt.HTTPStatus, r.Gone = 410, true
		if !finishAttempt(t, s, "me", c, r) {
			t.Error("the owner could not write back")
		}
		if e := must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, id)); e.Status != typus.EndpointGone {
			t.Errorf("the endpoint is %s", e.Status)
		}
		if got := states(t, s, account, first, second); got[typus.DeliveryHeld] != 2 {
			t.Errorf("deliveries: %v", got)
		}
		letters := must[[]typus.Letter](t)(s.Letters(t.Context(), account, 10))
		if len(letters) != 1 || letters[0].Kind != typus.LetterWebhookOff || letters[0].To != "kontakt@example.com" {
			t.Errorf("letters: %+v", letters)
		}
	})
}

func TestAnEndpointThatIsGoneIsToldOnceToWhoManagesTheAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		for _, role := range []typus.UserRole{typus.RoleOwner, typus.RoleAdmin, typus.RoleMember, typus.RoleViewer} {
			newUser(t, s, typus.User{AccountID: account, Email: string(role) + unique("-") + "@example.com", Role: role}, "$argon2id$")
			newUser(t, s, typus.User{AccountID: account, Email: "invited " + string(role) + unique("-") + "@example.com", Role: role}, "")
		}
		for range 4 {
			newEvent(t, s, account)
		}
		claimed := claimAs(t, s, "me", 4)
		dbtest.AtOnce(len(claimed), func(i int) {
			r := failure(claimed[i].Delivery, time.Hour)
			r.Attempt.HTTPStatus, r.Gone = 410, true
			if _, err := tryFinish(t, s, "me", claimed[i].Delivery, r); err != nil {
				t.Error(err)
			}
		})
		var roles []string
		for _, l := range must[[]typus.Letter](t)(s.Letters(t.Context(), account, 10)) {
			role, _, _ := strings.Cut(l.To, "-")
			roles = append(roles, role)
		}
		if slices.Sort(roles); !slices.Equal(roles, []string{"admin", "owner"}) {
			t.Errorf("told %v, want one letter each to owner and admin", roles)
		}
	})
}

func TestAResultForAnEndpointThatWasSwitchedOffWaitsOrEnds(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for status, want := range map[typus.EndpointStatus]typus.DeliveryState{
			typus.EndpointPaused:  typus.DeliveryHeld,
			typus.EndpointDeleted: typus.DeliveryCancelled,
		} {
			account := newAccount(t, s)
			id := newEndpoint(t, s, account)
			newEvent(t, s, account)
			c := claimAs(t, s, "me", 1)[0]
			setStatus(t, s, account, id, status)
			gone := failure(c.Delivery, time.Hour)
			gone.Gone = status == typus.EndpointDeleted
			if !finishAttempt(t, s, "me", c, gone) {
				t.Errorf("%s: the owner could not write back", status)
			}
			if d := delivery(t, s, c); d.State != want {
				t.Errorf("%s: the delivery is %s, want %s", status, d.State, want)
			}
		}
	})
}

// A receiver that is away fails often: what is known of its endpoint is read once.
func TestAnOutcomeReadsItsEndpointOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newEndpoint(t, s, account)
		var reads atomic.Int64
		s = s.Watched(func(query string) error {
			if strings.HasPrefix(query, "select ") && strings.Contains(query, " from webhook_endpoints e ") {
				reads.Add(1)
			}
			return nil
		})
		for _, c := range []struct {
			what   string
			result func(d typus.Delivery) ending
			want   int64
		}{
			{"a failure", func(d typus.Delivery) ending { return failure(d, time.Hour) }, 1},
			{"a failure at an address of before", func(d typus.Delivery) ending {
				r := failure(d, time.Hour)
				r.Attempt.URL = "https://before.example.com"
				return r
			}, 1},
			{"a success that ends a spell of failures", success, 2}, // the second under its lock
			{"a success", success, 1},
		} {
			newEvent(t, s, account)
			claimed := claimAs(t, s, "me", 1)[0]
			before := reads.Load()
			if !finishAttempt(t, s, "me", claimed, c.result(claimed.Delivery)) {
				t.Errorf("%s could not be written back", c.what)
			}
			if n := reads.Load() - before; n != c.want {
				t.Errorf("%s reads the endpoint %d times", c.what, n)
			}
		}
	})
}
