package api_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store/storetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

var tokenForm = regexp.MustCompile(`\b[0-9A-Za-z]{32}\b`)

// golden compares an answer, headers included, byte for byte. The time stands
// still and ids are counted, so only the random token is masked.
func golden(t *testing.T, name string, r reply) {
	t.Helper()
	var got bytes.Buffer
	fmt.Fprintf(&got, "%d %s\n", r.status, http.StatusText(r.status))
	r.header.Del("Date")
	for _, h := range []string{"Permissions-Policy", "Strict-Transport-Security", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy"} {
		r.header.Del(h) // package web has its own golden files for them
	}
	var lines []string
	for h, values := range r.header {
		lines = append(lines, h+": "+strings.Join(values, " | ")+"\n")
	}
	slices.Sort(lines)
	got.WriteString(strings.Join(lines, "") + "\n" + r.body + "\n")
	clean := tokenForm.ReplaceAll(got.Bytes(), []byte("TOKENTOKENTOKENTOKENTOKENTOKENTO"))
	file := filepath.Join("testdata", "golden", name+".http")
	if *update {
		if err := os.WriteFile(file, clean, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(clean, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, clean, want)
	}
}

func TestTheBytesOfEachKindOfAnswerAreTheGoldenOnes(t *testing.T) {
	w := newWorld(t)
	_, _, empty := w.newAccount("Leer GmbH", typus.PlanStarter, 0)
	do := func(name string, c call) reply {
		c.header = append(c.header, "X-Request-Id", "golden")
		r := w.do(c)
		golden(t, name, r)
		return r
	}
	full := `{"name":"Jürgen O’Neill & Söhne <b>😀","email":"juergen@example.com","external_id":"CRM/7 ü"}`
	token := parse[invitation](t, do("invite_new", call{path: "/api/v1/invites", body: full})).CandidateToken
	do("invite_repeat", call{path: "/api/v1/invites", body: full})
	do("invite_extra", call{path: "/api/v1/invites?include=extra", body: `{` + person + `,"send_email":false}`})
	keyed := call{path: "/api/v1/invites", body: `{` + person + `,"external_id":42}`, header: []string{"Idempotency-Key", "k"}}
	do("invite_idempotent", keyed)
	do("invite_replayed", keyed)
	keyed.body = `{` + person + `,"external_id":43}`
	do("invite_conflict", keyed)
	do("invite_invalid", call{path: "/api/v1/invites", body: `{"email":"jana","send_email":"false","externalId":7}`, invalid: true})
	do("invite_no_json", call{path: "/api/v1/invites", body: `{"name":"Jana`, invalid: true})
	do("invite_twice", call{path: "/api/v1/invites", body: `{"name":"A","name":"B"}`, invalid: true})
	do("invite_no_credits", call{path: "/api/v1/invites", body: `{` + person + `}`, key: empty})
	do("invite_too_large", call{path: "/api/v1/invites", body: strings.Repeat(" ", 70_000), invalid: true})
	do("invite_media_type", call{path: "/api/v1/invites", body: `x`, header: []string{"Content-Type", "text/plain"}, invalid: true})

	do("candidate_open", call{path: "/api/v1/candidates/CRM%2F7%20%C3%BC"})
	w.Clock.Later(21*time.Minute + 200*time.Millisecond)
	w.finish(token)
	do("candidate_finished", call{path: "/api/v1/candidates/100000000000001"})
	do("candidate_extra", call{path: "/api/v1/candidates/100000000000001?include=extra"})
	do("candidate_unknown", call{path: "/api/v1/candidates/nobody"})
	do("candidate_by", call{path: "/api/v1/candidates/x?by=name", invalid: true})

	do("list", call{})
	do("list_page", call{path: "/api/v1/candidates?status=offen&limit=1&include=extra"})
	do("list_empty", call{path: "/api/v1/candidates?external_id="})
	do("list_completed", call{path: "/api/v1/candidates?completed_since=2026-11-27T10:41:30Z"})
	do("list_invalid", call{path: "/api/v1/candidates?limit=500&page=2", invalid: true})

	do("no_key", call{key: "-", invalid: true})
	do("no_route", call{path: "/api/v1/nothing"})
	do("no_route_open", call{path: "/api/nothing", key: "-"})
	do("no_method", call{method: "DELETE"})
	do("problem_json", call{path: "/api/v1/candidates/nobody", header: []string{"Accept", "application/problem+json"}})
}

func TestTheBytesOfFaultsAreTheGoldenOnes(t *testing.T) {
	w := limited(t)
	for range 100 {
		w.doWith(w.plain, call{})
	}
	golden(t, "rate", w.do(call{header: []string{"X-Request-Id", "golden"}}))
	w = newWorldOn(t, storetest.OpenSQLite(t), broken{})
	golden(t, "internal", w.do(call{header: []string{"X-Request-Id", "golden"}}))
	w = newWorldOn(t, openedBy(t, storetest.SQLite(t)), nil)
	w.do(call{}) // the key is remembered while the database goes away
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	golden(t, "unavailable", w.do(call{path: "/api/v1/invites", body: `{` + person + `}`, header: []string{"X-Request-Id", "golden"}}))
}
