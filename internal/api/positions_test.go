package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"typus"
	"typus/internal/accounts"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// position adds a position to the world's account and returns its id.
func (w *world) position(p typus.Position) int64 {
	w.Helper()
	p.Reminders = typus.RemindersOfAccount
	id, err := w.Accounts.AddPosition(w.Context(), store.WholeAccount(w.Account), p, nil, typus.Actor{Name: "operator"})
	w.Must(err)
	return id
}

// An application for another position is another candidate, whatever else is the same; a
// repeat is one for the same position only.
func TestTheSamePersonForAnotherPositionIsAnotherCandidate(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		south, north := w.position(typus.Position{Name: "Süd", Ref: "job-7", RoleProfile: "hunter", Language: "en", InviteDays: 7}), w.position(typus.Position{Name: "Nord"})
		full := `{` + person + `,"external_id":"crm-42"`
		list := []invitation{}
		for _, body := range []string{full + `}`, full + `,"position":"job-7"}`, full + fmt.Sprintf(`,"position":"%d"}`, north)} {
			for _, status := range []int{201, 200} {
				r := w.do(call{path: "/api/v1/invites?include=extra", body: body})
				if r.status != status {
					t.Fatalf("%s: %d %s, want %d", body, r.status, r.body, status)
				}
				if status == 201 {
					list = append(list, parse[invitation](t, r))
				}
			}
		}
		if list[0].CandidateToken == list[1].CandidateToken || list[1].CandidateToken == list[2].CandidateToken {
			t.Error("two of them have one link")
		}
		extra := list[1].Extra
		if extra.RoleProfile != "hunter" || extra.Language != "en" || extra.ExpiresAt != "2026-12-04T10:20:30Z" {
			t.Errorf("the position's settings are not taken: %+v", extra)
		}
		if p := extra.Position; p == nil || p.ID != south || p.Reference == nil || *p.Reference != "job-7" || p.Name != "Süd" {
			t.Errorf("the position is %+v", p)
		}
		if p := list[2].Extra.Position; p == nil || p.ID != north || p.Reference != nil || list[0].Extra.Position != nil {
			t.Errorf("the positions are %+v and %+v", p, list[0].Extra.Position)
		}
		if r := w.do(call{path: "/api/v1/invites", body: full + fmt.Sprintf(`,"position":%d}`, north), invalid: true}); r.status != 200 {
			t.Errorf("an id without quotes: %d %s", r.status, r.body)
		}
		// The invitation says otherwise.
		r := parse[invitation](t, w.do(call{path: "/api/v1/invites?include=extra", body: `{` + person + `,"position":"job-7","role_profile":"farmer","language":"de"}`}))
		if r.Extra.RoleProfile != "farmer" || r.Extra.Language != "de" {
			t.Errorf("the position overrides the invitation: %+v", r.Extra)
		}
		// Finishing one leaves the others as they are.
		w.finish(list[1].CandidateToken)
		for i, c := range []struct{ query, status string }{{"?by=external_id&position=job-7", "abgeschlossen"}, {fmt.Sprintf("?position=%d", north), "offen"}} {
			got := parse[candidate](t, w.do(call{path: "/api/v1/candidates/crm-42" + c.query}))
			if got.Status != c.status || got.ID != list[i+1].Extra.ID {
				t.Errorf("%s reads %+v", c.query, got)
			}
		}
		if got := parse[candidate](t, w.do(call{path: "/api/v1/candidates/crm-42"})); got.ID != list[2].Extra.ID {
			t.Errorf("without a position %d is read, want the newest, %d", got.ID, list[2].Extra.ID)
		}
	})
}

func TestAPositionIsAFilterThatFindsNobodyWhenUnknown(t *testing.T) {
	w := newWorld(t)
	w.position(typus.Position{Name: "Süd", Ref: "job-7"})
	w.invite(`{` + person + `,"external_id":"a"}`)
	for n := range 3 {
		w.invite(fmt.Sprintf(`{`+person+`,"external_id":"b%d","position":"job-7"}`, n))
	}
	seen, path := 0, "/api/v1/candidates?position=job-7&limit=2"
	for path != "" {
		r := w.do(call{path: path})
		for _, c := range parse[candidateList](t, r).Candidates {
			if seen++; !strings.HasPrefix(*c.ExternalID, "b") {
				t.Errorf("%s is listed", *c.ExternalID)
			}
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(r.header.Get("Link"), "<"+baseURL), ">")
	}
	if seen != 3 {
		t.Errorf("%d are listed, want 3", seen)
	}
	for _, query := range []string{"position=", "position=job-8", "position=999", "position=%00", "position=JOB-7"} {
		if r := w.do(call{path: "/api/v1/candidates?" + query}); r.status != 200 || r.body != `{"candidates":[]}` {
			t.Errorf("%s: %d %s", query, r.status, r.body)
		}
		if r := w.do(call{path: "/api/v1/candidates/b1?" + query}); r.status != 404 {
			t.Errorf("%s: %d %s", query, r.status, r.body)
		}
	}
	if r := w.do(call{path: "/api/v1/candidates/a?position=job-7"}); r.status != 404 {
		t.Errorf("somebody of another position: %d %s", r.status, r.body)
	}
	for _, name := range []string{"positions", "position_id", "positionReference"} {
		if r := w.do(call{path: "/api/v1/candidates?" + name + "=job-7", invalid: true}); r.status != 400 {
			t.Errorf("a misspelt filter, %s: %d", name, r.status)
		}
	}
}

func TestAPositionThatCannotBeInvitedToIsRefusedByItsField(t *testing.T) {
	w := newWorld(t)
	id := w.position(typus.Position{Name: "Süd", Ref: "job-7"})
	for body, want := range map[string]string{
		`{` + person + `,"position":"job-8"}`:    "position invalid",
		`{` + person + `,"position":true}`:       "position invalid",
		`{"name":"","email":"x","position":"?"}`: "name required, email invalid, position invalid",

		`{"name":"","email":"a@example.com","position":"?","role_profile":"own-999999"}`: "name required, role_profile invalid, position invalid",
		`{` + person + `,"Position":"job-7"}`:                                            "Position unknown_field",
		`{` + person + `,"position_id":7}`:                                               "position_id unknown_field",
		`{` + person + `,"positionRef":"job-7"}`:                                         "positionRef unknown_field",
		`{` + person + `,"position":"a\u0000b"}`:                                         "position invalid",
	} {
		r := w.do(call{path: "/api/v1/invites", body: body, invalid: true})
		var got []string
		for _, e := range parse[problem](t, r).Errors {
			got = append(got, e.Field+" "+e.Code)
		}
		if r.status != 400 || strings.Join(got, ", ") != want {
			t.Errorf("%s: %d %v, want %s", body, r.status, got, want)
		}
	}
	for _, none := range []string{`""`, `null`} {
		if r := w.do(call{path: "/api/v1/invites?include=extra", body: `{` + person + `,"position":` + none + `}`}); r.status != 201 || !strings.Contains(r.body, `"position":null}`) {
			t.Errorf("%s: %d %s", none, r.status, r.body)
		}
	}
	open := `{` + person + `,"external_id":"crm-42","position":"job-7"}`
	w.invite(open)
	all, by := store.WholeAccount(w.Account), typus.Actor{Name: "operator"}
	_, err := w.Accounts.ClosePosition(w.Context(), all, id, accounts.KeepOpen, by)
	w.Must(err)
	for _, body := range []string{open, `{` + person + `,"position":"job-7"}`} { // a repeat, too
		r := w.do(call{path: "/api/v1/invites", body: body})
		p := parse[problem](t, r)
		if r.status != 409 || p.Code != "conflict" || len(p.Errors) != 1 || p.Errors[0].Field != "position" || p.Errors[0].Code != "position_closed" {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	w.Must(w.Accounts.ReopenPosition(w.Context(), all, id, by))
	w.Must(w.Accounts.Operate(w.Context(), w.Account, by, func(a *typus.Account) { a.MaxPeople = 1 }))
	r := w.do(call{path: "/api/v1/invites", body: `{` + person + `}`})
	if p := parse[problem](t, r); r.status != 409 || p.Code != "conflict" || len(p.Errors) != 1 || p.Errors[0].Field != "account" || p.Errors[0].Code != "account_full" || !strings.Contains(p.Detail, "it may, 1;") {
		t.Errorf("a full account: %d %s", r.status, r.body)
	}
	if r := w.do(call{path: "/api/v1/invites", body: open}); r.status != 200 {
		t.Errorf("opened again: %d %s", r.status, r.body)
	}
}

// The default position may have a reference of its own, which leads to the candidates
// without a position; it is never named in an answer.
func TestTheDefaultPositionIsReachedByItsReference(t *testing.T) {
	w := newWorld(t)
	w.Must(w.Accounts.ChangePosition(w.Context(), store.WholeAccount(w.Account), 0, typus.Actor{Name: "operator"}, func(p *typus.Position) bool {
		p.Ref = "initiativ"
		return true
	}))
	full := `{` + person + `,"external_id":"crm-42"`
	w.invite(full + `}`)
	if r := w.do(call{path: "/api/v1/invites?include=extra", body: full + `,"position":"initiativ"}`}); r.status != 200 || !strings.Contains(r.body, `"position":null}`) {
		t.Errorf("got %d %s", r.status, r.body)
	}
	if n := len(parse[candidateList](t, w.do(call{path: "/api/v1/candidates?position=initiativ"})).Candidates); n != 1 {
		t.Errorf("%d are listed, want 1", n)
	}
}

// However many call at once, each position gets one candidate of the person.
func TestOnePersonIsInvitedToTwoPositionsAtOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		w.position(typus.Position{Name: "Süd", Ref: "a"})
		w.position(typus.Position{Name: "Nord", Ref: "b"})
		var together sync.WaitGroup
		for n := range 12 {
			together.Go(func() {
				body := `{` + person + `,"external_id":"crm-42","position":"` + []string{"a", "b"}[n%2] + `"}`
				if r := w.doWith(w.plain, call{path: "/api/v1/invites", body: body}); r.status != 200 && r.status != 201 {
					t.Errorf("%s: %d %s", body, r.status, r.body)
				}
			})
		}
		together.Wait()
		found := map[int64]int{}
		list, _, err := w.Store.Candidates(w.Context(), w.Account, store.CandidateFilter{Limit: 100})
		w.Must(err)
		for _, c := range list {
			found[c.PositionID]++
		}
		if len(list) != 2 || len(found) != 2 {
			t.Errorf("there are %d candidates in the positions %v", len(list), found)
		}
	})
}

// Who did not hear the answer sends the same again, and hears it whatever has become of the
// position meanwhile.
func TestAnAnswerIsReplayedWhenItsPositionIsCalledOtherwise(t *testing.T) {
	w := newWorld(t)
	id := w.position(typus.Position{Name: "Süd", Ref: "job-7"})
	c := call{path: "/api/v1/invites", body: `{` + person + `,"position":"job-7"}`, header: []string{"Idempotency-Key", "first"}}
	first := w.do(c)
	w.Must(w.Accounts.ChangePosition(w.Context(), store.WholeAccount(w.Account), id, typus.Actor{Name: "operator"}, func(p *typus.Position) bool {
		p.Ref = "job-8"
		return true
	}))
	if again := w.do(c); again.status != first.status || again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("sent again: %d %s, want %s", again.status, again.body, first.body)
	}
	c.header = []string{"Idempotency-Key", "second"}
	r := w.do(c)
	if p := parse[problem](t, r); r.status != 400 || len(p.Errors) != 1 || p.Errors[0].Field != "position" || p.Errors[0].Code != "invalid" {
		t.Errorf("with another key: %d %s", r.status, r.body)
	}
}
