package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/api"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/web"
)

// limitedKey makes a key of the world's account that may not do everything.
func (w *world) limitedKey(limit access.KeyLimit) string {
	w.Helper()
	_, key, err := w.Access.CreateLimitedKey(w.Context(), w.Account, "limited", limit, typus.Actor{Name: "operator"})
	w.Must(err)
	return key
}

// mayOpen says of every route which scopes open it, and how it is called.
var mayOpen = map[string]struct {
	path, body string
	status     int // for a key that may
	scopes     []typus.KeyScope
}{
	"POST /api/v1/invites":        {"/api/v1/invites", `{` + person + `}`, 201, []typus.KeyScope{typus.ScopeAll, typus.ScopeInvite}},
	"GET /api/v1/candidates":      {"/api/v1/candidates", "", 200, []typus.KeyScope{typus.ScopeAll, typus.ScopeWithoutScores}},
	"GET /api/v1/candidates/{id}": {"/api/v1/candidates/crm-42", "", 200, []typus.KeyScope{typus.ScopeAll, typus.ScopeWithoutScores}},
}

// A route that is not in the list above fails; so does a scope that opens more than it says.
func TestEveryScopeOpensItsRoutesOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		south := w.position(typus.Position{Name: "Süd", Ref: "job-7"})
		w.invite(`{` + person + `,"external_id":"crm-42"}`)
		w.invite(`{` + person + `,"external_id":"crm-42","position":"job-7"}`)
		open := web.NewRoutes(nil, api.Routes()...)
		for _, scope := range append(typus.KeyScopes(), "", "tomorrow") {
			for _, limit := range []access.KeyLimit{{}, {OnePosition: true}, {OnePosition: true, PositionID: south}} {
				key := w.addLimited(scope, limit)
				for _, route := range api.Routes() {
					c, listed := mayOpen[route.Method+" "+route.Pattern]
					if !listed || !open.Answers(route.Method, c.path) {
						t.Fatalf("%s %s: nobody says which keys open it", route.Method, route.Pattern)
					}
					want := c.status
					if !slices.Contains(c.scopes, scope) {
						want = http.StatusForbidden
					}
					methods := []string{route.Method}
					if route.Method == "GET" {
						methods = append(methods, "HEAD")
					}
					for _, method := range methods {
						r := w.do(call{method: method, path: c.path, body: c.body, key: key})
						if r.status != want || want == 403 && method != "HEAD" && parse[problem](t, r).Code != "insufficient_scope" {
							t.Errorf("%s %s with %q, %+v: %d %s, want %d", method, c.path, scope, limit, r.status, r.body, want)
						}
					}
					// Which addresses there are depends on no key.
					for path, status := range map[string]int{c.path + "/": 404, c.path + "//": 404, strings.ToUpper(c.path): 404, "/api/v1/nothing": 404} {
						if r := w.do(call{method: route.Method, path: path, body: c.body, key: key}); r.status != status {
							t.Errorf("%s %s with %q: %d, want %d", route.Method, path, scope, r.status, status)
						}
					}
					for _, method := range []string{"OPTIONS", "DELETE", "PUT", "PATCH"} {
						if r := w.do(call{method: method, path: c.path, key: key}); r.status != 405 || !strings.Contains(r.header.Get("Allow"), route.Method) {
							t.Errorf("%s %s with %q: %d", method, c.path, scope, r.status)
						}
					}
				}
			}
		}
		for name := range mayOpen {
			if !slices.ContainsFunc(api.Routes(), func(r web.Route) bool { return r.Method+" "+r.Pattern == name }) {
				t.Errorf("%s is no route", name)
			}
		}
	})
}

// addLimited stores a key of any scope, also of one that this program does not know.
func (w *world) addLimited(scope typus.KeyScope, limit access.KeyLimit) string {
	w.Helper()
	if scope.Valid() {
		limit.Scope = scope
		return w.limitedKey(limit)
	}
	return w.addKeyOf(typus.APIKey{Name: "odd", Scope: scope, PositionID: limit.PositionID})
}

// A refusal is the same, and costs the same, whoever is asked for; and it is logged.
func TestARefusalTellsNothingOfAnybody(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		w.invite(`{` + person + `,"external_id":"crm-42"}`)
		key := w.limitedKey(access.KeyLimit{Scope: typus.ScopeInvite})
		w.do(call{key: key}) // the key is remembered
		want := ""
		for _, path := range []string{"/crm-42", "/100000000000001", "/nobody", "", "?limit=0", "?external_id=crm-42", "?status=x", "?page=2", "?cursor=x", "/a%00b"} {
			r := w.do(call{path: "/api/v1/candidates" + path, key: key, header: []string{"X-Request-Id", "same"}, invalid: true})
			if want == "" {
				want = r.body
				golden(t, "insufficient_scope", r)
			}
			if r.status != 403 || r.body != want || r.header.Get("X-Matched-By") != "" || r.header.Get("RateLimit-Limit") == "" {
				t.Errorf("%s: %d %v %s", path, r.status, r.header, r.body)
			}
		}
		reader := w.limitedKey(access.KeyLimit{Scope: typus.ScopeWithoutScores})
		w.do(call{key: reader})
		for _, body := range []string{`{` + person + `}`, `{}`, `no JSON`, strings.Repeat("x", 70_000)} {
			if r := w.do(call{path: "/api/v1/invites", body: body, key: reader, invalid: true}); r.status != 403 {
				t.Errorf("%.20s: %d %s", body, r.status, r.body)
			}
		}
		quiet := w.ran.Load()
		for range 5 {
			w.do(call{path: "/api/v1/candidates/crm-42", key: key})
			w.do(call{path: "/api/v1/invites", body: `{` + person + `}`, key: reader})
		}
		if n := w.ran.Load() - quiet; n != 0 {
			t.Errorf("refusals cost %d statements", n)
		}
		if n := w.candidates(); n != 1 || w.ran.Load() == quiet {
			t.Errorf("%d candidates, want 1", n)
		}
		w.written()
		list := w.refusals()
		if r := list[0]; r.Status != 403 || r.Code != "insufficient_scope" || r.Route != "/api/v1/invites" {
			t.Errorf("the log has %+v", r)
		}
	})
}

// scoresForm is a result on the wire.
var scoresForm = regexp.MustCompile(`"scores":\{.*?"warnings":\[[^]]*\]\}`)

// What a key without scores reads is what any key reads, but for the scores; nothing that it
// may ask for depends on them.
func TestAKeyWithoutScoresReadsNone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		key := w.limitedKey(access.KeyLimit{Scope: typus.ScopeWithoutScores})
		first := w.invite(`{` + person + `,"external_id":"crm-42"}`)
		w.Clock.Later(1e9)
		w.invite(`{` + person + `,"external_id":"crm-43"}`)
		w.finish(first.CandidateToken)
		for _, path := range []string{"/api/v1/candidates/crm-42", "/api/v1/candidates/100000000000001", "/api/v1/candidates", "/api/v1/candidates?status=abgeschlossen", "/api/v1/candidates?completed_since=2020-01-01T00:00:00Z", "/api/v1/candidates/crm-43"} {
			full, r := w.do(call{path: path}), w.do(call{path: path, key: key})
			want := scoresForm.ReplaceAllString(full.body, `"scores":null`)
			if r.status != 200 || r.body != want {
				t.Errorf("%s: %d\n%s\nwant\n%s", path, r.status, r.body, want)
			}
			for _, word := range []string{"overall", "fit", "archetype", "dimension", "warnings", "severity", "/dashboard/", "/t/", first.CandidateToken} {
				if strings.Contains(r.body, word) {
					t.Errorf("%s shows %s: %s", path, word, r.body)
				}
			}
		}
		plain := w.do(call{key: key}).body
		for _, query := range []string{"sort=overall", "sort=-scores.overall", "order=fit", "min_overall=1", "overall=99", "fit=A", "scores=1", "q=allrounder", "warnings=1"} {
			r := w.do(call{path: "/api/v1/candidates?" + query, key: key, invalid: true})
			if r.status != 200 || r.body != plain || r.header.Get("X-Ignored-Parameters") == "" {
				t.Errorf("%s: %d %s", query, r.status, r.body)
			}
		}
		for _, path := range []string{"/api/v1/candidates?include=extra", "/api/v1/candidates/crm-42?include=extra", "/api/v1/candidates/nobody?include=extra", "/api/v1/candidates?include=x&include=extra", "/api/v1/candidates?%69nclude=extr%61"} {
			if r := w.do(call{path: path, key: key, invalid: true}); r.status != 403 || !strings.Contains(r.body, "leave include=extra out") {
				t.Errorf("%s: %d %s", path, r.status, r.body)
			}
		}
		if r := w.do(call{path: "/api/v1/candidates?include=Extra", key: key, invalid: true}); r.status != 400 {
			t.Errorf("a misspelt value: %d", r.status)
		}
	})
}

// A key that only invites gets the answer to its invitation, and nothing else of anybody.
func TestAKeyThatInvitesReadsNotEvenWhomItInvited(t *testing.T) {
	w := newWorld(t)
	key := w.limitedKey(access.KeyLimit{Scope: typus.ScopeInvite})
	body := `{` + person + `,"external_id":"form-1"}`
	c := call{path: "/api/v1/invites", body: body, key: key, header: []string{"Idempotency-Key", "k"}}
	first := w.do(c)
	if first.status != 201 || parse[invitation](t, first).Extra != nil {
		t.Fatalf("%d %s", first.status, first.body)
	}
	if again := w.do(c); again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("replayed: %d %s", again.status, again.body)
	}
	w.finish(parse[invitation](t, first).CandidateToken)
	if again := w.do(c); again.body != first.body {
		t.Errorf("replayed once finished: %d %s", again.status, again.body)
	}
	for _, path := range []string{"/api/v1/candidates/form-1", strings.TrimPrefix(first.header.Get("Location"), baseURL)} {
		if r := w.do(call{path: path, key: key}); r.status != 403 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	c.path = "/api/v1/invites?include=extra"
	if r := w.do(c); r.status != 403 || w.candidates() != 1 {
		t.Errorf("with extra: %d %s", r.status, r.body)
	}
}

// By which role profile somebody is scored, a key that reads nobody does not change, and it
// learns neither the stored one nor whether the test has begun.
func TestAKeyThatInvitesChangesNoRoleProfile(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		key := w.limitedKey(access.KeyLimit{Scope: typus.ScopeInvite})
		invited := w.invite(`{` + person + `,"external_id":"crm-42","role_profile":"hunter"}`)
		call := func(key, role string) call {
			return call{path: "/api/v1/invites", body: `{` + person + `,"external_id":"crm-42","role_profile":"` + role + `"}`, key: key, header: []string{"X-Request-Id", "same"}}
		}
		open := w.do(call(key, "farmer"))
		if p := parse[problem](t, open); open.status != 403 || p.Code != "insufficient_scope" || strings.Contains(open.body, "hunter") {
			t.Errorf("another role profile: %d %s", open.status, open.body)
		}
		if r := w.do(call(key, "hunter")); r.status != 200 {
			t.Errorf("the same role profile: %d %s", r.status, r.body)
		}
		w.Must(w.Assess.Begin(w.Ctx, invited.CandidateToken, typus.Notice{Version: "1", Language: "de"}, "Hinweis"))
		if begun := w.do(call(key, "farmer")); begun.body != open.body {
			t.Errorf("once the test has begun: %s, want %s", begun.body, open.body)
		}
		if r := w.do(call("", "farmer")); r.status != 409 {
			t.Errorf("a key that may do everything: %d %s", r.status, r.body)
		}
	})
}

// For a key of one position everybody else is as somebody who is not there.
func TestAKeyOfOnePositionKnowsNobodyElse(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		south, north := w.position(typus.Position{Name: "Süd", Ref: "job-7"}), w.position(typus.Position{Name: "Nord", Ref: "job-8", Confidential: true})
		_, _, otherKey := w.newAccount("Andere GmbH", typus.PlanBusiness, 0)
		foreign := parse[invitation](t, w.do(call{path: "/api/v1/invites?include=extra", body: `{` + person + `,"external_id":"theirs"}`, key: otherKey}))
		ids := map[int64]string{} // by position
		for position, ref := range map[int64]string{0: "", south: "job-7", north: "job-8"} {
			body := fmt.Sprintf(`{`+person+`,"external_id":"both","position":%q}`, ref)
			ids[position] = fmt.Sprint(w.invite2(body).Extra.ID)
		}
		for _, scope := range []typus.KeyScope{typus.ScopeAll, typus.ScopeWithoutScores} {
			for own := range ids {
				key := w.limitedKey(access.KeyLimit{Scope: scope, OnePosition: true, PositionID: own})
				same := []string{"X-Request-Id", "same"}
				missing := w.do(call{path: "/api/v1/candidates/nobody", key: key, header: same})
				for position, id := range ids {
					for _, query := range []string{"", "?by=id", "?position=job-8", "?position=job-7", fmt.Sprintf("?position=%d", north), "?position=nothing", "?position="} {
						r := w.do(call{path: "/api/v1/candidates/" + id + query, key: key, header: same})
						named := query == "" || query == "?by=id" || own == south && query == "?position=job-7" || own == north && strings.HasSuffix(query, fmt.Sprint("=", north)) || own == north && query == "?position=job-8"
						switch {
						case position == own && named:
							if r.status != 200 || fmt.Sprint(parse[candidate](t, r).ID) != id {
								t.Errorf("own, %s%s: %d %s", id, query, r.status, r.body)
							}
						case r.status != 404 || r.body != missing.body || len(r.header) != len(missing.header):
							t.Errorf("%d reads of %d, %s: %d %v %s", own, position, query, r.status, r.header, r.body)
						}
					}
				}
				if r := w.do(call{path: fmt.Sprintf("/api/v1/candidates/%d", foreign.Extra.ID), key: key, header: same}); r.body != missing.body {
					t.Errorf("another account's: %d %s", r.status, r.body)
				}
				if c := parse[candidate](t, w.do(call{path: "/api/v1/candidates/both", key: key})); fmt.Sprint(c.ID) != ids[own] {
					t.Errorf("by its external_id %d is read", c.ID)
				}
				for _, query := range []string{"", "?external_id=both", "?status=offen", "?limit=1"} {
					list := parse[candidateList](t, w.do(call{path: "/api/v1/candidates" + query, key: key})).Candidates
					if len(list) != 1 || fmt.Sprint(list[0].ID) != ids[own] {
						t.Errorf("%d lists %+v with %q", own, list, query)
					}
				}
				for ref, position := range map[string]int64{"job-7": south, "job-8": north, "job-9": -1, "": -1} {
					want := 0
					if position == own {
						want = 1
					}
					if n := len(parse[candidateList](t, w.do(call{path: "/api/v1/candidates?position=" + ref, key: key})).Candidates); n != want {
						t.Errorf("%d lists %d of %q", own, n, ref)
					}
				}
				// A cursor that another key was given leads on in the own position only.
				link := w.do(call{path: "/api/v1/candidates?limit=1"}).header.Get("Link")
				path, _, _ := strings.Cut(strings.TrimPrefix(link, "<"+baseURL), ">")
				for _, c := range parse[candidateList](t, w.do(call{path: path, key: key})).Candidates {
					if fmt.Sprint(c.ID) != ids[own] {
						t.Errorf("a cursor leads %d to %d", own, c.ID)
					}
				}
			}
		}
	})
}

// invite2 is invite, with extra.
func (w *world) invite2(body string) invitation {
	w.Helper()
	r := w.do(call{path: "/api/v1/invites?include=extra", body: body})
	if r.status != 201 {
		w.Fatalf("%d %s", r.status, r.body)
	}
	return parse[invitation](w.T, r)
}

func TestAKeyOfOnePositionInvitesToItOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		south := w.position(typus.Position{Name: "Süd", Ref: "job-7", RoleProfile: "hunter"})
		north := w.position(typus.Position{Name: "Nord", Ref: "job-8"})
		by, all := typus.Actor{Name: "operator"}, store.WholeAccount(w.Account)
		key := w.limitedKey(access.KeyLimit{OnePosition: true, PositionID: south})
		standard := w.limitedKey(access.KeyLimit{Scope: typus.ScopeAll, OnePosition: true})
		n := 0
		invite := func(key, position string, header ...string) reply {
			n++
			return w.do(call{path: "/api/v1/invites?include=extra", body: fmt.Sprintf(`{`+person+`,"external_id":"n%d"%s}`, n, position), key: key, header: header, invalid: true})
		}
		for _, position := range []string{``, `,"position":""`, `,"position":null`, `,"position":"job-7"`, fmt.Sprintf(`,"position":"%d"`, south), fmt.Sprintf(`,"position":%d`, south)} {
			r := invite(key, position)
			if x := parse[invitation](t, r).Extra; r.status != 201 || x.Position == nil || x.Position.ID != south || x.RoleProfile != "hunter" {
				t.Errorf("%s: %d %s", position, r.status, r.body)
			}
		}
		if r := invite(standard, ``); r.status != 201 || parse[invitation](t, r).Extra.Position != nil {
			t.Errorf("the default one: %d %s", r.status, r.body)
		}
		want := ""
		for _, key := range []string{key, standard} {
			for _, position := range []string{`"job-8"`, fmt.Sprint(north), `"job-9"`, `"JOB-7"`, `"99999"`, `"a\u0000b"`} {
				for _, header := range [][]string{{"X-Request-Id", "same"}, {"X-Request-Id", "same", "Idempotency-Key", fmt.Sprintf("other %q", position)}} {
					r := invite(key, `,"position":`+position, header...)
					if want == "" {
						want = r.body
					}
					if p := parse[problem](t, r); r.status != 403 || r.body != want || p.Code != "insufficient_scope" || len(p.Errors) != 1 || p.Errors[0].Field != "position" {
						t.Errorf("%s: %d %s", position, r.status, r.body)
					}
				}
			}
			if r := w.do(call{path: "/api/v1/invites", body: `{"position":"job-8"}`, key: key, invalid: true}); r.status != 403 {
				t.Errorf("with other faults: %d %s", r.status, r.body)
			}
		}
		// What was answered is answered again, whatever the position is called by then.
		first := w.do(call{path: "/api/v1/invites", body: `{` + person + `,"position":"job-7"}`, key: key, header: []string{"Idempotency-Key", "k"}})
		w.Must(w.Accounts.ChangePosition(w.Context(), all, south, by, func(p *typus.Position) bool { p.Ref, p.Confidential = "job-77", true; return true }))
		if again := w.do(call{path: "/api/v1/invites", body: `{` + person + `,"position":"job-7"}`, key: key, header: []string{"Idempotency-Key", "k"}}); again.body != first.body {
			t.Errorf("replayed: %d %s", again.status, again.body)
		}
		if r := invite(key, `,"position":"job-77"`); r.status != 201 {
			t.Errorf("called otherwise: %d %s", r.status, r.body)
		}
		// Once it is closed or archived the key invites nobody, and reads on.
		listed := len(parse[candidateList](t, w.do(call{path: "/api/v1/candidates", key: key})).Candidates)
		_, err := w.Accounts.ClosePosition(w.Context(), all, south, accounts.KeepOpen, by)
		w.Must(err)
		for range 2 {
			r := invite(key, ``)
			if p := parse[problem](t, r); r.status != 409 || p.Errors[0].Code != "position_closed" {
				t.Errorf("closed: %d %s", r.status, r.body)
			}
			if n := len(parse[candidateList](t, w.do(call{path: "/api/v1/candidates", key: key})).Candidates); n != listed || n == 0 {
				t.Errorf("%d are listed, want %d", n, listed)
			}
			w.Must(w.Accounts.ArchivePosition(w.Context(), all, south, by))
		}
	})
}

// Two keys with the same Idempotency-Key, for the same person, at once: each invites to what
// it may, and neither is answered with what the other one got.
func TestTwoKeysAtOnceStayApart(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		south := w.position(typus.Position{Name: "Süd"})
		keys := map[string]int64{
			w.limitedKey(access.KeyLimit{Scope: typus.ScopeInvite, OnePosition: true, PositionID: south}): south,
			w.limitedKey(access.KeyLimit{Scope: typus.ScopeInvite, OnePosition: true}):                    0,
		}
		reader := w.limitedKey(access.KeyLimit{Scope: typus.ScopeWithoutScores, OnePosition: true, PositionID: south})
		var together sync.WaitGroup
		for range 6 {
			for key := range keys {
				together.Go(func() {
					c := call{path: "/api/v1/invites", body: `{` + person + `,"external_id":"crm-42"}`, key: key, header: []string{"Idempotency-Key", "same"}}
					if r := w.doWith(w.plain, c); r.status != 201 {
						t.Errorf("%d %s", r.status, r.body)
					}
				})
			}
			together.Go(func() {
				if r := w.doWith(w.plain, call{path: "/api/v1/invites", body: `{` + person + `}`, key: reader}); r.status != 403 {
					t.Errorf("%d %s", r.status, r.body)
				}
			})
		}
		together.Wait()
		list, _, err := w.Store.Candidates(w.Context(), w.Account, store.CandidateFilter{Limit: 100})
		w.Must(err)
		if len(list) != 2 || list[0].PositionID == list[1].PositionID {
			t.Errorf("there are %+v", list)
		}
		if n := len(parse[candidateList](t, w.do(call{key: reader})).Candidates); n != 1 {
			t.Errorf("the reader of one lists %d", n)
		}
	})
}
