package api_test

import (
	"net/http"
	"strings"
	"testing"

	"typus"
	"typus/internal/access"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// The forms of /api/test as a client reads them.
type (
	clock struct {
		Now   string `json:"now"`
		Ahead int64  `json:"ahead_seconds"`
		Move  *move  `json:"move"`
	}
	move struct {
		ID   int64  `json:"id"`
		Done bool   `json:"done"`
		Now  string `json:"now"`
		Left int64  `json:"left_seconds"`
	}
	eventList struct {
		Events []struct {
			ID        string  `json:"id"`
			Type      string  `json:"type"`
			CreatedAt string  `json:"created_at"`
			Body      *string `json:"body"`
		} `json:"events"`
	}
)

// testCalls are one call of each route under /api/test.
var testCalls = []call{
	{path: "/api/test/clock"}, {path: "/api/test/clock", body: `{"advance":"P3D"}`}, {path: "/api/test/clock/1"},
	{path: "/api/test/letters"}, {path: "/api/test/events"}, {path: "/api/test/credits", body: `{"balance":0}`}, {method: "POST", path: "/api/test/reset"},
}

func TestALiveKeyIsToldHowToGetATestKey(t *testing.T) {
	w := newWorld(t)
	w.invite(`{` + person + `,"external_id":"live"}`)
	w.testWorld()
	for _, c := range append(testCalls, call{path: "/api/test"}, call{path: "/api/test/nothing"}, call{method: "DELETE", path: "/api/test/clock"}) {
		r := w.do(c)
		if p := parse[problem](t, r); r.status != http.StatusForbidden || p.Code != "insufficient_scope" || !strings.Contains(p.Detail, "typus key create") {
			t.Errorf("%s: %d %s", c.path, r.status, r.body)
		}
	}
	if r := w.do(call{}); len(parse[candidateList](t, r).Candidates) != 1 {
		t.Errorf("the live list is %s", r.body)
	}
}

func TestATestKeyThatMayNotDoEverythingPlaysNoWorld(t *testing.T) {
	w := newWorld(t)
	account, _ := w.testWorld()
	for _, limit := range []access.KeyLimit{{Scope: typus.ScopeInvite}, {Scope: typus.ScopeWithoutScores}, {OnePosition: true}} {
		_, key, err := w.Access.CreateLimitedKey(t.Context(), account.ID, "CI", limit, typus.Actor{Name: "operator"})
		w.Must(err)
		for _, c := range testCalls {
			c.key = key
			if r := w.do(c); r.status != http.StatusForbidden {
				t.Errorf("%+v, %s: %d %s", limit, c.path, r.status, r.body)
			}
		}
	}
}

func TestTheTwoPartsOfTheAPICountTheirCallsApart(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		_, key := w.testWorld()
		for i, want := range []string{"599", "598"} {
			r := w.do(call{path: "/api/test/clock", key: key})
			if r.header.Get("RateLimit-Limit") != "600" || r.header.Get("RateLimit-Remaining") != want {
				t.Errorf("call %d: %v", i+1, r.header)
			}
			if r := w.do(call{key: key}); r.header.Get("RateLimit-Remaining") != "99" {
				t.Errorf("call %d of v1: %v", i+1, r.header)
			}
		}
	})
}

func TestTheSixHundredAndFirstCallInAMinuteIsRefused(t *testing.T) {
	w := newWorld(t)
	_, key := w.testWorld()
	for range 600 {
		w.doWith(w.plain, call{path: "/api/test/nothing", key: key})
	}
	r := w.do(call{path: "/api/test/clock", key: key})
	if p := parse[problem](t, r); r.status != 429 || !strings.Contains(p.Detail, "600") || r.header.Get("Retry-After") != "60" {
		t.Errorf("%d %s %v", r.status, r.body, r.header)
	}
}

func TestEverythingWrongInACallOfATestWorldIsNamed(t *testing.T) {
	w := newWorld(t)
	_, w.key = w.testWorld()
	for _, c := range []struct {
		path, body string
		header     []string
		faults     []fault
	}{
		{"/api/test/clock", `{}`, nil, []fault{{"advance", "required", ""}}},
		{"/api/test/clock", ``, nil, []fault{{"advance", "required", ""}}},
		{"/api/test/clock", `{"advance":null}`, nil, []fault{{"advance", "required", ""}}},
		{"/api/test/clock", `{"advance":3}`, nil, []fault{{"advance", "invalid", ""}}},
		{"/api/test/clock", `{"advance":"3 days"}`, nil, []fault{{"advance", "invalid", ""}}},
		{"/api/test/clock", `{"advance":"P0D"}`, nil, []fault{{"advance", "invalid", ""}}},
		{"/api/test/clock", `{"advance":"P1Y1D"}`, nil, []fault{{"advance", "invalid", ""}}},
		{"/api/test/clock", `{"Advance":"P1D"}`, nil, []fault{{"Advance", "unknown_field", ""}}},
		{"/api/test/clock?advance=P1D", `{"advance":"P400D"}`, []string{"Idempotency-Key", "x"}, []fault{{"advance", "unknown_field", ""}, {"Idempotency-Key", "invalid", ""}, {"advance", "invalid", ""}}},
		{"/api/test/credits", `{}`, nil, []fault{{"balance", "required", ""}}},
		{"/api/test/credits", `{"balance":"0"}`, nil, []fault{{"balance", "invalid", ""}}},
		{"/api/test/credits", `{"balance":0.5}`, nil, []fault{{"balance", "invalid", ""}}},
		{"/api/test/credits", `{"balance":1e3}`, nil, []fault{{"balance", "invalid", ""}}},
		{"/api/test/credits", `{"balance":99999999999999999999}`, nil, []fault{{"balance", "invalid", ""}}},
		{"/api/test/events?after=x&wait=31", ``, nil, []fault{{"after", "invalid", ""}, {"wait", "invalid", ""}}},
		{"/api/test/letters?to=finish+closer@example.com", ``, nil, []fault{{"to", "invalid", ""}}},
		{"/api/test/letters?to=never@example.com%20&cursor=x", ``, nil, []fault{{"to", "invalid", ""}, {"cursor", "invalid", ""}}},
		{"/api/test/events?wait=-1&limit=5", ``, nil, []fault{{"limit", "unknown_field", ""}, {"wait", "invalid", ""}}},
	} {
		method := "POST"
		if strings.Contains(c.path, "events") || strings.Contains(c.path, "letters") {
			method = "GET"
		}
		r := w.do(call{method: method, path: c.path, body: c.body, header: c.header, invalid: true})
		p := parse[problem](t, r)
		if r.status != 400 || len(p.Errors) != len(c.faults) {
			t.Errorf("%s %s: %d %s", c.path, c.body, r.status, r.body)
			continue
		}
		for i, f := range c.faults {
			if p.Errors[i].Field != f.Field || p.Errors[i].Code != f.Code {
				t.Errorf("%s %s: %s", c.path, c.body, r.body)
			}
		}
	}
}

// A plus in a query is a space, and a list without letters would not say so.
func TestAnAddressWithASpaceIsToldHowAPlusIsWritten(t *testing.T) {
	w := newWorld(t)
	_, w.key = w.testWorld()
	r := w.do(call{path: "/api/test/letters?to=finish+closer@example.com", invalid: true})
	if p := parse[problem](t, r); r.status != 400 || len(p.Errors) != 1 || p.Errors[0].Field != "to" || !strings.Contains(p.Errors[0].Message, "%2B") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := w.do(call{path: "/api/test/letters?to=finish%2Bcloser@example.com"}); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestACallThatIsRefusedUnderTestIsLogged(t *testing.T) {
	w := newWorld(t)
	account, key := w.testWorld()
	w.do(call{path: "/api/test/clock/99", key: key})
	w.Account = account.ID
	w.written()
	found := w.refusals()
	if len(found) != 1 || found[0].Route != "/api/test/clock/{id}" || found[0].Status != 404 {
		t.Errorf("the log says %+v", found)
	}
}

func TestTheDescriptionShowsWhatAClockThatIsBeingMovedAnswers(t *testing.T) {
	r := newWorld(t).doWith(http.DefaultClient, call{path: "/api/openapi.yaml", key: "-"})
	if n := strings.Count(r.body, store.Moving().(*typus.Error).Msg); n != 2 {
		t.Errorf("it says so %d times, want 2", n)
	}
}
