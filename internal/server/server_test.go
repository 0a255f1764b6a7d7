package server_test

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/server/servertest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
)

func get(t *testing.T, address string) (*http.Response, string) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestEachAddressIsAnsweredByItsFace(t *testing.T) {
	s := servertest.Start(t, storetest.OpenSQLite(t))
	for path, want := range map[string]struct {
		status int
		kind   string
		holds  string
	}{
		"/":                   {200, "text/html", "<h1>"},
		"/healthz":            {200, "application/json", `"ok":true`},
		"/healthz?verbose":    {200, "application/json", `"journal_mode":"wal"`},
		"/readyz":             {200, "text/plain", "ready\n"},
		"/favicon.ico":        {200, "image/x-icon", ""},
		"/api/openapi.json":   {200, "application/json", `"openapi"`},
		"/api/v1/candidates":  {401, "application/json", `"code":"invalid_key"`},
		"/api/nothing":        {404, "application/json", `"code":"not_found"`},
		"/api//v1/candidates": {404, "application/json", `"code":"not_found"`},
		"/t/unknown":          {404, "text/html", "<h1>"},
		"/nothing":            {404, "text/html", "<h1>"},
		"/static/nothing":     {404, "text/", ""},
	} {
		resp, body := get(t, s.URL+path)
		if resp.StatusCode != want.status || !strings.HasPrefix(resp.Header.Get("Content-Type"), want.kind) || !strings.Contains(body, want.holds) {
			t.Errorf("%s: %s, %s, %.200s", path, resp.Status, resp.Header.Get("Content-Type"), body)
		}
		for _, header := range []string{"X-Request-Id", "Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"} {
			if resp.Header.Get(header) == "" {
				t.Errorf("%s has no %s", path, header)
			}
		}
	}
}

func TestWhatNetHTTPRefusesIsJSONUnderTheAPIOnly(t *testing.T) {
	s := servertest.Start(t, storetest.OpenSQLite(t))
	for path, want := range map[string]struct{ kind, holds string }{
		"/api/v1/candidates/50%": {"application/json", `"code":"invalid_input"`},
		"/api/%zz":               {"application/json", `"code":"invalid_input"`},
		"/t/%zz":                 {"text/plain", "Bad Request\nrequest "},
		"/%zz":                   {"text/plain", "Bad Request\nrequest "},
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(20 * time.Second))
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != 400 || !strings.HasPrefix(resp.Header.Get("Content-Type"), want.kind) || !strings.Contains(string(body), want.holds) ||
			!strings.Contains(string(body), resp.Header.Get("X-Request-Id")) || resp.Header.Get("X-Content-Type-Options") == "" {
			t.Errorf("%s: %s %v %s", path, resp.Status, resp.Header, body)
		}
	}
}

var linkInPage = regexp.MustCompile(`(?:href|src|action)="(/[^"]*)"`)

// From the pages that strangers see every link leads to an answer, and beside them
// there is nothing: no directory is listed, no file of ours but the public ones is served, and
// nothing about the inside of the server.
func TestStrangersFindPagesAndNothingElse(t *testing.T) {
	s := servertest.Start(t, storetest.OpenSQLite(t))
	seen, waiting := map[string]bool{}, []string{"/", "/anmelden", "/passwort", "/docs"}
	for len(waiting) > 0 {
		path := html.UnescapeString(waiting[0])
		waiting = waiting[1:]
		path, _, _ = strings.Cut(path, "#")
		if seen[path] || path == "" {
			continue
		}
		seen[path] = true
		resp, body := get(t, s.URL+path)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("a page leads to %s: %s", path, resp.Status)
		}
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			for _, link := range linkInPage.FindAllStringSubmatch(body, -1) {
				waiting = append(waiting, link[1])
			}
		}
	}
	if len(seen) < 15 || len(seen) > 400 {
		t.Errorf("%d addresses were found: %v", len(seen), seen)
	}
	for _, path := range []string{
		"/.git/HEAD", "/.git/", "/.env", "/.well-known/", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/vars", "/metrics", "/server-status", "/typus.db", "/secret.key", "/backup.sql",
		"/static/", "/static", "/static/.", "/static/..%2f..%2fetc/passwd", "/static/../../etc/passwd", "/static/%2e%2e/go.mod", "/static/templates/", "/templates/login.html", "/locales/",
		"/internal/", "/go.mod", "/t/", "/t", "/docs/..%2f", "/docs/.", "/api/debug/pprof/", "/healthz/", "/readyz/", "/admin", "/wp-login.php", "/index.php", "//evil.example/", "/\\evil.example", "/dashboard/.git/HEAD",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.URL.Opaque = strings.TrimPrefix(s.URL, "http:") + path // as it is, not cleaned
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusBadRequest || strings.Contains(string(body), "goroutine") || strings.Contains(string(body), "<pre>") {
			t.Errorf("%s is answered %s (%s): %.200s", path, resp.Status, resp.Header.Get("Location"), body)
		}
	}
}

func TestHealthSaysWhenTheDatabaseIsAway(t *testing.T) {
	st := storetest.OpenSQLite(t)
	s := servertest.Start(t, st)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	resp, body := get(t, s.URL+"/healthz")
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `"ok":false`) {
		t.Errorf("%s, %s", resp.Status, body)
	}
	resp, body = get(t, s.URL+"/readyz")
	if resp.StatusCode != http.StatusServiceUnavailable || body != "not ready: the database does not answer\n" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s, %v, %s", resp.Status, resp.Header, body)
	}
}

// Fifty browsers hand in the same test at once: all see the last page, one
// credit is booked, the receiver gets one event.
func TestFiftyHandInsOverHTTPCountOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		s := servertest.Start(t, st)
		var mu sync.Mutex
		ids := map[string]int{}
		received := make(chan bool, 50)
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			ids[r.Header.Get("webhook-id")]++
			received <- true
		}))
		defer receiver.Close()
		if _, _, err := s.Accounts.CreateEndpoint(t.Context(), s.Account, receiver.URL, "", typus.Actor{Name: "operator"}); err != nil {
			t.Fatal(err)
		}
		token := answered(t, s)
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				resp, err := http.Post(s.URL+"/t/"+token+"/fertig", "application/x-www-form-urlencoded", nil)
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK || !strings.HasSuffix(resp.Request.URL.Path, "/fertig") {
					t.Errorf("%s at %s", resp.Status, resp.Request.URL.Path)
				}
			})
		}
		wg.Wait()
		<-received
		if err := s.Stop(); err != nil { // what is under way has ended
			t.Error(err)
		}
		account, err := st.Account(t.Context(), s.Account)
		if err != nil || account.Credits != 99 || len(ids) != 1 {
			t.Errorf("balance %d, events received %v, %v", account.Credits, ids, err)
		}
	})
}

func answered(t *testing.T, s *servertest.Site) string {
	t.Helper()
	out, _, err := s.Steps.Invite(t.Context(), s.Account, assess.Invitation{Name: "Jana", Email: "jana@example.com"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Steps.Begin(t.Context(), out.Token, typus.Notice{Version: "v", Language: "de", At: time.Now()}, "text"); err != nil {
		t.Fatal(err)
	}
	var given []assess.Given
	for i, item := range instrument.Own().Items() {
		given = append(given, assess.Given{ItemID: item.ID, Value: 2 + i%4, ActiveMS: 4000})
	}
	if _, err := s.Steps.Answer(t.Context(), out.Token, given); err != nil {
		t.Fatal(err)
	}
	return out.Token
}

// A request whose body is still on its way when the stop comes is answered.
func TestAStopFinishesARequestUnderWay(t *testing.T) {
	s := servertest.Start(t, storetest.OpenSQLite(t))
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := `{"name":"Jana","email":"jana@example.com","send_email":false}`
	fmt.Fprintf(conn, "POST /api/v1/invites HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", s.Key, len(body))
	answer := bufio.NewReader(conn)
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100") { // the handler reads the body now
		t.Fatalf("%q, %v", line, err)
	}
	answer.ReadString('\n')
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop() }()
	waittest.Until(t, "the stop has begun", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	io.WriteString(conn, body)
	resp, err := http.ReadResponse(answer, nil)
	if err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
