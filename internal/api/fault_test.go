package api_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"typus/internal/api"
	"typus/internal/faulttest"
	"typus/internal/store/storetest"
)

// fitting are calls of each route that changes something, each as an integrator makes it.
var fitting = map[string][]call{
	"/api/v1/invites": {
		{body: `{"name":"Kim Muster","email":"kim@example.com","external_id":"crm-42"}`, header: []string{"Idempotency-Key", "a-1"}},
		{body: `{"name":"Kim Muster","email":"kim@example.com"}`, header: []string{"Idempotency-Key", "a-2"}, path: "?include=extra"},
		{body: `{"name":"Kim Muster","email":"kim@example.com","external_id":"crm-42","send_email":false}`},
		{body: `{"name":"Robin Muster","email":"robin@example.com","external_id":"open"}`, header: []string{"Idempotency-Key", "a-3"}},
	},
	"/api/test/clock":   {{body: `{"advance":"P3D"}`}},
	"/api/test/credits": {{body: `{"balance":3}`}},
	"/api/test/reset":   {{body: `{}`}},
}

// twice says what a second call leaves that has no Idempotency-Key.
var twice = map[string]map[string]string{
	"/api/test/credits": {"audit_log": "it says who has set the balance, each time"},
	"/api/test/reset":   {"audit_log": "the world was reset each time", "credit_ledger": "and has its credits from the last"},
}

// P17: no call of the API is ever half applied, whatever fails beneath it, and whoever repeats
// it has it done once.
func TestNoCallIsEverHalfApplied(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { noCallIsHalfApplied(t, storetest.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { noCallIsHalfApplied(t, storetest.Postgres(t)) })
}

func noCallIsHalfApplied(t *testing.T, dsn string) {
	s, faults := faulttest.Inject(storetest.Open(t, dsn))
	w := newWorldOn(t, s, nil)
	w.invite(`{"name":"Robin Muster","email":"robin@example.com","external_id":"open"}`)
	_, testKey := w.testWorld()
	w.stop() // nobody waits for the clock to arrive
	site := faulttest.Site{TB: t, Faults: faults, DSN: dsn, Handler: w.handler, Logged: w.log, Aside: map[string]string{
		"rate_log": "a call counts towards the limit of its key whatever becomes of it",
	}}
	for _, route := range slices.Concat(api.Routes(), api.WorldRoutes()) {
		if route.Method == http.MethodGet {
			continue
		}
		if len(fitting[route.Pattern]) == 0 {
			t.Errorf("nobody has said how %s %s is called", route.Method, route.Pattern)
		}
		for _, c := range fitting[route.Pattern] {
			site.Play(faulttest.Request{Name: route.Pattern + " " + c.body, Same: len(c.header) > 0, Twice: twice[route.Pattern], Make: func() func() *http.Request {
				return func() *http.Request {
					r := httptest.NewRequest(route.Method, baseURL+route.Pattern+c.path, strings.NewReader(c.body))
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("Authorization", "Bearer "+w.key)
					if strings.HasPrefix(route.Pattern, "/api/test") {
						r.Header.Set("Authorization", "Bearer "+testKey)
					}
					for i := 0; i < len(c.header); i += 2 {
						r.Header.Set(c.header[i], c.header[i+1])
					}
					return r
				}
			}})
		}
	}
}
