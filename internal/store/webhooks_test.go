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

// newEndpoint adds an endpoint with one secret.
func newEndpoint(t testing.TB, s *store.Store, account int64) int64 {
	t.Helper()
	var id int64
	write(t, s, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddEndpoint(t.Context(), typus.Endpoint{AccountID: account, URL: "https://hooks.example.com/a", Description: "CRM", CreatedAt: noon})
		if err != nil {
			return err
		}
		_, err = tx.AddSecret(t.Context(), account, id, typus.SecretCurrent, "k1", noon, func(secretID int64) ([]byte, error) {
			return fmt.Appendf(nil, "sealed %d", secretID), nil
		})
		return err
	})
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
		want := typus.Endpoint{ID: id, AccountID: account, URL: "https://hooks.example.com/a", Description: "CRM", Status: typus.EndpointActive, MaxInFlight: 4, CreatedAt: noon}
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
