package server_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"typus/internal/assess"
	"typus/internal/db/dbtest"
	"typus/internal/server/servertest"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
)

// Whatever is asked of a server whose database is frozen, it ends within 15
// seconds, and once the database goes on, so does everything.
func TestEveryRequestEndsWhenTheDatabaseIsFrozen(t *testing.T) {
	if testing.Short() {
		t.Skip("PostgreSQL: not with -short")
	}
	database, err := dbtest.StartPostgres()
	if err != nil {
		t.Fatal(err)
	}
	defer database.Stop()
	st := storetest.Open(t, database.URL)
	if _, err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := servertest.Start(t, st)
	in, _, err := s.Steps.Invite(t.Context(), s.Account, assess.Invitation{Name: "Kim Muster", Email: "kim@example.com"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body string) (int, time.Duration) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		r, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, 0
		}
		if strings.HasPrefix(path, "/api/") {
			r.Header.Set("Authorization", "Bearer "+s.Key)
			r.Header.Set("Content-Type", "application/json")
		} else {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		began := time.Now()
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Errorf("%s %s: %v after %s", method, path, err, time.Since(began))
			return 0, time.Since(began)
		}
		resp.Body.Close()
		return resp.StatusCode, time.Since(began)
	}
	invitation := `{"name":"Ada Muster","email":"ada@example.com"}`
	if status, _ := ask("POST", "/api/v1/invites", invitation); status != http.StatusCreated {
		t.Fatalf("an invitation got %d", status)
	}
	database.Freeze(t)
	var all sync.WaitGroup
	for _, c := range [][3]string{
		{"POST", "/api/v1/invites", invitation}, {"GET", "/api/v1/candidates", ""}, {"GET", "/api/v1/candidates/7", ""},
		{"GET", "/healthz", ""}, {"GET", "/healthz?verbose", ""}, {"GET", "/readyz", ""},
		{"GET", "/t/" + in.Token, ""}, {"POST", "/t/" + in.Token + "/start", "consent=on"},
		{"POST", "/anmelden", "email=ada%40example.com&password=something+long"},
	} {
		all.Go(func() {
			status, took := ask(c[0], c[1], c[2])
			t.Logf("%s %s: %d after %s", c[0], strings.ReplaceAll(c[1], in.Token, "…"), status, took.Round(10*time.Millisecond))
			if took > 15*time.Second {
				t.Errorf("%s %s took %s", c[0], c[1], took)
			}
			if status != http.StatusServiceUnavailable {
				t.Errorf("%s %s was answered %d", c[0], c[1], status)
			}
		})
	}
	all.Wait()
	database.Thaw(t)
	status := 0
	thawed := waittest.So(time.Minute, func() bool {
		status, _ = ask("POST", "/api/v1/invites", invitation)
		return status == http.StatusCreated
	})
	if !thawed {
		t.Fatalf("a minute after the frost an invitation got %d", status)
	}
}
