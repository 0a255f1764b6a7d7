package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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
		if _, _, err := s.Steps.CreateEndpoint(t.Context(), s.Account, receiver.URL, "", typus.Actor{Name: "operator"}); err != nil {
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
	for refused := false; !refused; { // until the stop has begun
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if refused = err != nil; !refused {
			c.Close()
			time.Sleep(5 * time.Millisecond)
		}
	}
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
