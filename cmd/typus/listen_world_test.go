package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus/internal/auth"
	"typus/internal/waittest"
	"typus/internal/web/logtest"
	"typus/internal/webhook"
)

// eventServer answers /api/test/events as the server does, but for the calls that it fails.
type eventServer struct {
	*httptest.Server
	mu     sync.Mutex
	events []testEvent
	fail   []func(w http.ResponseWriter) // the next calls that wait, nil for none
	asked  chan struct{}                 // a call waits
}

func newEventServer(t *testing.T, key string) *eventServer {
	s := &eventServer{asked: make(chan struct{}, 1000)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/test/events" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("asked for %s with %s", r.URL, r.Header)
		}
		s.answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *eventServer) answer(w http.ResponseWriter, r *http.Request) {
	waits := r.URL.Query().Get("wait") != "0"
	if waits {
		s.asked <- struct{}{}
	}
	for {
		s.mu.Lock()
		if waits && len(s.fail) > 0 {
			fail := s.fail[0]
			s.fail = s.fail[1:]
			s.mu.Unlock()
			fail(w)
			return
		}
		page := s.events
		if i := slices.IndexFunc(page, func(e testEvent) bool { return e.ID == r.URL.Query().Get("after") }); i >= 0 {
			page = page[i+1:]
		}
		page = slices.Clone(page[:min(2, len(page))])
		s.mu.Unlock()
		if len(page) > 0 || !waits {
			json.MarshalWrite(w, map[string]any{"events": page})
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
	}
}

func (s *eventServer) add(numbers ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range numbers {
		s.events = append(s.events, testEvent{ID: fmt.Sprintf("evt_%026d", n), Type: "candidate.completed", CreatedAt: "2026-11-27T10:41:07Z", Body: new(fmt.Sprintf(`{"n":%d,"name":"Öztürk <b>"}`, n))})
	}
}

func (s *eventServer) failNext(fail ...func(w http.ResponseWriter)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

// listenRun is a run of typus listen.
type listenRun struct {
	t        *testing.T
	received chan string // of the receiver: the number in the body, after both signatures were checked
	out, err logtest.Log
	stop     func() int // returns the exit code
}

// listenTo runs typus listen in this process and forwards to a receiver that checks both
// signatures with the secret that was printed.
func listenTo(t *testing.T, server, key string) *listenRun {
	t.Helper()
	l := &listenRun{t: t, received: make(chan string, 100)}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !webhook.Verify(listenSecret(key), r.Header.Get("X-Service-Signature"), body) || webhook.VerifyStandard(listenSecret(key), r.Header, body, time.Now()) != nil ||
			r.Header.Get("X-Service-Event") != "candidate.completed" || r.Header.Get("X-Service-Attempt") != "1" {
			t.Errorf("the headers are %v", r.Header)
		}
		l.received <- r.Header.Get("webhook-id")[len("evt_")+24:] + " " + string(body)
		w.WriteHeader(http.StatusTeapot)
	}))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- newApp([]string{"TYPUS_KEY=" + key}, nil, &l.out, &l.err).run(ctx, []string{"listen", "--server", server, "--forward", receiver.URL, "--json"})
	}()
	l.stop = func() int {
		cancel()
		defer receiver.Close()
		return <-ended
	}
	return l
}

// gets waits for the events with these numbers, in this order, and for no other before them.
func (l *listenRun) gets(numbers ...int) {
	l.t.Helper()
	for _, n := range numbers {
		want := fmt.Sprintf(`%02d {"n":%d,"name":"Öztürk <b>"}`, n, n)
		select {
		case got := <-l.received:
			if got != want {
				l.t.Fatalf("the receiver got %s, want %s", got, want)
			}
		case <-time.After(time.Minute):
			l.t.Fatalf("the receiver got no %s", want)
		}
	}
}

func TestListenForwardsEachEventOnceAndBeginsAfterTheNewest(t *testing.T) {
	key := auth.NewTestKey()
	s := newEventServer(t, key)
	s.add(1, 2, 3)
	l := listenTo(t, s.URL, key)
	<-s.asked
	s.add(4, 5, 6)
	l.gets(4, 5, 6)
	waittest.Until(t, "it asks again, so that all is printed", func() bool { return len(s.asked) > 0 })
	s.add(7)
	l.gets(7)
	s.mu.Lock()
	s.events = slices.Delete(s.events, 6, 7) // somebody is erased with the event
	s.mu.Unlock()
	s.add(8)
	l.gets(8)
	if code := l.stop(); code != 0 {
		t.Errorf("exit %d: %s", code, l.err.String())
	}
	lines := strings.Split(strings.TrimSpace(l.out.String()), "\n")
	if !strings.Contains(lines[0], `"secret":"whsec_`) || !strings.Contains(lines[1], `{"event":{"id":"evt_00000000000000000000000004","type":"candidate.completed"`) || !strings.Contains(lines[1], `"status":418`) {
		t.Errorf("printed\n%s", l.out.String())
	}
	if strings.Contains(l.out.String()+l.err.String(), key) {
		t.Error("the key is printed")
	}
}

func TestListenLosesNothingWhenTheConnectionIsLost(t *testing.T) {
	key := auth.NewTestKey()
	s := newEventServer(t, key)
	s.add(1)
	hangUp := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	half := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"events":[{"id":"evt_`)
		panic(http.ErrAbortHandler)
	}
	broken := func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }
	s.failNext(hangUp)
	l := listenTo(t, s.URL, key)
	<-s.asked // the first call that waits
	s.add(2, 3)
	l.gets(2, 3)
	s.failNext(half, broken)
	s.add(4, 5)
	l.gets(4, 5)
	if code := l.stop(); code != 0 || strings.Count(l.err.String(), "trying again") < 1 {
		t.Errorf("exit %d: %s", code, l.err.String())
	}
}

// The whole way, with a real server: somebody is invited, the clock is moved on, and the
// receiver on this machine gets the result.
func TestListenBringsTheResultsOfATestWorld(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		p := serve(t, environ)
		defer p.stop(t)
		must[id](t, environ, "account", "create", "--name", "A")
		key := must[newTestKey](t, environ, "key", "create", "--account", "1", "--name", "CI", "--test").Key
		post := func(path, body string) {
			t.Helper()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.base+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+key)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if said, _ := io.ReadAll(resp.Body); resp.StatusCode > 299 {
				t.Fatalf("%s: %d %s", path, resp.StatusCode, said)
			}
		}
		post("/api/v1/invites", `{"name":"Tom Sander","email":"finish+rock@example.com","external_id":"before"}`)
		post("/api/test/clock", `{"advance":"PT1M"}`)
		l := listenTo(t, p.base, key)
		waittest.Until(t, "listen begins", func() bool { return strings.Contains(l.err.String(), "listening to") })
		post("/api/v1/invites", `{"name":"Jana Öztürk","email":"finish+closer@example.com","external_id":"after"}`)
		post("/api/test/clock", `{"advance":"PT1M"}`)
		if got := <-l.received; !strings.Contains(got, `"external_id":"after"`) || !strings.Contains(got, `"key":"closer"`) {
			t.Errorf("the receiver got %s", got)
		}
		if code := l.stop(); code != 0 {
			t.Errorf("exit %d: %s", code, l.err.String())
		}
	})
}

func TestListenRefusesALiveKeyBeforeAnyCall(t *testing.T) {
	s := newEventServer(t, "none")
	for key, want := range map[string]string{auth.NewAPIKey(): "opens a live account", "": "is missing", "typ_test_x": "no whole key"} {
		var out, errOut bytes.Buffer
		code := newApp(nil, nil, &out, &errOut).run(t.Context(), []string{"listen", "--server", s.URL, "--key", key})
		if code != 2 || out.Len() > 0 || !strings.Contains(errOut.String(), want) || key != "" && strings.Contains(errOut.String(), key) && key != "typ_test_x" {
			t.Errorf("%q: exit %d, %s%s", key, code, out.String(), errOut.String())
		}
	}
	if code, _, said := command(t, nil, "listen", "--key", auth.NewAPIKey(), "--server", "x", "--forward", "y"); code != 2 || strings.Count(said, "--") < 3 {
		t.Errorf("not everything wrong is named: exit %d, %s", code, said)
	}
}

func TestListenEndsWhenTheServerRefusesTheKey(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"detail":"the API key is missing or not valid"}`)
	}))
	defer s.Close()
	code, _, said := command(t, []string{"TYPUS_KEY=" + auth.NewTestKey()}, "listen", "--server", s.URL)
	if code != 1 || !strings.Contains(said, "401: the API key is missing or not valid") {
		t.Errorf("exit %d, %s", code, said)
	}
}

func TestListenWaitsLongerAndLonger(t *testing.T) {
	for failures, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 6: 30 * time.Second, 100: 30 * time.Second} {
		if got := backOff(io.ErrUnexpectedEOF, failures); got != want {
			t.Errorf("after %d failures %s, want %s", failures, got, want)
		}
	}
	if got := backOff(&badAnswer{status: 429, wait: 7 * time.Second}, 1); got != 7*time.Second {
		t.Errorf("Retry-After 7 became %s", got)
	}
}

// A key in the environment is for typus listen and stops no other command; one that is none
// was meant to be another setting.
func TestATestKeyInTheEnvironmentIsNoSetting(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + t.TempDir() + "/typus.db"}
	must[id](t, append(environ, keyVariable+"="+auth.NewTestKey()), "account", "create", "--name", "A")
	if code, _, said := command(t, append(environ, keyVariable+"=secret"), "account", "create", "--name", "A"); code != 2 || !strings.Contains(said, "TYPUS_SECRET_KEY") {
		t.Errorf("exit %d, %s", code, said)
	}
}
