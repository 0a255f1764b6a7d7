package api_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// written stops the log of calls, which writes down what it holds.
func (w *world) written() {
	w.Helper()
	w.calls.Run(ended())
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func (w *world) refusals() []typus.RefusedCall {
	w.Helper()
	list, _, err := w.Store.RefusedCalls(w.Context(), w.Account, store.RefusedCallFilter{Limit: 1000})
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// counted are all calls of the world's account.
func (w *world) counted() (answered, refused int) {
	w.Helper()
	list, err := w.Store.CallsByKey(w.Context(), w.Account, w.Clock.Now())
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range list {
		answered, refused = answered+c.Answered, refused+c.Refused
	}
	return answered, refused
}

func TestEachRefusedCallOfAKeyIsRemembered(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		revokedID, revoked, err := w.Access.CreateKey(t.Context(), w.Account, "old", typus.Actor{Name: "operator"})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Access.RevokeKey(t.Context(), w.Account, revokedID, typus.Actor{Name: "operator"}); err != nil {
			t.Fatal(err)
		}
		for i, c := range []struct {
			call
			want string
		}{
			{call{}, ""},
			{call{path: "/api/v1/candidates/crm-secret"}, "GET /api/v1/candidates/{id} 404 not_found"},
			{call{path: "/api/v1/candidates?limit=0", invalid: true}, "GET /api/v1/candidates 400 invalid_input"},
			{call{path: "/api/v1/invites", body: `{"name":"Kim Beispiel"}`, invalid: true}, "POST /api/v1/invites 400 invalid_input"},
			{call{method: "DELETE", invalid: true}, "DELETE /api/v1/candidates 405 method_not_allowed"},
			{call{path: "/api/v1/kim@example.com", invalid: true}, "GET  404 not_found"},
			{call{key: revoked}, "GET /api/v1/candidates 401 invalid_key"},
			{call{key: auth.NewAPIKey()}, ""}, // nobody's
		} {
			c.header = []string{"X-Request-Id", fmt.Sprint("request-", i)}
			w.do(c.call)
			w.written()
			list := w.refusals()
			if c.want == "" {
				if len(list) > 0 && list[0].RequestID == fmt.Sprint("request-", i) {
					t.Errorf("call %d is remembered as refused", i)
				}
				continue
			}
			r := list[0]
			if got := fmt.Sprintf("%s %s %d %s", r.Method, r.Route, r.Status, r.Code); got != c.want || r.RequestID != fmt.Sprint("request-", i) || !r.At.Equal(w.Clock.Now()) {
				t.Errorf("call %d: %s in %+v, want %s", i, got, r, c.want)
			}
			if wantKey := c.key == revoked; wantKey != (r.KeyID == revokedID) {
				t.Errorf("call %d has the key %d", i, r.KeyID)
			}
		}
		if answered, refused := w.counted(); answered != 1 || refused != 6 {
			t.Errorf("%d answered and %d refused calls, want 1 and 6", answered, refused)
		}
	})
}

func TestACallOverTheLimitIsRemembered(t *testing.T) {
	w := newWorldOn(t, storetest.OpenSQLite(t), refusing{})
	w.do(call{path: "/api/v1/candidates/7"})
	w.written()
	if list := w.refusals(); len(list) != 1 || list[0].Status != 429 || list[0].Code != "rate_limited" || list[0].Route != "/api/v1/candidates/{id}" {
		t.Errorf("got %+v", list)
	}
}

// refusing is a limit that is always reached.
type refusing struct{}

func (refusing) Take(context.Context, int64) (quota, error) {
	return quota{Refused: true, Wait: time.Second}, nil
}

// Two servers on one database count what each of them answered.
func TestTheCallsOfSeveralServersAddUp(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		one, other := newWorldOn(t, s, nil), newWorldOn(t, s, nil)
		var all sync.WaitGroup
		for _, w := range []*world{one, other} {
			for range 5 {
				all.Go(func() {
					for range 4 {
						w.doWith(w.plain, call{key: one.key})
						w.doWith(w.plain, call{key: one.key, path: "/api/v1/candidates/nobody"})
					}
					w.calls.Run(ended())
				})
			}
		}
		all.Wait()
		if answered, refused := one.counted(); answered != 40 || refused != 40 || len(one.refusals()) != 40 {
			t.Errorf("%d answered, %d refused, %d remembered; want 40 each", answered, refused, len(one.refusals()))
		}
	})
}

// A client that storms the server costs a bounded number of rows; all its calls are
// counted, and the newest are kept.
func TestAStormOfRefusedCallsIsCountedAndKeptInPart(t *testing.T) {
	w := newWorldOn(t, storetest.OpenSQLite(t), refusing{})
	for i := range 500 {
		w.doWith(w.plain, call{header: []string{"X-Request-Id", fmt.Sprint("request-", i)}})
	}
	w.written()
	list := w.refusals()
	if _, refused := w.counted(); refused != 500 || len(list) != 200 || list[0].RequestID != "request-499" || list[199].RequestID != "request-300" {
		t.Errorf("%d counted, %d kept, from %s", refused, len(list), list[0].RequestID)
	}
}
