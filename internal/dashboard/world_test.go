package dashboard

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/page"
	"typus/internal/sandbox"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/web"
	"typus/internal/web/logtest"
	"typus/internal/webhook"
	"typus/internal/worldtest"
)

// parsed are the site and the pages of the dashboard, made once for all tests: to parse
// them takes longer than most tests.
var parsed = sync.OnceValues(func() (*page.Site, *page.Set) {
	site, err := page.New()
	if err != nil {
		panic(err)
	}
	pages, err := site.Set(files)
	if err != nil {
		panic(err)
	}
	return site, pages
})

// world is the dashboard on a real server over a store with one account, and a
// clock that the test moves.
type world struct {
	*worldtest.World
	ran    *atomic.Int64 // statements
	face   *face
	server *httptest.Server
	logs   logtest.Log      // what the server has logged
	sent   map[string]bool  // methods and paths of all requests, nil: nobody wants to know
	hosts  map[int64]string // of accounts made from now on, which get one; nil: none get one
}

// newWorld is a world on SQLite.
func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOn(t, storetest.OpenSQLite(t))
}

func newWorldOn(t *testing.T, st *store.Store) *world {
	t.Helper()
	w := newEmptyWorldOn(t, st)
	w.Account = w.newAccount("Muster Software GmbH")
	return w
}

// newEmptyWorldOn is a world without an account.
func newEmptyWorldOn(t *testing.T, st *store.Store) *world {
	t.Helper()
	st, ran := storetest.Counted(st)
	w := &world{ran: ran}
	log, mux := slog.New(slog.NewJSONHandler(&w.logs, nil)), http.NewServeMux()
	w.server = httptest.NewServer(web.WithRequestID(log, web.WithClientIP([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, web.SecurityHeaders(false, mux))))
	t.Cleanup(w.server.Close)
	guard := webhook.NewGuard(webhook.Policy{AllowHTTP: true, AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	w.World = worldtest.Empty(t, st, worldtest.Options{BaseURL: w.server.URL, Guard: guard, Log: log})
	site, pages := parsed()
	w.face = newFace(Options{
		Store: w.Store, Steps: w.Assess, Access: w.Access, Accounts: w.Accounts, Sandbox: sandbox.New(sandbox.Options{Store: w.Store, Assess: w.Assess, Box: w.Box, Clock: w.Now, Log: log}), Box: w.Box, Instrument: w.Instrument, Guard: guard, HeaderPrefix: "X-Service", Site: site, BaseURL: w.server.URL, Mail: true, StarterCredits: 10, Clock: w.Now, Log: log,
	}, pages)
	w.face.testWait = time.Millisecond // no courier runs unless a test has one
	mux.Handle("/static/", site.Static())
	mux.Handle("/", w.face.handler())
	return w
}

func (w *world) newAccount(name string) int64 {
	w.Helper()
	id, err := w.Access.CreateAccount(w.Ctx, typus.Account{Name: name, ContactEmail: "personal@example.com"}, 10)
	w.Must(err)
	if w.hosts != nil {
		w.hosts[id] = fmt.Sprintf("konto-%d.kunde.example", id)
		w.Must(w.Accounts.Operate(w.Ctx, id, typus.Actor{Name: "operator"}, func(a *typus.Account) { a.Host = w.hosts[id] }))
	}
	return id
}

// client is a browser without scripts: it keeps cookies, says where a form
// comes from, and does not follow redirects.
type client struct {
	*world
	http *http.Client
	user typus.User
	ip   string // where its requests come from, "" for this machine
}

// stranger is a browser that is not logged in.
func (w *world) stranger() *client {
	w.Helper()
	jar, err := cookiejar.New(nil)
	w.Must(err)
	return &client{world: w, http: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

// Passwords cost next to nothing but in tests that want what comes while one is worked on.
var strengthen = auth.Weaken()

// costlyPasswords gives a test passwords as dear as they are to others.
func costlyPasswords(t *testing.T) {
	t.Helper()
	strengthen()
	t.Cleanup(func() { strengthen = auth.Weaken() })
}

// goodHash is a hash of goodPassword.
func goodHash(w *world) string {
	w.Helper()
	hash, err := auth.HashPassword(context.Background(), goodPassword)
	w.Must(err)
	return hash
}

// as is a browser in which a new user of the account with a role is logged in.
func (w *world) as(role typus.UserRole) *client {
	w.Helper()
	return w.asOf(w.Account, role)
}

func (w *world) asOf(account int64, role typus.UserRole) *client {
	w.Helper()
	c := w.stranger()
	hashed := goodHash(w)
	email := string(role) + "-" + strings.ToLower(auth.NewToken()[:6]) + "@example.com"
	c.user = typus.User{AccountID: account, Email: email, Role: role, Language: "de", CreatedAt: w.Now()}
	token := auth.NewSession()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		var err error
		if c.user.ID, err = tx.AddUser(w.Ctx, c.user, hashed); err != nil {
			return err
		}
		now := w.Now()
		return tx.AddSession(w.Ctx, typus.Session{
			Hash: auth.Hash(token), UserID: c.user.ID, AccountID: account, Verified: true,
			ConfirmedAt: now, CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(14 * 24 * time.Hour),
		})
	}))
	home, err := url.Parse(w.server.URL)
	w.Must(err)
	c.http.Jar.SetCookies(home, []*http.Cookie{{Name: w.face.sessionCookie(), Value: token, Path: "/"}})
	return c
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// get asks for a page in German.
func (c *client) get(path string) answer {
	c.Helper()
	return c.do("GET", path, nil)
}

// post sends a form as a browser does.
func (c *client) post(path string, fields url.Values) answer {
	c.Helper()
	return c.do("POST", path, fields)
}

func (c *client) do(method, path string, fields url.Values) answer {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Ctx, method, c.server.URL+path, strings.NewReader(fields.Encode()))
	c.Must(err)
	r.Header.Set("Accept-Language", "de")
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", c.server.URL)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return c.send(r)
}

func (c *client) send(r *http.Request) answer {
	c.Helper()
	if c.ip != "" {
		r.Header.Set("X-Forwarded-For", c.ip)
	}
	if c.sent != nil {
		c.sent[r.Method+" "+r.URL.Path] = true
	}
	resp, err := c.http.Do(r)
	c.Must(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	c.Must(err)
	return answer{resp, string(body)}
}

// follow asks for the page that an answer leads to.
func (c *client) follow(a answer) answer {
	c.Helper()
	if a.StatusCode != http.StatusSeeOther {
		c.Fatalf("%s in place of a redirect: %.400s", a.Status, a.body)
	}
	return c.get(a.Header.Get("Location"))
}

// want fails unless an answer has the status and holds the texts.
func (a answer) want(t testing.TB, status int, holds ...string) answer {
	t.Helper()
	if a.StatusCode != status {
		t.Fatalf("%s %s: %s, want %d: %.600s", a.Request.Method, a.Request.URL.Path, a.Status, status, a.body)
	}
	for _, text := range holds {
		if !strings.Contains(a.body, text) {
			t.Errorf("%s does not say %q:\n%s", a.Request.URL.Path, text, a.body)
		}
	}
	return a
}
