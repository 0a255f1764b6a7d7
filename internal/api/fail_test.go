package api_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus/internal/api"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestUnknownAddressesAreJSON(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{
		"/api/v1", "/api/v1/", "/api/v1/nothing", "/api/v1/candidates/", "/api/v1/candidates/a/b", "/api/v1//candidates", "/api/v1/./candidates",
		"/api/v1/candidates/../invites", "/api/v1/Candidates", "/api/v1/invites/", "/api/v1/invites/1", "/api/v1%2Fcandidates",
		"/api/", "/api/v2/candidates", "/api/v1x", "/api/docs", "/api/%76%31/candidates",
	} {
		r := w.do(call{path: path})
		if p := parse[problem](t, r); r.status != 404 || p.Code != "not_found" || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %d %s", path, r.status, r.body)
		}
	}
}

func TestWrongMethodsAreRefusedWithAllow(t *testing.T) {
	w := newWorld(t)
	for path, allow := range map[string]string{
		"/api/v1/invites": "POST", "/api/v1/candidates": "GET, HEAD", "/api/v1/candidates/x": "GET, HEAD",
		"/api/openapi.yaml": "GET, HEAD", "/api/openapi.json": "GET, HEAD",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			if strings.Contains(", "+allow+",", " "+method+",") {
				continue
			}
			r := w.do(call{method: method, path: path, invalid: true})
			if r.status != 405 || r.header.Get("Allow") != allow {
				t.Errorf("%s %s: got %d, Allow %q, want %q", method, path, r.status, r.header.Get("Allow"), allow)
			}
			if method != "HEAD" && parse[problem](t, r).Code != "method_not_allowed" {
				t.Errorf("%s %s: got %s", method, path, r.body)
			}
		}
	}
}

func TestTheTypeOfAnErrorIsPlainJSONUnlessAskedFor(t *testing.T) {
	w := newWorld(t)
	for accept, want := range map[string]string{
		"": "application/json", "*/*": "application/json", "application/json": "application/json", "text/html": "application/json",
		"application/problem+json": "application/problem+json", "application/json, Application/Problem+JSON;q=0.9": "application/problem+json",
	} {
		r := w.do(call{path: "/api/v1/candidates/nobody", header: []string{"Accept", accept}})
		if got := r.header.Get("Content-Type"); got != want {
			t.Errorf("Accept %q: got %q, want %q", accept, got, want)
		}
		if r := w.do(call{header: []string{"Accept", accept}}); r.header.Get("Content-Type") != "application/json" {
			t.Errorf("Accept %q changed the type of a success to %q", accept, r.header.Get("Content-Type"))
		}
	}
}

func TestEveryAnswerCarriesItsRequestIDAndTheHeadersOfData(t *testing.T) {
	w := newWorld(t)
	for _, c := range []call{
		{}, {key: "-", invalid: true}, {path: "/api/v1/nothing"}, {method: "DELETE"}, {path: "/api/nothing"}, {path: "/api/openapi.yaml"},
		{path: "/api/v1/invites", body: "{", invalid: true}, {path: "/api/v1/invites", body: `{` + person + `}`},
	} {
		c.header = []string{"X-Request-Id", "my-id.1"}
		r := w.do(c)
		for name, want := range map[string]string{
			"X-Request-Id": "my-id.1", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Cache-Control": "no-store",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Strict-Transport-Security": "max-age=31536000",
		} {
			if got := r.header.Get(name); got != want {
				t.Errorf("%s %s → %d: %s is %q, want %q", c.method, c.path, r.status, name, got, want)
			}
		}
	}
}

// broken is a limiter that panics: a fault where nobody expects one.
type broken struct{}

func (broken) Take(context.Context, int64) (api.Quota, error) { panic("secret detail of a fault") }

func TestAPanicIsAnsweredLikeAnyFaultAndWithoutItsWords(t *testing.T) {
	w := newWorldOn(t, storetest.OpenSQLite(t), broken{})
	r := w.do(call{header: []string{"X-Request-Id", "find-me"}})
	p := parse[problem](t, r)
	if r.status != 500 || p.Code != "internal" || p.RequestID != "find-me" || leaks.MatchString(r.body) {
		t.Errorf("got %d %s", r.status, r.body)
	}
	if log := w.log.String(); !strings.Contains(log, "secret detail of a fault") || !strings.Contains(log, "find-me") {
		t.Error("the log lacks the fault or its request")
	}
}

// leaks are words that no client should read: of databases, of Go, of files.
var leaks = regexp.MustCompile(`(?i)sql|pgx|driver|goroutine|panic|\.go\b|/work|/tmp|select |insert |stack|secret|typus/|runtime|127\.0\.0\.1|syntax`)

func TestAFaultOfTheDatabaseIsAnsweredWithoutItsWords(t *testing.T) {
	for name, dsn := range map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		t.Run(name, func(t *testing.T) { faultOfTheDatabase(t, openedBy(t, dsn(t))) })
	}
}

func faultOfTheDatabase(t *testing.T, s *store.Store) {
	w := newWorldOn(t, s, nil)
	w.invite(`{` + person + `,"external_id":"x"}`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []call{
		{}, {path: "/api/v1/candidates/x"}, {path: "/api/v1/candidates/100000000000001"}, {path: "/api/v1/candidates?include=extra&status=offen"},
		{path: "/api/v1/invites", body: `{` + person + `}`}, {path: "/api/v1/invites", body: `{` + person + `}`, header: []string{"Idempotency-Key", "k"}},
	} {
		r := w.do(c)
		p := parse[problem](t, r)
		if r.status != 500 && r.status != 503 || leaks.MatchString(p.Detail+p.Title) || len(p.Errors) > 0 {
			t.Errorf("%s: got %d %s", c.path, r.status, r.body)
		}
		if r.status == 503 && r.header.Get("Retry-After") == "" {
			t.Errorf("%s: 503 without Retry-After", c.path)
		}
		if got := r.header.Get("RateLimit-Limit"); got == "" {
			t.Errorf("%s: the wall of the key forgot a key that it had just seen", c.path)
		}
	}
	w.Clock.Later(time.Second)
	if r := w.do(call{}); r.status != 500 && r.status != 503 || leaks.MatchString(parse[problem](t, r).Detail) {
		t.Errorf("the look-up of the key: got %d %s", r.status, r.body)
	}
}

func TestTheLogHoldsNoKeyNoNameAndNoAddress(t *testing.T) {
	w := newWorld(t)
	i := w.invite(`{"name":"Loggfried Geheim","email":"loggfried@example.com","external_id":"crm-geheim"}`)
	w.do(call{path: "/api/v1/candidates/crm-geheim?include=extra"})
	w.do(call{path: "/api/v1/candidates?external_id=crm-geheim"})
	w.do(call{path: "/api/v1/invites", body: `{"name":"Loggfried Geheim","email":"loggfried"}`, invalid: true})
	log := w.log.String()
	for _, secret := range []string{w.key, i.CandidateToken, "Geheim", "geheim", "loggfried"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	if !strings.Contains(log, `"route":"/api/v1/candidates/{id}"`) {
		t.Errorf("the log lacks the route: %s", log)
	}
}
