package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// fail lets attempts of an endpoint's deliveries fail, one after the other.
func fail(t testing.TB, s *store.Store, attempts int) {
	t.Helper()
	for range attempts {
		c := claimAs(t, s, "me", 1)
		if len(c) == 0 {
			t.Fatal("nothing is due")
		}
		finishAttempt(t, s, "me", c[0], failure(c[0].Delivery, 0))
	}
}

// failingSince is an endpoint with so many failures in a row, the first of them so
// long ago. Its deliveries stay due.
func failingSince(t testing.TB, s *store.Store, account int64, failures int, ago time.Duration) int64 {
	t.Helper()
	id := newEndpoint(t, s, account)
	run(t, s, `update webhook_endpoints set status = 'failing', consecutive_failures = %d, first_failure_at = %d, last_failure_at = %d where id = %d`,
		failures, time.Now().Add(-ago).UnixMilli(), time.Now().UnixMilli(), id)
	return id
}

func run(t testing.TB, s *store.Store, statement string, args ...any) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error { return tx.Exec(t.Context(), fmt.Sprintf(statement, args...)) })
}

func endpoint(t testing.TB, s *store.Store, account, id int64) typus.Endpoint {
	t.Helper()
	return must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, id))
}

// kinds are the letters of an account, oldest first.
func kinds(t testing.TB, s *store.Store, account int64) []typus.LetterKind {
	t.Helper()
	var list []typus.LetterKind
	for _, l := range must[[]typus.Letter](t)(s.Letters(t.Context(), account, 100)) {
		list = append(list, l.Kind)
	}
	slices.Reverse(list)
	return list
}

func switchedOff(t testing.TB, s *store.Store, account int64) int {
	t.Helper()
	return len(must[[]typus.AuditEntry](t)(s.AuditLog(t.Context(), store.WholeAccount(account), store.AuditFilter{Action: "webhook.switched_off", Limit: 10})))
}

func TestAnEndpointIsSwitchedOffAfterTwelveFailuresInFiveDaysOfNothingElse(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for _, c := range []struct {
			failures int
			ago      time.Duration
			want     typus.EndpointStatus
		}{
			{10, 130 * time.Hour, typus.EndpointFailing}, // the eleventh comes
			{11, 120*time.Hour - time.Minute, typus.EndpointFailing},
			{11, 120 * time.Hour, typus.EndpointDisabled},
			{300, 119 * time.Hour, typus.EndpointFailing},
			{300, 500 * time.Hour, typus.EndpointDisabled},
		} {
			what := fmt.Sprintf("after %d failures in %s", c.failures+1, c.ago)
			account := newAccount(t, s)
			id := failingSince(t, s, account, c.failures, c.ago)
			first, second := newEvent(t, s, account), newEvent(t, s, account)
			fail(t, s, 1)
			e := endpoint(t, s, account, id)
			if e.Status != c.want {
				t.Errorf("%s the endpoint is %s, want %s", what, e.Status, c.want)
			}
			if e.Status != typus.EndpointDisabled {
				run(t, s, `update webhook_deliveries set state = 'cancelled' where account_id = %d`, account)
				continue
			}
			if e.DisabledReason == "" || time.Since(e.StatusChangedAt) > time.Minute {
				t.Errorf("%s: %+v", what, e)
			}
			if got := states(t, s, account, first, second); got[typus.DeliveryHeld] != 2 {
				t.Errorf("%s the deliveries are %v", what, got)
			}
			if got := kinds(t, s, account); !slices.Equal(got, []typus.LetterKind{typus.LetterWebhookOff}) {
				t.Errorf("%s these letters wait: %v", what, got)
			}
			log := must[[]typus.AuditEntry](t)(s.Audit(t.Context(), account, 10))
			if len(log) != 1 || log[0].Action != "webhook.switched_off" || log[0].Actor != "server" || log[0].Detail != fmt.Sprintf("%d hooks.example.com", id) {
				t.Errorf("%s the audit log says %+v", what, log)
			}
			if claimed := claimAs(t, s, "me", 10); len(claimed) > 0 {
				t.Errorf("%s %d deliveries go on", what, len(claimed))
			}
		}
	})
}

// It failed because of its receiver, not of itself; when that is back, it has all
// its attempts again.
func TestTheLastAttemptThatSwitchesAnEndpointOffLeavesItsDeliveryWaiting(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := failingSince(t, s, account, 11, 123*time.Hour)
		newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		finishAttempt(t, s, "me", c, lastFailure(c.Delivery))
		if d := delivery(t, s, c); d.State != typus.DeliveryHeld || !d.FinishedAt.IsZero() || d.Failures != 12 {
			t.Errorf("%+v, want held", d)
		}
		write(t, s, func(tx *store.Tx) error {
			return tx.ReopenEndpoint(t.Context(), account, id, time.Now(), false)
		})
		makeDue(t, s, id)
		if e := endpoint(t, s, account, id); !e.Probing() || !e.FirstFailureAt.IsZero() {
			t.Errorf("switched on again it is %+v", e)
		}
		fail(t, s, 1)
		if d := delivery(t, s, c); d.State != typus.DeliveryPending || d.Failures != 1 {
			t.Errorf("tried again it is %+v", d)
		}
		if e := endpoint(t, s, account, id); e.Status != typus.EndpointFailing || switchedOff(t, s, account) != 1 {
			t.Errorf("the first failure after switching on made it %s", e.Status)
		}
	})
}

func TestASuccessBeginsTheFiveDaysAnew(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := failingSince(t, s, account, 40, 119*time.Hour)
		newEvent(t, s, account)
		sweep(t, s)
		c := claimAs(t, s, "me", 1)[0]
		finishAttempt(t, s, "me", c, success(c.Delivery))
		if e := endpoint(t, s, account, id); e.Status != typus.EndpointActive || !e.FirstFailureAt.IsZero() || !e.FailingToldAt.IsZero() {
			t.Errorf("after a success: %+v", e)
		}
		newEvent(t, s, account)
		newEvent(t, s, account)
		fail(t, s, 15)
		if e := endpoint(t, s, account, id); e.Status != typus.EndpointFailing || time.Since(e.FirstFailureAt) > time.Minute {
			t.Errorf("after the success and 15 failures: %+v", e)
		}
	})
}

// Somebody who tries an address out for a week is not written to.
func TestFailedTestsAloneHaveNoConsequences(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		now := time.Now()
		s = s.WithClock(func() time.Time { return now })
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		test := func() {
			now = now.Add(time.Second) // more than its rate wants
			write(t, s, func(tx *store.Tx) error {
				e := typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, OccurredAt: noon, Payload: []byte("{}")}
				return tx.AddTestEvent(t.Context(), e, id, unique("dlv_"))
			})
			c := claimAs(t, s, "me", 1)[0]
			finishAttempt(t, s, "me", c, lastFailure(c.Delivery))
			if d := delivery(t, s, c); d.State != typus.DeliveryExhausted {
				t.Errorf("the test is %s", d.State)
			}
		}
		for range 20 {
			test()
		}
		if e := endpoint(t, s, account, id); !e.FirstFailureAt.IsZero() || e.Status != typus.EndpointActive || e.ConsecutiveFailures != 0 {
			t.Errorf("%+v", e)
		}
		run(t, s, `update webhook_endpoints set first_failure_at = 0 where id = %d`, id)
		test()
		if e := endpoint(t, s, account, id); !e.On() {
			t.Errorf("a test switched it off: %+v", e)
		}
		if got := kinds(t, s, account); len(got) > 0 {
			t.Errorf("letters: %v", got)
		}
	})
}

func TestADayOfFailuresIsToldOnceUntilSomethingArrives(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		for _, role := range []typus.UserRole{typus.RoleOwner, typus.RoleAdmin, typus.RoleMember} {
			newUser(t, s, typus.User{AccountID: account, Email: string(role) + unique("-") + "@example.com", Role: role}, "$argon2id$")
		}
		young := failingSince(t, s, account, 5, 24*time.Hour-time.Minute)
		sweep := func() {
			t.Helper()
			dbtest.AtOnce(4, func(int) {
				sweep(t, s)
			})
		}
		told := func(what string, want int) {
			t.Helper()
			var to []string
			for _, l := range must[[]typus.Letter](t)(s.Letters(t.Context(), account, 100)) {
				role, _, _ := strings.Cut(l.To, "-")
				to = append(to, role)
				if l.Kind != typus.LetterWebhookFailing || l.NextAttemptAt.Sub(l.CreatedAt) < time.Minute {
					t.Errorf("%s: %+v", what, l)
				}
			}
			if slices.Sort(to); len(to) != 2*want || want == 1 && !slices.Equal(to, []string{"admin", "owner"}) {
				t.Errorf("%s letters to %v, want %d each", what, to, want)
			}
		}
		sweep()
		told("after less than a day", 0)
		first, second := failingSince(t, s, account, 5, 24*time.Hour), failingSince(t, s, account, 5, 50*time.Hour)
		sweep()
		sweep()
		told("after a day, of two webhooks", 1)
		for _, id := range []int64{first, second} {
			if endpoint(t, s, account, id).FailingToldAt.IsZero() {
				t.Errorf("webhook %d counts as not told", id)
			}
		}
		if !endpoint(t, s, account, young).FailingToldAt.IsZero() {
			t.Error("the young trouble counts as told")
		}
		run(t, s, `update letters set state = 'sent', sent_at = 0 where account_id = %d`, account)
		sweep()
		told("once sent", 1)
		run(t, s, `update webhook_endpoints set status = 'paused' where id in (%d, %d)`, young, second)
		newEvent(t, s, account)
		c := claimAs(t, s, "me", 1)[0]
		finishAttempt(t, s, "me", c, success(c.Delivery))
		newEvent(t, s, account)
		fail(t, s, 3)
		sweep()
		told("when the next trouble is young", 1)
		run(t, s, `update webhook_endpoints set first_failure_at = first_failure_at - 86400000 where id = %d`, first)
		sweep()
		told("after a day of the next trouble", 2)
	})
}

func TestADeliveryThatEndsWithoutArrivingIsToldOnceAWeek(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		refuse := func() {
			t.Helper()
			newEvent(t, s, account)
			c := claimAs(t, s, "me", 1)[0]
			finishAttempt(t, s, "me", c, lastFailure(c.Delivery))
			if d := delivery(t, s, c); d.State != typus.DeliveryExhausted {
				t.Errorf("the delivery is %s", d.State)
			}
			run(t, s, `update letters set state = 'sent', sent_at = 0 where account_id = %d`, account)
		}
		want := func(what string, n int) {
			t.Helper()
			if got := kinds(t, s, account); len(got) != n || n > 0 && got[n-1] != typus.LetterWebhookGivenUp {
				t.Errorf("%s letters: %v, want %d", what, got, n)
			}
		}
		refuse()
		want("after the first", 1)
		refuse()
		refuse()
		want("after the third", 1)
		run(t, s, `update webhook_endpoints set given_up_told_at = given_up_told_at - %d where id = %d`, (7 * 24 * time.Hour).Milliseconds(), id)
		refuse()
		want("a week later", 2)

		// Attempts that take the server down end a delivery, too.
		run(t, s, `update webhook_endpoints set given_up_told_at = null where id = %d`, id)
		newEvent(t, s, account)
		run(t, s, `update webhook_deliveries set failures = 11, interruptions = 2 where state = 'pending'`)
		c := must[[]store.Claimed](t)(s.ClaimDeliveries(t.Context(), "me", -time.Second, 1))[0]
		sweep(t, s)
		if d := delivery(t, s, c); d.State != typus.DeliveryExhausted {
			t.Errorf("the interrupted delivery is %s", d.State)
		}
		want("after the last interruption", 3)
	})
}

// A result may use up its attempts while its webhook is off, as when somebody has
// paused it during the last one. No letter says so, so it must not be lost.
func TestALastTryThatEndsWhileTheWebhookIsOffLeavesItsDeliveryWaiting(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for how, end := range map[string]func(c store.Claimed){
			"fails": func(c store.Claimed) { finishAttempt(t, s, "me", c, lastFailure(c.Delivery)) },
			"is interrupted": func(c store.Claimed) {
				run(t, s, `update webhook_deliveries set failures = 11, interruptions = 2, lease_until = 1 where id = '%s'`, c.Delivery.ID)
				sweep(t, s)
			},
		} {
			for status, want := range map[typus.EndpointStatus]typus.DeliveryState{
				typus.EndpointPaused: typus.DeliveryHeld, typus.EndpointDisabled: typus.DeliveryHeld,
				typus.EndpointGone: typus.DeliveryHeld, typus.EndpointDeleted: typus.DeliveryExhausted,
			} {
				account := newAccount(t, s)
				id := newEndpoint(t, s, account)
				newEvent(t, s, account)
				c := claimAs(t, s, "me", 1)[0]
				write(t, s, func(tx *store.Tx) error {
					return tx.SetEndpointStatus(t.Context(), account, id, status, "", time.Now())
				})
				end(c)
				if d := delivery(t, s, c); d.State != want || d.FinishedAt.IsZero() != (want == typus.DeliveryHeld) || d.Failures != 12 {
					t.Errorf("it %s while %s: %+v, want %s", how, status, d, want)
				}
				if got := kinds(t, s, account); len(got) > 0 {
					t.Errorf("it %s while %s: letters %v", how, status, got)
				}
				if want != typus.DeliveryHeld {
					continue
				}
				write(t, s, func(tx *store.Tx) error {
					return tx.SetEndpointStatus(t.Context(), account, id, typus.EndpointActive, "", time.Now())
				})
				if d := delivery(t, s, c); d.State != typus.DeliveryPending || d.Failures != 0 {
					t.Errorf("switched on again it is %+v", d)
				}
				run(t, s, `update webhook_deliveries set state = 'cancelled' where account_id = %d`, account)
			}
		}
	})
}

// One receiver serves several webhooks, and its end ends them at the same moment.
func TestWebhooksOfAnAccountThatEndAtTheSameMomentCostOneLetter(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for range 12 {
			account := newAccount(t, s)
			for range 4 {
				failingSince(t, s, account, 40, 200*time.Hour)
			}
			newEvent(t, s, account)
			claimed := claimAs(t, s, "me", 4)
			dbtest.AtOnce(len(claimed), func(i int) {
				if _, err := tryFinish(t, s, "me", claimed[i].Delivery, failure(claimed[i].Delivery, time.Hour)); err != nil {
					t.Error(err)
				}
			})
			if n := switchedOff(t, s, account); n != 4 {
				t.Errorf("%d are off", n)
			}
			if got := kinds(t, s, account); !slices.Equal(got, []typus.LetterKind{typus.LetterWebhookOff}) {
				t.Errorf("letters: %v", got)
			}
		}
	})
}

// Two instances bring the outcomes that decide, at the same moment: a success and
// a failure, or two failures. The endpoint is on and everything goes on, or it is
// off and everything waits; what is told is told once.
func TestASuccessAtTheMomentOfSwitchingOffLeavesNothingBetweenOnAndOff(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		off := 0
		for i := range 24 {
			account := newAccount(t, s)
			id := newEndpoint(t, s, account)
			events := []string{newEvent(t, s, account), newEvent(t, s, account), newEvent(t, s, account)}
			var claimed []store.Claimed
			for tries := 0; len(claimed) == 0 && tries < 10; tries++ { // a claim may go to those of the rounds before, who have nothing
				claimed = claimAs(t, s, "me", 2)
			}
			if len(claimed) != 2 || claimed[0].Endpoint.ID != id {
				t.Fatalf("round %d: claimed %+v", i, claimed)
			}
			run(t, s, `update webhook_endpoints set status = 'failing', consecutive_failures = 40, first_failure_at = 0 where id = %d`, id)
			successes := i % 2
			dbtest.AtOnce(3, func(n int) {
				var err error
				switch {
				case n == 2:
					_, err = s.SweepDeliveries(t.Context(), lease, interrupted)
				case n < successes:
					_, err = tryFinish(t, s, "me", claimed[n].Delivery, success(claimed[n].Delivery))
				default:
					_, err = tryFinish(t, s, "me", claimed[n].Delivery, lastFailure(claimed[n].Delivery))
				}
				if err != nil {
					t.Error(err)
				}
			})
			e, got := endpoint(t, s, account, id), states(t, s, account, events...)
			if got[typus.DeliveryDelivered] != successes {
				t.Errorf("round %d: %v delivered, want %d", i, got, successes)
			}
			switch e.Status {
			case typus.EndpointDisabled:
				off++
				if got[typus.DeliveryPending] > 0 || got[typus.DeliveryExhausted] > 0 || switchedOff(t, s, account) != 1 || !slices.Contains(kinds(t, s, account), typus.LetterWebhookOff) {
					t.Errorf("round %d: off, with %v, %d lines and letters %v", i, got, switchedOff(t, s, account), kinds(t, s, account))
				}
			case typus.EndpointActive:
				if got[typus.DeliveryHeld] > 0 || switchedOff(t, s, account) != 0 || successes == 0 {
					t.Errorf("round %d: on, with %v and %d lines", i, got, switchedOff(t, s, account))
				}
			default:
				t.Errorf("round %d: %s", i, e.Status)
			}
			n := 0
			for _, k := range kinds(t, s, account) {
				if k == typus.LetterWebhookOff {
					n++
				}
			}
			if n > 1 {
				t.Errorf("round %d: %d letters say that it is off", i, n)
			}
			run(t, s, `update webhook_deliveries set state = 'cancelled' where account_id = %d`, account)
		}
		if off < 12 { // every round of two failures
			t.Errorf("switched off in %d rounds", off)
		}
	})
}

// Whoever corrects the address of a webhook begins anew with it, and what the old
// address still answers says nothing about the new one.
func TestANewAddressDoesNotPayForTheOldOne(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := failingSince(t, s, account, 12, 130*time.Hour)
		newEvent(t, s, account)
		newEvent(t, s, account)
		underWay := claimAs(t, s, "me", 1)
		const corrected = "https://hooks.example.com/b"
		write(t, s, func(tx *store.Tx) error { return tx.SetEndpointAddress(t.Context(), account, id, corrected, "CRM") })
		if e := endpoint(t, s, account, id); e.Status != typus.EndpointActive || e.ConsecutiveFailures != 0 || !e.FirstFailureAt.IsZero() {
			t.Errorf("with the new address it is %+v", e)
		}
		gone := failure(underWay[0].Delivery, time.Hour)
		gone.Gone = true
		finishAttempt(t, s, "me", underWay[0], gone)
		if e := endpoint(t, s, account, id); e.Status != typus.EndpointActive || e.ConsecutiveFailures != 0 {
			t.Errorf("after 410 from the old address it is %+v", e)
		}
		if d := delivery(t, s, underWay[0]); d.State != typus.DeliveryPending || d.Failures != 0 || d.NextAttemptAt.After(time.Now().Add(time.Minute)) {
			t.Errorf("the delivery is %+v", d)
		}
		next := claimAs(t, s, "me", 1)
		failed := failure(next[0].Delivery, time.Hour)
		failed.Attempt.URL = corrected
		finishAttempt(t, s, "me", next[0], failed)
		if e := endpoint(t, s, account, id); e.Status != typus.EndpointActive || e.ConsecutiveFailures != 1 {
			t.Errorf("after its first failure the new address is %+v", e)
		}
		write(t, s, func(tx *store.Tx) error { return tx.SetEndpointAddress(t.Context(), account, id, corrected, "the CRM") })
		if e := endpoint(t, s, account, id); e.ConsecutiveFailures != 1 {
			t.Errorf("another description makes it %+v", e)
		}
	})
}
