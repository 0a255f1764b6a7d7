package api_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// fill invites n candidates, one second apart, with external ids p1, p2, …
func (w *world) fill(n int) {
	w.Helper()
	for i := 1; i <= n; i++ {
		w.Clock.Later(time.Second)
		w.doWith(w.plain, call{path: "/api/v1/invites", body: fmt.Sprintf(`{%s,"external_id":"p%d","send_email":false}`, person, i)})
	}
}

var linkForm = regexp.MustCompile(`^<` + regexp.QuoteMeta(baseURL) + `(/api/v1/candidates\?[^>]*cursor=[A-Za-z0-9_-]+)>; rel="next"$`)

// next is the path of the Link header, "" if there is none.
func next(t *testing.T, r reply) string {
	t.Helper()
	link := r.header.Get("Link")
	if link == "" {
		return ""
	}
	m := linkForm.FindStringSubmatch(link)
	if m == nil {
		t.Fatalf("Link is %q", link)
	}
	return m[1]
}

func externalIDs(l candidateList) []string {
	var ids []string
	for _, c := range l.Candidates {
		ids = append(ids, *c.ExternalID)
	}
	return ids
}

func TestTheListShowsEachCandidateOnceWhileNewOnesArrive(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		w.fill(25)
		var seen []string
		for path := "/api/v1/candidates?limit=10&include=extra"; path != ""; {
			r := w.do(call{path: path})
			l := parse[candidateList](t, r)
			seen = append(seen, externalIDs(l)...)
			if len(l.Candidates) > 10 || l.Candidates[0].Extra == nil {
				t.Fatalf("limit or include got lost: %s", r.body)
			}
			path = next(t, r)
			w.Clock.Later(time.Second)
			w.invite(`{` + person + `}`)
		}
		if len(seen) != 25 || seen[0] != "p25" || seen[9] != "p16" || seen[24] != "p1" {
			t.Errorf("got %v", seen)
		}
	})
}

func TestCandidatesOfOneInstantAreInOrderOfTheirID(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.invite(fmt.Sprintf(`{%s,"external_id":"p%d"}`, person, i))
	}
	var seen []string
	for path := "/api/v1/candidates?limit=2"; path != ""; {
		r := w.do(call{path: path})
		seen = append(seen, externalIDs(parse[candidateList](t, r))...)
		path = next(t, r)
	}
	if got := strings.Join(seen, " "); got != "p4 p3 p2 p1 p0" {
		t.Errorf("got %s", got)
	}
}

func TestTheListHoldsFiftyUnlessToldOtherwise(t *testing.T) {
	w := newWorld(t)
	w.fill(101)
	for query, want := range map[string]int{"": 50, "?limit=1": 1, "?limit=99": 99, "?limit=100": 100, "?page_size=3&foo=1&foo=2": 50} {
		r := w.doWith(w.plain, call{path: "/api/v1/candidates" + query})
		if n := len(parse[candidateList](t, r).Candidates); n != want {
			t.Errorf("%s: %d candidates, want %d", query, n, want)
		}
		if next(t, r) == "" {
			t.Errorf("%s: no Link, but there is more", query)
		}
	}
}

func TestNoLinkIsThereWhenThereIsNoMore(t *testing.T) {
	w := newWorld(t)
	w.fill(2)
	for _, query := range []string{"", "?limit=2", "?external_id=p1&limit=1"} {
		if r := w.do(call{path: "/api/v1/candidates" + query}); r.header.Get("Link") != "" {
			t.Errorf("%s: Link is %q", query, r.header.Get("Link"))
		}
	}
}

func TestTheListIsFilteredByStatusAndExternalID(t *testing.T) {
	w := newWorld(t)
	w.fill(4)
	w.finish(w.token("p1"))
	if err := w.Assess.Begin(t.Context(), w.token("p2"), typus.Notice{Version: "1", Language: "de"}, "Hinweis"); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"status=offen":                   "p4 p3",
		"status=begonnen":                "p2",
		"status=abgeschlossen":           "p1",
		"external_id=p3":                 "p3",
		"external_id=p3&status=offen":    "p3",
		"external_id=p3&status=begonnen": "",
		"external_id=P3":                 "",
		"external_id=":                   "",
		"external_id=%20p3":              "",
		"external_id=%00":                "",
		"external_id=p3%00":              "",
		"external_id=%FF":                "",
		"external_id=%E2%80%A8":          "",
		"external_id=%25":                "",
		"external_id=p_":                 "",
		"external_id=100000000000001":    "",
		"external_id=" + long(300):       "",
		"completed_since=2026-01-01T00:00:00Z&status=offen":            "",
		"completed_since=2026-01-01T00:00:00Z&status=abgeschlossen":    "p1",
		"completed_since=0001-01-01T00:00:00Z":                         "p1",
		"completed_since=2099-01-01T00:00:00Z":                         "",
		"completed_since=2026-01-01T00:00:00.5%2B05:30&external_id=p1": "p1",
		"completed_since=2026-01-01T00:00:00Z&external_id=p2":          "",
	} {
		r := w.do(call{path: "/api/v1/candidates?" + query})
		if got := strings.Join(externalIDs(parse[candidateList](t, r)), " "); r.status != 200 || got != want {
			t.Errorf("%.60s: got %d %q, want %q", query, r.status, got, want)
		}
		if want == "" && r.body != `{"candidates":[]}` {
			t.Errorf("%.60s: an empty list is %s", query, r.body)
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

// token is the link's token of a candidate.
func (w *world) token(externalID string) string {
	w.Helper()
	c := parse[candidate](w.T, w.do(call{path: "/api/v1/candidates/" + externalID + "?include=extra"}))
	return c.Extra.InviteURL[strings.LastIndex(c.Extra.InviteURL, "/")+1:]
}

func TestPollersGetTheNewestCompletionFirst(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		w.fill(5)
		begin := w.Clock.Now()
		for _, id := range []string{"p4", "p1", "p5", "p2"} {
			w.Clock.Later(time.Minute)
			w.finish(w.token(id))
		}
		since := func(d time.Duration) string { return begin.Add(d).UTC().Format("2006-01-02T15:04:05Z") }
		for d, want := range map[time.Duration]string{0: "p2 p5 p1 p4", 2 * time.Minute: "p2 p5 p1", 4*time.Minute + time.Second: ""} {
			r := w.do(call{path: "/api/v1/candidates?completed_since=" + since(d)})
			if got := strings.Join(externalIDs(parse[candidateList](t, r)), " "); got != want {
				t.Errorf("since %s: got %q, want %q", d, got, want)
			}
		}
		var seen []string
		for path := "/api/v1/candidates?limit=1&completed_since=" + since(0); path != ""; {
			r := w.do(call{path: path})
			seen = append(seen, externalIDs(parse[candidateList](t, r))...)
			path = next(t, r)
		}
		if got := strings.Join(seen, " "); got != "p2 p5 p1 p4" {
			t.Errorf("page by page: %s", got)
		}
	})
}

func TestTheCursorKeepsTheFilters(t *testing.T) {
	w := newWorld(t)
	w.fill(4)
	w.finish(w.token("p2"))
	w.finish(w.token("p4"))
	r := w.do(call{path: "/api/v1/candidates?status=abgeschlossen&limit=1"})
	link := next(t, r)
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	if q := u.Query(); q.Get("status") != "abgeschlossen" || q.Get("limit") != "1" {
		t.Errorf("the link lost a parameter: %s", link)
	}
	cursor := u.Query().Get("cursor")
	for _, path := range []string{link, "/api/v1/candidates?cursor=" + cursor, "/api/v1/candidates?status=abgeschlossen&limit=50&cursor=" + cursor} {
		r := w.do(call{path: path})
		if got := strings.Join(externalIDs(parse[candidateList](t, r)), " "); got != "p2" {
			t.Errorf("%s: got %q, want p2", path, got)
		}
	}
	for _, path := range []string{"?status=offen&cursor=", "?external_id=p2&cursor=", "?completed_since=2026-01-01T00:00:00Z&cursor="} {
		r := w.do(call{path: "/api/v1/candidates" + path + cursor, invalid: true})
		if got := names(parse[problem](t, r)); r.status != 400 || got[0] != "cursor invalid" {
			t.Errorf("%s: got %d %v", path, r.status, got)
		}
	}
}

func TestACursorThatIsNotOursIsRefused(t *testing.T) {
	w := newWorld(t)
	w.fill(3)
	u, err := url.Parse(next(t, w.do(call{path: "/api/v1/candidates?limit=1"})))
	if err != nil {
		t.Fatal(err)
	}
	good := u.Query().Get("cursor")
	bad := []string{"x", "%00", "!", good[1:], good[:len(good)-1], good + "A", good + "=", strings.ToUpper(good), "MTAwMDAwMDAwMDAwMDAx", long(5000)}
	for i := range good {
		changed := []byte(good)
		changed[i] ^= 1
		bad = append(bad, url.QueryEscape(string(changed)))
	}
	for _, cursor := range bad {
		r := w.do(call{path: "/api/v1/candidates?limit=1&cursor=" + cursor, invalid: true})
		if r.status != 400 || names(parse[problem](t, r))[0] != "cursor invalid" {
			t.Errorf("%.60q: got %d %s", cursor, r.status, r.body)
		}
	}
	first := func(query string) string { return w.do(call{path: "/api/v1/candidates?limit=1" + query}).body }
	if first("&cursor=") != first("") {
		t.Error("an empty cursor is not the first page")
	}
	_, _, foreign := w.newAccount("Andere GmbH", typus.PlanStarter, 1)
	if r := w.do(call{path: "/api/v1/candidates?cursor=" + good, key: foreign}); r.status != 400 {
		t.Errorf("the cursor of another account: got %d", r.status)
	}
}

func TestBadParametersAreNamed(t *testing.T) {
	w := newWorld(t)
	for query, want := range map[string]string{
		"limit=0": "limit invalid", "limit=101": "limit invalid", "limit=-1": "limit invalid", "limit=1e9": "limit invalid",
		"limit=abc": "limit invalid", "limit=": "limit invalid", "limit=1.0": "limit invalid", "limit=010": "limit invalid",
		"limit=%2B5": "limit invalid", "limit=+5": "limit invalid", "limit=٥": "limit invalid", "limit=99999999999999999999": "limit invalid",
		"status=": "status invalid", "status=open": "status invalid", "status=OFFEN": "status invalid", "status=offen,begonnen": "status invalid",
		"status=offen&status=offen": "status invalid", "external_id=a&external_id=b": "external_id invalid", "limit=1&limit=1": "limit invalid",
		"externalId=x": "externalId unknown_field", "external-id=x": "external-id unknown_field", "Status=offen": "Status unknown_field",
		"LIMIT=1": "LIMIT unknown_field", "completedSince=x": "completedSince unknown_field",
		"page=2": "page unknown_field", "offset=50": "offset unknown_field",
		"completed_since=": "completed_since invalid", "completed_since=2026-11-27": "completed_since invalid",
		"completed_since=yesterday": "completed_since invalid", "completed_since=1764238830": "completed_since invalid",
		"completed_since=2026-11-27T10:20:30+01:00": "completed_since invalid", "completed_since=2026-13-27T10:20:30Z": "completed_since invalid",
		"status=%zz": "query invalid", "a;b": "query invalid",
	} {
		r := w.do(call{path: "/api/v1/candidates?" + query, invalid: true})
		if got := names(parse[problem](t, r)); r.status != 400 || len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %d %v, want [%s]", query, r.status, got, want)
		}
	}
	r := w.do(call{path: "/api/v1/candidates?status=x&limit=0&page=1&include=all&externalId=1&completed_since=x", invalid: true})
	if got := strings.Join(names(parse[problem](t, r)), ", "); got != "externalId unknown_field, page unknown_field, status invalid, completed_since invalid, limit invalid, include invalid" {
		t.Errorf("all at once: %s", got)
	}
	r = w.do(call{path: "/api/v1/candidates?limit=101", invalid: true})
	if got := parse[problem](t, r).Detail; got != "limit must be 1 to 100; follow the Link header for more" {
		t.Errorf("the remedy for a limit: %s", got)
	}
}
