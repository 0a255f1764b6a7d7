package store_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

const hookURL = "https://hooks.example.com/a"

// newEndpoint adds an endpoint at hookURL with one secret, which has answered
// quickly before.
func newEndpoint(t testing.TB, s *store.Store, account int64) int64 {
	t.Helper()
	var id int64
	write(t, s, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddEndpoint(t.Context(), typus.Endpoint{AccountID: account, URL: hookURL, Description: "CRM", CreatedAt: noon})
		if err != nil {
			return err
		}
		_, err = tx.AddSecret(t.Context(), account, id, typus.SecretCurrent, "k1", noon, func(secretID int64) ([]byte, error) {
			return fmt.Appendf(nil, "sealed %d", secretID), nil
		})
		return err
	})
	run(t, s, `update webhook_endpoints set last_duration_ms = 1 where id = %d`, id)
	return id
}

func setStatus(t testing.TB, s *store.Store, account, endpoint int64, st typus.EndpointStatus) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		return tx.SetEndpointStatus(t.Context(), account, endpoint, st, "", time.Now())
	})
}

// newEvent stores an event about a new candidate and returns its id.
func newEvent(t testing.TB, s *store.Store, account int64) string {
	t.Helper()
	candidate := newCandidate(t, s, account, nil)
	e := typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: candidate, OccurredAt: noon,
		Payload: []byte(`{"b":1,"a":"ü"}`)}
	write(t, s, func(tx *store.Tx) error {
		_, err := tx.AddEvent(t.Context(), e, func() string { return unique("dlv_") })
		return err
	})
	return e.ID
}

// states counts the deliveries of events by state.
func states(t testing.TB, s *store.Store, account int64, events ...string) map[typus.DeliveryState]int {
	t.Helper()
	count := map[typus.DeliveryState]int{}
	for _, e := range events {
		for _, d := range must[[]typus.Delivery](t)(s.DeliveriesOf(t.Context(), account, e)) {
			count[d.State]++
		}
	}
	return count
}

func TestAnEndpointIsReadInsideItsAccountOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id, deleted := newEndpoint(t, s, account), newEndpoint(t, s, account)
		setStatus(t, s, account, deleted, typus.EndpointDeleted)
		want := typus.Endpoint{ID: id, AccountID: account, URL: "https://hooks.example.com/a", Description: "CRM", Status: typus.EndpointActive, MaxInFlight: 4,
			Rate: typus.Rate{PerSecond: 10, Burst: 20}, LastDuration: time.Millisecond, StatusChangedAt: noon, CreatedAt: noon}
		if got := must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, id)); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got := must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, deleted)); got.Status != typus.EndpointDeleted {
			t.Errorf("deleted: %+v", got)
		}
		if list := must[[]typus.Endpoint](t)(s.Endpoints(t.Context(), account)); len(list) != 1 || list[0] != want {
			t.Errorf("the account's endpoints: %+v", list)
		}
		if list := must[[]typus.Endpoint](t)(s.Endpoints(t.Context(), other)); len(list) != 0 {
			t.Errorf("another account's endpoints: %+v", list)
		}
		_, err := s.Endpoint(t.Context(), other, id)
		hasKind(t, "another account's endpoint", err, typus.NotFound)
		for name, c := range map[string]struct{ account, id int64 }{"another account's": {other, id}, "a deleted": {account, deleted}} {
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				return tx.SetEndpointStatus(t.Context(), c.account, c.id, typus.EndpointActive, "", noon)
			})
			hasKind(t, name+" endpoint changes its status", err, typus.NotFound)
		}
	})
}

func TestASecretIsSealedWithItsOwnId(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id := newEndpoint(t, s, account)
		add := func(account int64, role typus.SecretRole, seal func(int64) ([]byte, error)) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := tx.AddSecret(t.Context(), account, id, role, "k1", noon, seal)
				return err
			})
		}
		sealed := func(secretID int64) ([]byte, error) { return fmt.Appendf(nil, "sealed %d", secretID), nil }
		if err := add(account, typus.SecretNext, sealed); err != nil {
			t.Fatal(err)
		}
		hasKind(t, "another account's endpoint", add(other, typus.SecretNext, sealed), typus.NotFound)
		broken := errors.New("no key")
		if err := add(account, typus.SecretNext, func(int64) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
			t.Errorf("a failing seal: %v", err)
		}
		list := must[[]typus.WebhookSecret](t)(s.Secrets(t.Context(), account, id))
		if len(list) != 2 || list[0].Role != typus.SecretCurrent || list[1].Role != typus.SecretNext {
			t.Fatalf("secrets: %+v", list)
		}
		for _, secret := range list {
			if want := fmt.Sprintf("sealed %d", secret.ID); string(secret.Sealed) != want || secret.EndpointID != id || !secret.ValidUntil.IsZero() {
				t.Errorf("got %+v, sealed as %s", secret, secret.Sealed)
			}
		}
		if list := must[[]typus.WebhookSecret](t)(s.Secrets(t.Context(), other, id)); len(list) != 0 {
			t.Errorf("another account's secrets: %+v", list)
		}
	})
}

func TestAnEventKeepsItsBytesAndMakesADeliveryPerEndpoint(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		newEndpoint(t, s, other)
		active, paused, deleted := newEndpoint(t, s, account), newEndpoint(t, s, account), newEndpoint(t, s, account)
		setStatus(t, s, account, paused, typus.EndpointPaused)
		setStatus(t, s, account, deleted, typus.EndpointDeleted)
		want := typus.Event{ID: "evt_1", AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: newCandidate(t, s, account, nil),
			OccurredAt: noon, Payload: []byte("{\"b\":1,\"a\":\"ü\u2028\"}")}
		add := func(e typus.Event) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				n, err := tx.AddEvent(t.Context(), e, func() string { return unique("dlv_") })
				if err == nil && n != 2 {
					t.Errorf("%d deliveries, want 2", n)
				}
				return err
			})
		}
		if err := add(want); err != nil {
			t.Fatal(err)
		}
		got := must[typus.Event](t)(s.EventOf(t.Context(), account, want.CandidateID, want.Type))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		_, err := s.EventOf(t.Context(), other, want.CandidateID, want.Type)
		hasKind(t, "another account's event", err, typus.NotFound)
		list := must[[]typus.Delivery](t)(s.DeliveriesOf(t.Context(), account, "evt_1"))
		if len(list) != 2 || list[0].EndpointID != active || list[0].State != typus.DeliveryPending || list[0].Kind != "auto" ||
			list[1].EndpointID != paused || list[1].State != typus.DeliveryHeld {
			t.Errorf("deliveries: %+v", list)
		}
		if list := must[[]typus.Delivery](t)(s.DeliveriesOf(t.Context(), other, "evt_1")); len(list) != 0 {
			t.Errorf("another account's deliveries: %+v", list)
		}
		about := must[[]store.DeliveryTo](t)(s.DeliveriesAbout(t.Context(), store.WholeAccount(account), want.CandidateID, want.Type))
		if len(about) != 2 || about[0].Delivery != list[0] || about[1].Delivery != list[1] || !about[0].OccurredAt.Equal(want.OccurredAt) || about[0].URL == "" {
			t.Errorf("deliveries about the candidate: %+v", about)
		}
		if list := must[[]store.DeliveryTo](t)(s.DeliveriesAbout(t.Context(), store.WholeAccount(other), want.CandidateID, want.Type)); len(list) != 0 {
			t.Errorf("another account's deliveries about the candidate: %+v", list)
		}
		again := want
		again.ID = "evt_2"
		hasKind(t, "a second event about the same completion", add(again), typus.Conflict)
	})
}

func TestSwitchingAnEndpointOffHoldsAndOnReleasesItsDeliveries(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		endpoint, neighbour := newEndpoint(t, s, account), newEndpoint(t, s, account)
		event := newEvent(t, s, account)
		state := func(endpoint int64) typus.DeliveryState {
			for _, d := range must[[]typus.Delivery](t)(s.DeliveriesOf(t.Context(), account, event)) {
				if d.EndpointID == endpoint {
					return d.State
				}
			}
			return ""
		}
		for _, c := range []struct {
			to   typus.EndpointStatus
			want typus.DeliveryState
		}{
			{typus.EndpointFailing, typus.DeliveryPending},
			{typus.EndpointPaused, typus.DeliveryHeld},
			{typus.EndpointActive, typus.DeliveryPending},
			{typus.EndpointDisabled, typus.DeliveryHeld},
			{typus.EndpointGone, typus.DeliveryHeld},
			{typus.EndpointActive, typus.DeliveryPending},
			{typus.EndpointPaused, typus.DeliveryHeld},
			{typus.EndpointDeleted, typus.DeliveryCancelled},
		} {
			setStatus(t, s, account, endpoint, c.to)
			if got := state(endpoint); got != c.want {
				t.Errorf("after %s: %s, want %s", c.to, got, c.want)
			}
			if got := state(neighbour); got != typus.DeliveryPending {
				t.Errorf("after %s the neighbour's delivery is %s", c.to, got)
			}
		}
		if d := must[[]typus.Delivery](t)(s.DeliveriesOf(t.Context(), account, event))[0]; d.FinishedAt.IsZero() {
			t.Error("a cancelled delivery has no end")
		}
	})
}

// A test that waits would come when nobody looks at it any more.
func TestATestIsCancelledWhereOtherDeliveriesAreHeld(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		endpoint := newEndpoint(t, s, account)
		newEvent(t, s, account)
		test := newTest(t, s, account, endpoint)
		setStatus(t, s, account, endpoint, typus.EndpointPaused)
		if d := must[typus.Delivery](t)(s.Delivery(t.Context(), account, test)); d.State != typus.DeliveryCancelled || d.FinishedAt.IsZero() {
			t.Errorf("paused: %+v", d)
		}
		settleAll(t, s)
		late := newTest(t, s, account, endpoint) // slips in beside the pausing
		sweep(t, s)
		if d := must[typus.Delivery](t)(s.Delivery(t.Context(), account, late)); d.State != typus.DeliveryCancelled || d.FinishedAt.IsZero() {
			t.Errorf("swept: %+v", d)
		}
	})
}

func TestATestInterruptedIsNotMadeAgain(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		endpoint := newEndpoint(t, s, account)
		for name, interrupt := range map[string]func(){
			"by a crash": func() { sweep(t, s) },
			"by a stop":  func() { release(t, s, "me") },
		} {
			test := newTest(t, s, account, endpoint)
			if claimed := must[[]store.Claimed](t)(s.ClaimDeliveries(t.Context(), "me", -time.Second, 1)); len(claimed) != 1 || claimed[0].Delivery.ID != test {
				t.Fatalf("%s: claimed %+v", name, claimed)
			}
			interrupt()
			d := must[typus.Delivery](t)(s.Delivery(t.Context(), account, test))
			if d.State != typus.DeliveryExhausted || d.LastError != "interrupted" || d.FinishedAt.IsZero() {
				t.Errorf("%s: %+v", name, d)
			}
		}
	})
}

func TestAWaitingTestCanBeTakenBack(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		endpoint := newEndpoint(t, s, account)
		test := newTest(t, s, account, endpoint)
		cancel := func(account int64) bool {
			done := false
			write(t, s, func(tx *store.Tx) error {
				var err error
				done, err = tx.CancelTest(t.Context(), account, test, noon)
				return err
			})
			return done
		}
		if cancel(other) || !cancel(account) || cancel(account) {
			t.Error("the test was not taken back once, by its account")
		}
		_, err := s.Delivery(t.Context(), other, test)
		hasKind(t, "another account's delivery", err, typus.NotFound)
		_, err = s.Delivery(t.Context(), account, "dlv_\x00")
		hasKind(t, "an impossible id", err, typus.NotFound)
	})
}

func TestTheLastTestsOfAnAccountAreCounted(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		endpoint := newEndpoint(t, s, account)
		newEvent(t, s, account)
		newTest(t, s, account, endpoint)
		newTest(t, s, account, endpoint)
		list := func(account int64, after time.Time, limit int) int {
			return len(must[[]time.Time](t)(s.TestEvents(t.Context(), account, after, noon, limit)))
		}
		if n := list(account, noon.Add(-time.Second), 5); n != 2 {
			t.Errorf("%d test events, want 2", n)
		}
		if n := list(account, noon.Add(-time.Second), 1); n != 1 {
			t.Errorf("%d test events, want 1", n)
		}
		if list(account, noon, 5) != 0 || list(other, noon.Add(-time.Second), 5) != 0 {
			t.Error("test events of another time or account were listed")
		}
	})
}

// newTest adds a test event for an endpoint and returns its delivery.
func newTest(t testing.TB, s *store.Store, account, endpoint int64) string {
	t.Helper()
	delivery := unique("dlv_")
	write(t, s, func(tx *store.Tx) error {
		return tx.AddTestEvent(t.Context(), typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted,
			OccurredAt: noon, Payload: []byte("{}")}, endpoint, delivery)
	})
	return delivery
}

func TestTheRatesCountWhatEndedLatelyAndWhatIsFailing(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		endpoint, idle := newEndpoint(t, s, account), newEndpoint(t, s, account)
		newEndpoint(t, s, other)
		setStatus(t, s, account, newEndpoint(t, s, account), typus.EndpointDeleted)
		setStatus(t, s, account, idle, typus.EndpointPaused)
		deliver := func(outcome func(typus.Delivery) ending) {
			t.Helper()
			for _, c := range must[[]store.Claimed](t)(s.ClaimDeliveries(t.Context(), "me", lease, 4)) {
				must[bool](t)(tryFinish(t, s, "me", c.Delivery, outcome(c.Delivery)))
			}
		}
		newEvent(t, s, account)
		newEvent(t, s, account)
		deliver(success)
		newEvent(t, s, account)
		deliver(lastFailure)
		newTest(t, s, account, endpoint)
		deliver(lastFailure) // a test is not counted
		newEvent(t, s, account)
		deliver(func(d typus.Delivery) ending { return failure(d, time.Hour) })
		newEvent(t, s, account)

		now := time.Now()
		got := must[[]typus.EndpointRates](t)(s.EndpointRates(t.Context(), account, now.Add(time.Hour), now.Add(-time.Hour)))
		want := []typus.EndpointRates{
			{EndpointID: endpoint, DayArrived: 0, DayAll: 1, WeekArrived: 2, WeekAll: 4, Waiting: 2},
			{EndpointID: idle, Held: 5},
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}

func TestAReopenedEndpointIsTriedByOneDeliveryAtATime(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		endpoint := newEndpoint(t, s, account)
		setStatus(t, s, account, endpoint, typus.EndpointGone)
		newEvent(t, s, account)
		newEvent(t, s, account)
		write(t, s, func(tx *store.Tx) error {
			return tx.ReopenEndpoint(t.Context(), account, endpoint, time.Now(), false)
		})
		makeDue(t, s, endpoint)
		if e := must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, endpoint)); !e.Probing() {
			t.Errorf("reopened: %+v", e)
		}
		claim := func() []store.Claimed {
			return must[[]store.Claimed](t)(s.ClaimDeliveries(t.Context(), "me", lease, 4))
		}
		first := claim()
		if len(first) != 1 || len(claim()) != 0 {
			t.Fatalf("claimed %d at once, want 1", len(first))
		}
		must[bool](t)(tryFinish(t, s, "me", first[0].Delivery, success(first[0].Delivery)))
		if e := must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, endpoint)); e.Status != typus.EndpointActive || e.LastSuccessAt.IsZero() {
			t.Errorf("after a success: %+v", e)
		}
	})
}

func TestWhatIsHeldCanBeDropped(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		endpoint, neighbour := newEndpoint(t, s, account), newEndpoint(t, s, account)
		setStatus(t, s, account, endpoint, typus.EndpointPaused)
		setStatus(t, s, account, neighbour, typus.EndpointPaused)
		event := newEvent(t, s, account)
		reopen := func(account int64) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error { return tx.ReopenEndpoint(t.Context(), account, endpoint, noon, true) })
		}
		hasKind(t, "another account's endpoint", reopen(other), typus.NotFound)
		if err := reopen(account); err != nil {
			t.Fatal(err)
		}
		if got := states(t, s, account, event); got[typus.DeliveryCancelled] != 1 || got[typus.DeliveryHeld] != 1 {
			t.Errorf("states: %v", got)
		}
	})
}

func TestAnAddressIsChangedInsideItsAccountOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id, deleted := newEndpoint(t, s, account), newEndpoint(t, s, account)
		setStatus(t, s, account, deleted, typus.EndpointDeleted)
		change := func(account, id int64) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				if _, err := tx.LockEndpoint(t.Context(), account, id); err != nil {
					return err
				}
				return tx.SetEndpointAddress(t.Context(), account, id, "https://new.example.com/", "ERP")
			})
		}
		if err := change(account, id); err != nil {
			t.Fatal(err)
		}
		if e := must[typus.Endpoint](t)(s.Endpoint(t.Context(), account, id)); e.URL != "https://new.example.com/" || e.Description != "ERP" {
			t.Errorf("got %+v", e)
		}
		hasKind(t, "another account's endpoint", change(other, id), typus.NotFound)
		hasKind(t, "a deleted endpoint", change(account, deleted), typus.NotFound)
	})
}

func TestASecretChangesItsRoleInsideItsAccountOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id := newEndpoint(t, s, account)
		secret := must[[]typus.WebhookSecret](t)(s.Secrets(t.Context(), account, id))[0]
		secret.Role, secret.ValidUntil = typus.SecretPrevious, noon
		set := func(account int64) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error { return tx.SetSecret(t.Context(), account, secret) })
		}
		hasKind(t, "another account's secret", set(other), typus.NotFound)
		if err := set(account); err != nil {
			t.Fatal(err)
		}
		if got := must[[]typus.WebhookSecret](t)(s.Secrets(t.Context(), account, id)); len(got) != 1 || got[0].Role != typus.SecretPrevious || !got[0].ValidUntil.Equal(noon) {
			t.Errorf("got %+v", got)
		}
		drop := func(account int64) {
			write(t, s, func(tx *store.Tx) error { return tx.DropSecret(t.Context(), account, id, secret.ID) })
		}
		drop(other)
		if len(must[[]typus.WebhookSecret](t)(s.Secrets(t.Context(), account, id))) != 1 {
			t.Error("another account dropped the secret")
		}
		drop(account)
		if len(must[[]typus.WebhookSecret](t)(s.Secrets(t.Context(), account, id))) != 0 {
			t.Error("the secret is still there")
		}
	})
}

func TestABodyThatWasSentIsReadByWhoReadsTheCandidate(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id := newEvent(t, s, account)
		body := func(reader store.Reader, id string) string {
			return string(must[[]byte](t)(s.BodyFor(t.Context(), reader, id)))
		}
		if got := body(store.WholeAccount(account), id); got != `{"b":1,"a":"ü"}` {
			t.Errorf("got %q", got)
		}
		for _, none := range []string{
			body(store.Reader{AccountID: account}, id), body(store.WholeAccount(other), id), body(store.WholeAccount(account), "evt_none"), body(store.WholeAccount(account), "\x00"),
		} {
			if none != "" {
				t.Errorf("got %q", none)
			}
		}
	})
}
