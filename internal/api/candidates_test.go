package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
)

func TestACandidateIsReadByIDOrByExternalID(t *testing.T) {
	w := newWorld(t)
	w.invite(`{"name":"First","email":"a@example.com","external_id":"crm-42"}`)
	// The second one's external_id is the first one's id.
	w.invite(`{"name":"Second","email":"b@example.com","external_id":100000000000001}`)
	w.invite(`{"name":"Third","email":"c@example.com","external_id":"007"}`)
	w.invite(`{"name":"Fourth","email":"d@example.com","external_id":"a/b c%?ü😀"}`)
	w.invite(`{"name":"Fifth","email":"e@example.com","external_id":"9223372036854775808"}`)
	for _, c := range []struct{ path, name, matched string }{
		{"100000000000001", "First", "id"},
		{"100000000000001?by=id", "First", "id"},
		{"100000000000001?by=external_id", "Second", "external_id"},
		{"100000000000002", "Second", "id"},
		{"crm-42", "First", "external_id"},
		{"crm-42?by=external_id", "First", "external_id"},
		{"007", "Third", "external_id"},
		{url.PathEscape("a/b c%?ü😀"), "Fourth", "external_id"},
		{"9223372036854775808", "Fifth", "external_id"},
	} {
		r := w.do(call{path: "/api/v1/candidates/" + c.path})
		if r.status != 200 || !strings.Contains(r.body, `"name":"`+c.name+`"`) || r.header.Get("X-Matched-By") != c.matched {
			t.Errorf("%s: got %d by %q: %s; want %s by %s", c.path, r.status, r.header.Get("X-Matched-By"), r.body, c.name, c.matched)
		}
	}
}

func TestWhatNobodyHasIsNotFound(t *testing.T) {
	w := newWorld(t)
	w.invite(`{` + person + `,"external_id":"crm-42"}`)
	w.invite(`{` + person + `,"external_id":"007"}`)
	want := ""
	for _, path := range []string{
		"7", "100000000000003", "crm-42?by=id", "100000000000001?by=external_id", "CRM-42", "crm-42%20", "7?by=external_id",
		"0100000000000001", "+100000000000001", "100000000000001.0", "99999999999999999999", "-1", "0",
		"%00", "a%00b", "%0A", "%E2%80%A8", "%E2%80%AE", "%FF", "%ED%A0%80", strings.Repeat("x", 256), strings.Repeat("x", 8000),
		"%27%20OR%201%3D1%20--", "..", "%2e%2e%2f%2e%2e",
	} {
		r := w.do(call{path: "/api/v1/candidates/" + path, header: []string{"X-Request-Id", "same"}})
		if want == "" {
			want = r.body
		}
		if r.status != http.StatusNotFound || r.body != want || r.header.Get("X-Matched-By") != "" {
			t.Errorf("%.60s: got %d %s", path, r.status, r.body)
		}
	}
}

func TestBySelectsOneReadingOnly(t *testing.T) {
	w := newWorld(t)
	for _, query := range []string{"by=", "by=name", "by=ID", "by=id&by=id", "By=id"} {
		r := w.do(call{path: "/api/v1/candidates/x?" + query, invalid: true})
		if got := names(parse[problem](t, r)); r.status != 400 || len(got) != 1 {
			t.Errorf("%s: got %d %v", query, r.status, got)
		}
	}
}

func TestAFinishedCandidateHasItsScores(t *testing.T) {
	w := newWorld(t)
	i := w.invite(`{` + person + `,"external_id":"x"}`)
	if c := parse[candidate](t, w.do(call{path: "/api/v1/candidates/x"})); c.Status != "offen" || c.CompletedAt != nil || c.Scores != nil {
		t.Errorf("before: %+v", c)
	}
	w.Clock.Later(20 * 60e9)
	w.finish(i.CandidateToken)
	single := w.do(call{path: "/api/v1/candidates/x"})
	c := parse[candidate](t, single)
	if c.Status != "abgeschlossen" || c.CompletedAt == nil || *c.CompletedAt != "2026-11-27T10:40:30Z" || c.Scores == nil {
		t.Errorf("after: %s", single.body)
	}
	list := w.do(call{path: "/api/v1/candidates?status=abgeschlossen"})
	if list.body != fmt.Sprintf(`{"candidates":[%s]}`, single.body) {
		t.Errorf("the list shows another object than the single read:\n%s\n%s", list.body, single.body)
	}
	for _, member := range []string{"subtitle", "band", "norm", "stability", "secondary", "borderline", "dimensionScores"} {
		if strings.Contains(single.body, `"`+member+`"`) {
			t.Errorf("%s is not for the wire: %s", member, single.body)
		}
	}
}

func TestExpiryAndCancellationDoNotChangeTheStatus(t *testing.T) {
	w := newWorld(t)
	w.invite(`{` + person + `,"external_id":"x"}`)
	if err := w.Assess.Cancel(t.Context(), store.WholeAccount(w.Account), 100000000000001, typus.Actor{Name: "operator"}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Later(40 * 24 * 3600e9)
	c := parse[candidate](t, w.do(call{path: "/api/v1/candidates/x?include=extra"}))
	if c.Status != "offen" || c.Extra.CancelledAt == nil || *c.Extra.CancelledAt != "2026-11-27T10:20:30Z" || c.Extra.ExpiresAt != "2026-12-27T10:20:30Z" {
		t.Errorf("got %+v %+v", c, c.Extra)
	}
}

func TestHEADTellsTheLengthOfTheAnswer(t *testing.T) {
	w := newWorld(t)
	w.invite(`{` + person + `,"external_id":"x"}`)
	for _, path := range []string{"/api/v1/candidates/x", "/api/v1/candidates", "/api/openapi.json"} {
		got, want := w.do(call{method: "HEAD", path: path}), w.doWith(w.plain, call{path: path})
		if got.status != 200 || got.body != "" || got.header.Get("Content-Length") != fmt.Sprint(len(want.body)) {
			t.Errorf("%s: %d, %q, Content-Length %s, want %d", path, got.status, got.body, got.header.Get("Content-Length"), len(want.body))
		}
	}
}
