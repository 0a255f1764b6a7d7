package api_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/api"
	"typus/internal/assess"
	"typus/internal/clocktest"
	"typus/internal/instrument"
	"typus/internal/sandbox"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/web"
	"typus/internal/web/logtest"
	"typus/internal/worldtest"
)

const baseURL = "https://typus.example.com"

// world is the API over a real database and real HTTP, at a time that stands
// still unless a test moves it.
type world struct {
	*worldtest.World
	handler http.Handler
	server  *web.Server
	url     string
	ran     *atomic.Int64                       // statements
	saw     *atomic.Pointer[func(query string)] // is told of each before it runs, if it is set
	calls   *api.CallLog
	sandbox *sandbox.Steps
	stop    func() // as when the server stops
	log     *logtest.Log
	client  *http.Client // holds every exchange against openapi.yaml
	plain   *http.Client // does not, for tests of many calls
	keyID   int64
	key     string

	limiterClock *clocktest.Clock // of limited worlds: apart from the others, so that keys stay remembered
}

// newWorld starts the API on SQLite with one account of 10 credits and a key.
func newWorld(t *testing.T) *world { return newWorldOn(t, storetest.OpenSQLite(t), nil) }

func newWorldOn(t *testing.T, s *store.Store, limiter api.Limiter) *world {
	t.Helper()
	w := &world{ran: new(atomic.Int64), saw: new(atomic.Pointer[func(query string)]), log: new(logtest.Log)}
	s = s.Watched(func(query string) error {
		w.ran.Add(1)
		if saw := w.saw.Load(); saw != nil {
			(*saw)(query)
		}
		return nil
	})
	log := slog.New(slog.NewJSONHandler(w.log, nil))
	w.World = worldtest.Empty(t, s, worldtest.Options{BaseURL: baseURL, Log: log, Start: time.Date(2026, 11, 27, 10, 20, 30, 123e6, time.UTC)})
	if limiter == nil {
		limiter = unlimited{}
	}
	w.calls = api.NewCallLog(s, log)
	w.sandbox = sandbox.New(sandbox.Options{Store: s, Assess: w.Assess, Box: w.Box, Clock: w.Clock.Now, Log: log})
	stopping := make(chan struct{})
	w.stop = func() { close(stopping) }
	handler := api.New(api.Options{Store: s, Steps: w.Assess, Sandbox: w.sandbox, Stopping: stopping, BaseURL: baseURL, Clock: w.Clock.Now, Log: log, Limiter: limiter, Calls: w.calls})
	w.handler = web.WithRequestID(log, web.SecurityHeaders(true, handler))
	w.server = web.NewServer(t.Context(), log, w.handler, web.WithRequestID(log, web.SecurityHeaders(true, api.Refused(baseURL))))
	server := httptest.NewUnstartedServer(nil)
	server.Config = w.server.Server
	server.Start()
	t.Cleanup(server.Close)
	w.url = server.URL
	w.plain = server.Client()
	w.client = &http.Client{Transport: newChecker(t, w.plain.Transport)}
	w.Account, w.keyID, w.key = w.newAccount("Beispiel GmbH", typus.PlanStarter, 10)
	return w
}

// openedBy returns a database of its own that the test closes under the API.
func openedBy(t *testing.T, dsn string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newAccount makes an account with a key.
func (w *world) newAccount(name string, plan typus.Plan, credits int64) (account, keyID int64, key string) {
	w.Helper()
	account, err := w.Access.CreateAccount(w.Context(), typus.Account{Name: name, Plan: plan, ContactEmail: "owner@example.com"}, credits)
	if err != nil {
		w.Fatal(err)
	}
	keyID, key, err = w.Access.CreateKey(w.Context(), account, "test", typus.Actor{Name: "operator"})
	if err != nil {
		w.Fatal(err)
	}
	return account, keyID, key
}

// testWorld makes the test world of the world's account with a key.
func (w *world) testWorld() (typus.Account, string) {
	w.Helper()
	account, err := w.sandbox.World(w.Context(), w.Account)
	w.Must(err)
	_, key, err := w.Access.CreateKey(w.Context(), account.ID, "CI", typus.Actor{Name: "operator"})
	w.Must(err)
	return account, key
}

// call is one request; the zero value reads the list with the world's key.
type call struct {
	method  string // "": GET, or POST with a body
	path    string // with its query; "": /api/v1/candidates
	body    string
	key     string   // "": the world's; "-": no Authorization
	header  []string // name, value, …
	invalid bool     // the request itself is not what openapi.yaml allows
}

// reply is an answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

// do makes a call and holds it against openapi.yaml.
func (w *world) do(c call) reply {
	w.Helper()
	return w.doWith(w.client, c)
}

func (w *world) doWith(client *http.Client, c call) reply {
	w.Helper()
	if c.method == "" {
		c.method = "GET"
		if c.body != "" {
			c.method = "POST"
		}
	}
	if c.path == "" {
		c.path = "/api/v1/candidates"
	}
	req, err := http.NewRequest(c.method, w.url+c.path, strings.NewReader(c.body))
	if err != nil {
		w.Fatal(err)
	}
	if c.method == "POST" {
		req.Header.Set("Content-Type", "application/json")
	}
	switch c.key {
	case "":
		req.Header.Set("Authorization", "Bearer "+w.key)
	case "-":
	default:
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	for i := 0; i < len(c.header); i += 2 {
		req.Header.Del(c.header[i])
	}
	for i := 0; i < len(c.header); i += 2 {
		req.Header.Add(c.header[i], c.header[i+1])
	}
	if c.invalid {
		req = req.WithContext(withInvalidRequest(req.Context()))
	}
	resp, err := client.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(body)}
}

// invite makes an invitation that must succeed and returns its answer.
func (w *world) invite(body string) invitation {
	w.Helper()
	r := w.do(call{path: "/api/v1/invites", body: body})
	if r.status != http.StatusCreated && r.status != http.StatusOK {
		w.Fatalf("invite %s: %d %s", body, r.status, r.body)
	}
	return parse[invitation](w.T, r)
}

// finish leads the candidate of a link through the whole test.
func (w *world) finish(token string) {
	w.Helper()
	ctx := w.Context()
	if err := w.Assess.Begin(ctx, token, typus.Notice{Version: "1", Language: "de"}, "Hinweis"); err != nil {
		w.Fatal(err)
	}
	block := map[int][]assess.Given{}
	items := instrument.Own().Items()
	for i, it := range items {
		block[it.Block] = append(block[it.Block], assess.Given{ItemID: it.ID, Value: 1 + (i*5)%6, ActiveMS: 5000})
	}
	for b := 1; b <= len(block); b++ {
		if _, err := w.Assess.Answer(ctx, token, block[b]); err != nil {
			w.Fatal(err)
		}
	}
	if err := w.Assess.Finish(ctx, token); err != nil {
		w.Fatal(err)
	}
}
