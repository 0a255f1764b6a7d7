package api_test

import (
	"strconv"
	"strings"
	"testing"

	"typus"
)

// Nothing of one account is ever shown to another, however it is asked for: an
// id or external_id of another account is answered like one that nobody has.
func TestNoAccountSeesAnythingOfAnother(t *testing.T) {
	w := newWorld(t)
	_, _, foreign := w.newAccount("Fremde GmbH", typus.PlanBusiness, 0)
	w.invite(`{"name":"Secret Name","email":"secret@example.com","external_id":"crm-42"}`)
	w.finish(w.invite(`{"name":"Secret Two","email":"secret2@example.com","external_id":7}`).CandidateToken)
	ask := func(key, path string) reply {
		return w.do(call{key: key, path: path, header: []string{"X-Request-Id", "same"}, invalid: strings.Contains(path, "account_id")})
	}
	unknown := ask(foreign, "/api/v1/candidates/nobody")
	for _, ref := range []string{"100000000000001", "100000000000002", "crm-42", "7"} {
		for _, query := range []string{"", "?by=id", "?by=external_id", "?include=extra"} {
			if r := ask(foreign, "/api/v1/candidates/"+ref+query); r.status != 404 || r.body != unknown.body {
				t.Errorf("%s%s: got %d %s", ref, query, r.status, r.body)
			}
		}
	}
	for _, query := range []string{
		"", "?status=offen", "?status=abgeschlossen", "?external_id=crm-42", "?external_id=7", "?include=extra",
		"?completed_since=2000-01-01T00:00:00Z", "?account_id=" + strconv.FormatInt(w.Account, 10),
	} {
		if r := ask(foreign, "/api/v1/candidates"+query); r.body != `{"candidates":[]}` {
			t.Errorf("list %s: got %s", query, r.body)
		}
	}
}

// Both accounts use each other's numbers as external ids; each reads its own.
func TestNumbersThatMeanTwoThingsStayInsideTheAccount(t *testing.T) {
	w := newWorld(t)
	_, _, other := w.newAccount("Andere GmbH", typus.PlanBusiness, 0)
	invite := func(key, name, externalID string) {
		r := w.do(call{key: key, path: "/api/v1/invites", body: `{"name":"` + name + `","email":"x@example.com","external_id":` + externalID + `}`})
		if r.status != 201 {
			t.Fatalf("got %d %s", r.status, r.body)
		}
	}
	invite(w.key, "A1", "100000000000002") // id …1; its external_id is B1's id
	invite(other, "B1", "100000000000001") // id …2; its external_id is A1's id
	for _, c := range []struct{ key, ref, name, matched string }{
		{w.key, "100000000000001", "A1", "id"},
		{w.key, "100000000000002", "A1", "external_id"},
		{other, "100000000000002", "B1", "id"},
		{other, "100000000000001", "B1", "external_id"},
	} {
		r := w.do(call{key: c.key, path: "/api/v1/candidates/" + c.ref})
		if !strings.Contains(r.body, `"name":"`+c.name+`"`) || r.header.Get("X-Matched-By") != c.matched {
			t.Errorf("%s: got %s by %s, want %s", c.ref, r.body, r.header.Get("X-Matched-By"), c.name)
		}
	}
}

func TestARepeatNeverCrossesAccounts(t *testing.T) {
	w := newWorld(t)
	_, _, other := w.newAccount("Andere GmbH", typus.PlanBusiness, 0)
	body := `{` + person + `,"external_id":"crm-42"}`
	mine := w.invite(body)
	r := w.do(call{key: other, path: "/api/v1/invites", body: body})
	if r.status != 201 || strings.Contains(r.body, mine.CandidateToken) {
		t.Errorf("got %d %s", r.status, r.body)
	}
}
