package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/api"
	"typus/internal/meettest"
	"typus/internal/store/storetest"
)

// Every route is asked in step (meettest) by the keys of two accounts and of their test worlds:
// by four who all ask for the same, and then for something else each, while a third
// account invites, and plays its test world. Who asks is answered what they are answered alone,
// and is told of nobody of another account.
func TestEveryRouteIsAskedByManyAtOnce(t *testing.T) {
	w := newWorldOn(t, storetest.OpenSQLite(t).Meeting(meettest.Wait), api.NewMemoryLimiter(time.Now, 100_000))
	accounts := []string{"lena", "mika", "nobu"} // who is invited there, and nowhere else
	var keys, tests []string
	for _, name := range accounts {
		w.Account, _, w.key = w.newAccount(name+" GmbH", typus.PlanStarter, 1000)
		_, test := w.testWorld()
		for _, key := range []string{w.key, test} {
			body := `{"name":"` + name + `","email":"` + name + `@example.com","external_id":"open"}`
			if r := w.doWith(w.plain, call{path: "/api/v1/invites", body: body, key: key}); r.status != http.StatusCreated {
				t.Fatalf("%d %s", r.status, r.body)
			}
		}
		keys, tests = append(keys, w.key), append(tests, test)
	}
	w.stop() // nobody moves a clock here, nor waits for it
	request := func(ctx context.Context, method, path, key, body string) *http.Request {
		r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Request-Id", "at-once")
		return r
	}
	asked, sent := []string{"/api/openapi.yaml", "/api/openapi.json"}, []string{}
	for _, r := range slices.Concat(api.Routes(), api.WorldRoutes()) {
		path := strings.ReplaceAll(r.Pattern, "{id}", "open")
		if r.Method == http.MethodGet {
			asked = append(asked, path, path+"?include=extra", path+"?limit=1")
		} else {
			sent = append(sent, r.Pattern)
		}
	}
	same := []string{keys[0], tests[0], keys[1], tests[1]}
	see := func(ctx context.Context, caller, errand int) meettest.Answer {
		a := meettest.Ask(w.handler, request(ctx, http.MethodGet, asked[errand], same[caller], ""))
		if a.Status >= http.StatusInternalServerError {
			t.Errorf("GET %s: %d %s", asked[errand], a.Status, a.Body)
		}
		for i, name := range accounts {
			if i != caller/2 && strings.Contains(a.Body, `"`+name) {
				t.Errorf("GET %s tells of %s: %s", asked[errand], name, a.Body)
			}
		}
		return a
	}
	change := meettest.Group{Callers: 2, Errands: len(sent), Do: func(_ context.Context, _, n int) {
		for _, c := range fitting[sent[n]] {
			key := keys[2]
			if strings.HasPrefix(sent[n], "/api/test") {
				key = tests[2]
			}
			if a := meettest.Ask(w.handler, request(t.Context(), http.MethodPost, sent[n]+c.path, key, c.body)); a.Status >= http.StatusInternalServerError {
				t.Errorf("POST %s: %d %s", sent[n], a.Status, a.Body)
			}
		}
	}}
	var atOnce [2][4][]meettest.Answer
	for apart := range atOnce {
		for i := range same {
			atOnce[apart][i] = make([]meettest.Answer, len(asked))
		}
		meettest.Together(t, change, meettest.Group{Callers: len(same), Errands: len(asked), Apart: apart == 1, Do: func(ctx context.Context, i, n int) {
			atOnce[apart][i][n] = see(ctx, i, n)
		}})
	}
	for i := range same {
		for n := range asked {
			alone := see(t.Context(), i, n)
			for apart := range atOnce {
				if got := atOnce[apart][i][n]; got != alone {
					t.Errorf("GET %s is answered\n%+v\nand alone\n%+v", asked[n], got, alone)
				}
			}
		}
	}
}
