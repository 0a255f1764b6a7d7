package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/server/servertest"
	"typus/internal/store/storetest"
)

// behind puts a proxy in front of a server: it changes Host, and names the client if
// it is told to.
func behind(t *testing.T, s *servertest.Site, forwarded bool) string {
	t.Helper()
	inside, err := url.Parse(strings.Replace(s.URL, "localhost", "127.0.0.1", 1))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(inside)
		if forwarded {
			r.SetXForwarded()
		}
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// sendForm sends a form to an address as a browser does over plain HTTP, from a page
// of an origin.
func sendForm(t *testing.T, address, origin string, form url.Values) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", origin)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

func TestPeopleLogInAndBeginBehindAProxyThatChangesHost(t *testing.T) {
	s := servertest.Start(t, storetest.OpenSQLite(t))
	proxy, password := behind(t, s, false), deskPassword
	u := typus.User{AccountID: s.Account, Email: "kim@example.com", Role: typus.RoleOwner}
	if _, _, err := s.Access.CreateUser(t.Context(), u, &password, "operator"); err != nil {
		t.Fatal(err)
	}
	out, _, err := s.Steps.Invite(t.Context(), s.Account, assess.Invitation{Name: "Lena Muster", Email: "lena@example.com"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, page := get(t, proxy+"/t/"+out.Token)
	notice := regexp.MustCompile(`name="hinweise"[^>]* value="([^"]+)"`).FindStringSubmatch(page)
	if notice == nil {
		t.Fatalf("there is nothing to tick: %s", page)
	}
	for path, form := range map[string]url.Values{
		"/anmelden":                  {"email": {u.Email}, "password": {password}},
		"/t/" + out.Token + "/start": {"hinweise": {notice[1]}},
	} {
		if resp := sendForm(t, proxy+path, "http://evil.example", form); resp.StatusCode != http.StatusForbidden {
			t.Errorf("from another site: %s", resp.Status)
		}
		resp := sendForm(t, proxy+path, s.URL, form)
		if to := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || strings.HasPrefix(to, "/anmelden") {
			t.Errorf("%.9s: %s to %q", path, resp.Status, to)
		}
	}
}

func TestAnUnknownProxyIsToldToTheOperatorAndNothingToStrangers(t *testing.T) {
	s := servertest.Start(t, storetest.OpenSQLite(t))
	near, far := s.URL+"/healthz?verbose", behind(t, s, true)+"/healthz?verbose"
	if _, body := get(t, near); !strings.Contains(body, "journal_mode") || strings.Contains(body, "warnings") {
		t.Errorf("before: %s", body)
	}
	for range 2 {
		resp, body := get(t, far)
		if resp.StatusCode != http.StatusOK || strings.Contains(body, "journal_mode") || strings.Contains(body, "warnings") || !strings.Contains(body, `"verbose":"is told to this machine`) {
			t.Errorf("through the proxy: %s, %s", resp.Status, body)
		}
	}
	if _, body := get(t, near); !strings.Contains(body, `"warnings":["X-Forwarded-For came from 127.0.0.1, which is not in TYPUS_TRUSTED_PROXIES`) {
		t.Errorf("afterwards: %s", body)
	}
	if n := strings.Count(s.Log.String(), "X-Forwarded-For came from"); n != 1 {
		t.Errorf("the log says it %d times", n)
	}
}
