package api_test

import (
	"database/sql"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus/internal/store/storetest"
)

// mover is a world beside a second hand on its database.
type mover struct {
	*world
	side *sql.DB
}

// ahead moves the clock of a test world on, as a move does at its end: what happened lies
// further back, and what is shown stays the same.
func (m mover) ahead(worldID int64, by time.Duration) {
	m.Helper()
	for _, statement := range []string{
		`update accounts set ahead = ahead + $1 where id = $2`,
		`update candidates set created_at = created_at - $1, started_at = started_at - $1, completed_at = completed_at - $1,
			expires_at = expires_at - $1, cancelled_at = cancelled_at - $1 where account_id = $2`,
	} {
		_, err := m.side.ExecContext(m.Context(), statement, by.Milliseconds(), worldID)
		m.Must(err)
	}
}

func onBothDatabases(t *testing.T, check func(m mover)) {
	t.Run("sqlite", func(t *testing.T) { check(beside(t, "sqlite", storetest.SQLite(t))) })
	t.Run("postgres", func(t *testing.T) { check(beside(t, "pgx", storetest.Postgres(t))) })
}

// beside opens a database twice.
func beside(t *testing.T, driver, dsn string) mover {
	t.Helper()
	side, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { side.Close() })
	return mover{newWorldOn(t, storetest.Open(t, dsn), nil), side}
}

// onQuery does something once, right before the first query that is meant.
func (m mover) onQuery(meant func(query string) bool, do func()) {
	h := func(query string) {
		if meant(query) {
			m.saw.Store(nil)
			do()
		}
	}
	m.saw.Store(&h)
}

func TestTheTimesOfATestWorldAreThoseOfItsClock(t *testing.T) {
	onBothDatabases(t, func(w mover) {
		account, key := w.testWorld()
		w.key = key
		token := w.invite(`{` + person + `,"external_id":"x"}`).CandidateToken
		w.finish(token)
		before := w.do(call{path: "/api/v1/candidates/x?include=extra"})
		w.ahead(account.ID, 72*time.Hour)
		after := w.do(call{path: "/api/v1/candidates/x?include=extra"})
		if before.status != 200 || before.body != after.body {
			t.Errorf("three days later\n%s\nbecame\n%s", before.body, after.body)
		}
		again := w.invite(`{"name":"Tom Sander","email":"tom.sander@example.com","external_id":"y"}`)
		y := parse[candidate](t, w.do(call{path: "/api/v1/candidates/y?include=extra"}))
		if y.CreatedAt != "2026-11-30T10:20:30Z" || y.Extra.ExpiresAt[:10] != "2026-12-30" || again.ExternalID == nil {
			t.Errorf("invited three days later: %+v, %+v", y, y.Extra)
		}
		for since, want := range map[string]int{"2026-11-27T10:20:30Z": 1, "2026-11-27T10:20:31Z": 0} {
			list := parse[candidateList](t, w.do(call{path: "/api/v1/candidates?completed_since=" + since}))
			if len(list.Candidates) != want {
				t.Errorf("%d completed since %s, want %d", len(list.Candidates), since, want)
			}
		}
		repeated := parse[invitation](t, w.do(call{path: "/api/v1/invites?include=extra", body: `{"name":"Tom Sander","email":"tom.sander@example.com","external_id":"y"}`}))
		if repeated.Extra.ExpiresAt != y.Extra.ExpiresAt {
			t.Errorf("the invitation says that it ends on %s, and the candidate %s", repeated.Extra.ExpiresAt, y.Extra.ExpiresAt)
		}
	})
}

var nextLink = regexp.MustCompile(`<` + regexp.QuoteMeta(baseURL) + `([^>]*)>; rel="next"`)

func TestACursorStaysRightAfterTheClockOfAWorldMoved(t *testing.T) {
	onBothDatabases(t, func(w mover) {
		account, key := w.testWorld()
		w.key = key
		for _, id := range []string{"a", "b", "c"} {
			w.finish(w.invite(`{"name":"Tom Sander","email":"` + id + `@example.com","external_id":"` + id + `"}`).CandidateToken)
			w.Later(time.Minute)
		}
		for _, filter := range []string{"", "&status=abgeschlossen", "&completed_since=" + url.QueryEscape("2026-11-27T10:20:30Z")} {
			seen := ""
			for path := "/api/v1/candidates?limit=1" + filter; path != ""; w.ahead(account.ID, 36*time.Hour) {
				r := w.do(call{path: path})
				for _, c := range parse[candidateList](t, r).Candidates {
					seen += *c.ExternalID
				}
				path = ""
				if next := nextLink.FindStringSubmatch(r.header.Get("Link")); next != nil {
					path = next[1]
				}
			}
			if seen != "cba" {
				t.Errorf("%s lists %q", filter, seen)
			}
		}
	})
}

// A receiver reads the candidate of a webhook while the clock is on its way.
func TestATimeIsRightWhileTheClockIsBeingMoved(t *testing.T) {
	onBothDatabases(t, func(m mover) {
		account, key := m.testWorld()
		m.key = key
		m.finish(m.invite(`{` + person + `,"external_id":"x"}`).CandidateToken)
		for _, path := range []string{"/api/v1/candidates/x?include=extra", "/api/v1/candidates"} {
			before := m.do(call{path: path})
			m.onQuery(func(query string) bool { return strings.Contains(query, "from candidates") }, func() { m.ahead(account.ID, 31*time.Hour) })
			after := m.do(call{path: path})
			if before.status != 200 || after.body != before.body {
				t.Errorf("%s\n%s\nbecame\n%s", path, before.body, after.body)
			}
		}
	})
}

// The clock is moved on between the beginning of a call and its write.
func TestAnInvitationShowsTheTimesOfTheClockItWasWrittenBy(t *testing.T) {
	onBothDatabases(t, func(m mover) {
		account, key := m.testWorld()
		m.key = key
		m.do(call{path: "/api/v1/candidates"}) // the key is remembered
		reads := 0
		second := func(query string) bool {
			if strings.Contains(query, "from accounts") {
				reads++
			}
			return reads == 2
		}
		m.onQuery(second, func() { m.ahead(account.ID, 72*time.Hour) })
		invited := parse[invitation](t, m.do(call{path: "/api/v1/invites?include=extra", body: `{` + person + `,"external_id":"x"}`}))
		is := parse[candidate](t, m.do(call{path: "/api/v1/candidates/x?include=extra"}))
		if reads != 2 || invited.Extra == nil || invited.Extra.ExpiresAt != is.Extra.ExpiresAt {
			t.Errorf("after %d reads it said %+v, and then %+v", reads, invited.Extra, is.Extra)
		}
	})
}

func TestATestKeyAndALiveKeyDoNotReachEachOther(t *testing.T) {
	onBothDatabases(t, func(w mover) {
		_, test := w.testWorld()
		w.invite(`{` + person + `,"external_id":"live"}`)
		live := w.key
		w.key = test
		w.invite(`{` + person + `,"external_id":"test"}`)
		for key, other := range map[string]string{live: "test", test: "live"} {
			list := w.do(call{key: key})
			if found := parse[candidateList](t, list).Candidates; len(found) != 1 || *found[0].ExternalID == other {
				t.Errorf("the list shows %s", list.body)
			}
			for _, id := range []string{other, "100000000000001", "100000000000002"} {
				r := w.do(call{path: "/api/v1/candidates/" + id, key: key})
				own := strings.Contains(list.body, id)
				if (r.status == 200) != own || !own && r.status != 404 {
					t.Errorf("%s with the key of the other one than %s: %d %s", id, other, r.status, r.body)
				}
			}
		}
	})
}

func TestALiveCallCostsNoStatementForItsWorld(t *testing.T) {
	w := newWorld(t)
	_, test := w.testWorld()
	cost := func(key string) int64 {
		w.do(call{key: key}) // the key is remembered
		before := w.ran.Load()
		w.do(call{key: key})
		return w.ran.Load() - before
	}
	if live, inWorld := cost(w.key), cost(test); live != 1 || inWorld != 3 {
		t.Errorf("a live list costs %d statements and one of a test world %d, want 1 and 3", live, inWorld)
	}
}

func TestALiveAnswerAndOneOfATestWorldHaveTheSameBytes(t *testing.T) {
	w := newWorld(t)
	_, test := w.testWorld()
	var answers []string
	for _, key := range []string{w.key, test} {
		w.key = key
		body := w.do(call{path: "/api/v1/invites?include=extra", body: `{` + person + `,"external_id":"x"}`}).body
		body += w.do(call{path: "/api/v1/candidates/x?include=extra"}).body
		answers = append(answers, regexp.MustCompile(`[0-9A-Za-z]{32}|1000000000000[0-9]{2}`).ReplaceAllString(body, "…"))
	}
	if answers[0] != answers[1] {
		t.Errorf("live\n%s\ntest\n%s", answers[0], answers[1])
	}
}
