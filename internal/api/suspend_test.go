package api_test

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/api"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Every call with a key of a suspended account is refused, also one that reads or that nothing
// is at, whatever the key may do; nothing of it is stored, and the log of calls has it. Then
// the same call succeeds.
func TestEveryCallForASuspendedAccountIsRefused(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		operator := typus.Actor{Name: typus.ActorOperator}
		_, testKey := w.testWorld()
		w.do(call{}) // the key is remembered
		_, err := w.Accounts.Suspend(w.Context(), w.Account, new("an invoice"), operator)
		w.Must(err)
		w.Later(500 * time.Millisecond)
		for _, key := range []string{w.key, testKey} {
			for _, r := range append(api.Routes(), api.WorldRoutes()...) {
				path := strings.NewReplacer("{id}", "crm-42").Replace(r.Pattern)
				body := map[bool]string{true: `{` + person + `}`}[r.Method == "POST"]
				got := w.do(call{method: r.Method, path: path, body: body, key: key, header: []string{"Idempotency-Key", "k"}, invalid: true})
				p := parse[problem](t, got)
				if got.status != 403 || p.Code != "account_suspended" || strings.Contains(got.body, "invoice") || !strings.Contains(p.Detail, "whoever runs this server") {
					t.Errorf("%s %s: %d %s", r.Method, path, got.status, got.body)
				}
			}
		}
		if r := w.do(call{key: "typ_live_" + strings.Repeat("x", 43)}); r.status != 401 {
			t.Errorf("an unknown key: %d", r.status)
		}
		_, err = w.Accounts.Resume(w.Context(), w.Account, operator)
		w.Must(err)
		w.Later(500 * time.Millisecond)
		if r := w.do(call{path: "/api/v1/invites", body: `{` + person + `}`, header: []string{"Idempotency-Key", "k"}}); r.status != 201 || r.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}

// A call that was let in before its account began to be deleted is answered as one with a key
// that is gone, which it is.
func TestACallWhoseAccountIsBeingDeletedFindsItsKeyGone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for _, header := range [][]string{nil, {"Idempotency-Key", "k"}} {
			w := newWorldOn(t, s, nil)
			w.do(call{}) // the key is remembered for half a second
			w.Must(s.InTx(w.Context(), func(tx *store.Tx) error {
				a, err := tx.LockToBegin(w.Context(), w.Account)
				if err != nil {
					return err
				}
				return tx.BeginDeletion(w.Context(), a, w.Now())
			}))
			if r := w.do(call{path: "/api/v1/invites", body: `{` + person + `}`, header: header}); r.status != 401 || parse[problem](t, r).Code != "invalid_key" || r.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%d %s", r.status, r.body)
			}
		}
	})
}
