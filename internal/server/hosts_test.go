package server_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/server/servertest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Links of an account that has a host begin with it, in every answer of the API, and what they
// lead to is served there. A token is served at each name that leads to the server: it is the
// right, wherever its holder stands.
func TestAnAccountsOwnHostServesItsTests(t *testing.T) {
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		s := servertest.Start(t, st)
		base, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		other, err := s.Access.CreateAccount(t.Context(), typus.Account{Name: "B"}, 10)
		if err != nil {
			t.Fatal(err)
		}
		for account, host := range map[int64]string{s.Account: "tests.a.example", other: "tests.b.example"} {
			if err := s.Accounts.Operate(t.Context(), account, typus.Actor{Name: "operator"}, func(a *typus.Account) { a.Host = host }); err != nil {
				t.Fatal(err)
			}
		}
		_, worldKey := s.TestWorld(t)
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		browser := &http.Client{Jar: jar, Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, base.Host) // whatever the name is
		}}}
		ask := func(method, address, body string, header ...string) (int, string) {
			t.Helper()
			req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(header); i += 2 {
				req.Header.Set(header[i], header[i+1])
			}
			resp, err := browser.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return resp.StatusCode, string(text)
		}
		own := "http://tests.a.example:" + base.Port()
		for _, key := range []string{s.Key, worldKey} {
			api := func(method, path, body string) string {
				t.Helper()
				status, text := ask(method, s.URL+path, body, "Authorization", "Bearer "+key, "Content-Type", "application/json", "Idempotency-Key", "one")
				if status/100 != 2 || strings.Contains(text, "b.example") {
					t.Errorf("%s %s: %d %s", method, path, status, text)
				}
				return text
			}
			invitation := `{"name":"P","email":"p@example.com","external_id":"crm-1","send_email":false}`
			for _, text := range []string{
				api("POST", "/api/v1/invites", invitation), api("POST", "/api/v1/invites", invitation), // the second is the same answer again
				api("GET", "/api/v1/candidates?include=extra", ""), api("GET", "/api/v1/candidates/crm-1?include=extra", ""),
			} {
				if !strings.Contains(text, `"`+own+`/t/`) || strings.Contains(text, own+"/dashboard") {
					t.Errorf("the API answers %s", text)
				}
			}
		}
		out, _, err := s.Steps.Invite(t.Context(), s.Account, assess.Invitation{Name: "Q", Email: "q@example.com"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		path, found := strings.CutPrefix(out.Link, own)
		if !found {
			t.Fatalf("the link is %s", out.Link)
		}
		for _, origin := range []string{own, s.URL, "http://tests.b.example:" + base.Port()} {
			if status, text := ask("GET", origin+path, ""); status != 200 || strings.Contains(text, "://tests.") {
				t.Errorf("%s answers %d: %s", origin, status, text)
			}
		}
		form := []string{"Content-Type", "application/x-www-form-urlencoded", "X-Forwarded-Host", "evil.test"}
		if status, text := ask("POST", out.Link+"/erinnerungen", "", append(form, "Origin", own)...); status != 200 || strings.Contains(text, "evil") {
			t.Errorf("a form at the account's host is answered with %d: %s", status, text)
		}
		if status, _ := ask("POST", out.Link+"/erinnerungen", "", append(form, "Origin", "http://tests.b.example:"+base.Port())...); status != 403 {
			t.Errorf("a form of another account's host is answered with %d", status)
		}
		// Nobody types a password there; what other names lead here is the server's.
		at := func(method, address string) (int, string) {
			t.Helper()
			req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Origin", own)
			resp, err := browser.Transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			return resp.StatusCode, resp.Header.Get("Location")
		}
		for _, path := range []string{"/", "/anmelden", "/anmelden?next=%2Fdashboard", "/passwort/x", "/dashboard/kandidat/1", "/registrieren", "/nothing"} {
			if status, to := at("GET", own+path); status != 302 || to != s.URL+path {
				t.Errorf("%s at the account's host is answered with %d to %s", path, status, to)
			}
		}
		for _, path := range []string{"/anmelden", "/passwort", "/dashboard/einladen"} {
			if status, to := at("POST", own+path); status != 404 || to != "" {
				t.Errorf("a form for %s at the account's host is answered with %d to %s", path, status, to)
			}
		}
		for address, want := range map[string]int{own + "/e/x": 404, "http://tests.c.example:" + base.Port() + "/anmelden": 200, s.URL + "/anmelden": 200} {
			if status, to := at("GET", address); to != "" || want == 200 && status != want {
				t.Errorf("%s is answered with %d to %s", address, status, to)
			}
		}
		if err := s.Accounts.Operate(t.Context(), s.Account, typus.Actor{Name: "operator"}, func(a *typus.Account) { a.Host = "" }); err != nil {
			t.Fatal(err)
		}
		if link, err := s.Steps.Link(typus.Account{}, out.Candidate); err != nil || link != s.URL+path {
			t.Errorf("without a host the link is %s, %v", link, err)
		}
		if status, _ := ask("GET", out.Link, ""); status != 200 {
			t.Errorf("links that were sent before are answered with %d", status)
		}
	})
}
