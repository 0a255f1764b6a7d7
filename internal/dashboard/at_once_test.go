package dashboard

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/auth"
	"typus/internal/meettest"
	"typus/internal/page"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/web"
)

// Everything that the dashboard shows is asked for by eight, of a server that was just started,
// in step (meettest): by four who all open one page, so that they meet where it makes something
// that is not there yet, and then by four who each open another, while two send every form.
// Whoever asks sees what they see when they ask alone, and nothing of another account. Some
// belong to the account in which everything changes, and some to none. Of what a test world
// shows as its account does one in four is asked for, by those who open others one page in two,
// and alone one in four; TYPUS_MATRIX=all asks for all.
func TestEveryPageIsOpenedByManyAtOnce(t *testing.T) {
	w := newWorldOn(t, storetest.OpenSQLite(t).Meeting(meettest.Wait))
	still, far, busy := w.tenant("Still GmbH", typus.UTC), w.tenant("Fern GmbH", "Pacific/Kiritimati"), w.tenant("Umtriebig GmbH", typus.UTC)
	nobody := &tenant{estate: estate{names: busy.names}}
	same := []*caller{w.callerOf(still, "de"), w.callerOf(busy, "en"), w.callerOf(far, "de"), w.callerOf(far, "de")}
	other := []*caller{w.callerOf(still, "en"), w.callerOf(busy, "de"), {tenant: nobody, lang: "de", ip: "198.51.101.1"}, {tenant: nobody, lang: "en", ip: "198.51.101.2"}}
	changing := []*caller{w.callerOf(busy, "de"), w.callerOf(busy, "en")}
	shown, sent := w.everyAddress(http.MethodGet), w.everyAddress(http.MethodPost)
	handler := w.startedAnew()
	see := func(ctx context.Context, c *caller, pattern string) meettest.Answer {
		a := meettest.Ask(handler, c.request(ctx, http.MethodGet, c.address(t, pattern)+"?id="+c.names[candidateName], nil))
		if a.Status >= http.StatusInternalServerError {
			t.Errorf("GET %s for %s: %d", pattern, c.ip, a.Status)
		}
		for _, other := range []*tenant{still, far, busy} {
			for _, word := range other.own {
				if other != c.tenant && strings.Contains(a.Body, word) {
					t.Errorf("GET %s shows %s to %s", pattern, word, c.ip)
				}
			}
		}
		if strings.Contains(a.Body, `name="formular"`) {
			a.Body = nonces.ReplaceAllString(a.Body, "")
		}
		return a
	}
	readers := slices.Concat(same, other)
	atOnce := make([][]meettest.Answer, len(readers))
	for i := range atOnce {
		atOnce[i] = make([]meettest.Answer, len(shown))
	}
	change := func(some []string) meettest.Group { // not in step: of two forms with a logo, one waits for the other
		return meettest.Group{Callers: len(changing), Errands: len(some), Do: func(_ context.Context, i, n int) {
			c := changing[i]
			if err := w.renew(c); err != nil {
				t.Error(err)
				return
			}
			if a := meettest.Ask(handler, c.request(t.Context(), http.MethodPost, c.address(t, some[n]), form())); a.Status >= http.StatusInternalServerError {
				t.Errorf("POST %s: %d", some[n], a.Status)
			}
		}}
	}
	meettest.Together(t, change(sent[:len(sent)/2]), meettest.Group{Callers: len(same), Errands: len(shown), Do: func(ctx context.Context, i, n int) {
		atOnce[i][n] = see(ctx, same[i], shown[n])
	}})
	meettest.Together(t, change(sent[len(sent)/2:]), meettest.Group{Callers: len(other), Errands: len(shown), Apart: true, Do: func(ctx context.Context, i, n int) {
		if isPlayed(other[i].ip+shown[n], 2) {
			atOnce[len(same)+i][n] = see(ctx, other[i], shown[n])
		}
	}})
	for i, c := range readers {
		for n, pattern := range shown {
			if c.tenant == busy || atOnce[i][n].Status == 0 || !isPlayed(c.ip+pattern, 4) {
				continue
			}
			if alone := see(t.Context(), c, pattern); alone != atOnce[i][n] {
				t.Errorf("GET %s in %s for %s is not what it is alone:\n%+v\n%+v", pattern, c.lang, c.ip, atOnce[i][n], alone)
			}
		}
	}
}

// tenant is an account with one of everything, in its test world too, and what stands on its
// pages and on nobody else's.
type tenant struct {
	estate
	own []string
}

// tenant makes one whose times are those of a zone.
func (w *world) tenant(name string, zone typus.Zone) *tenant {
	w.Helper()
	account := w.newAccount(name)
	w.Must(w.Accounts.Change(w.Ctx, account, by, func(a *typus.Account) { a.Zone = zone }))
	t := &tenant{estate: w.furnish(account, true), own: []string{name}}
	out := w.invitedBy(w.worldOf(account), assess.Invitation{Name: "Probe Muster", Email: "probe@example.com"})
	w.finishes(out.Token, func(i int) int { return 2 + i%4 }, 4000)
	for pattern, of := range maps.Clone(t.names) {
		if there := worldly(pattern); pattern == candidateName {
			t.names[there] = id(out)
		} else if _, own := t.names[there]; !own {
			t.names[there] = of
		}
	}
	return t
}

// worldly is the address of a page of an account in its test world.
func worldly(pattern string) string { return worldPath + strings.TrimPrefix(pattern, homePath) }

// worldOf is the test world of an account.
func (w *world) worldOf(account int64) int64 {
	w.Helper()
	inside, err := w.face.Sandbox.World(w.Ctx, account)
	w.Must(err)
	return inside.ID
}

// caller is somebody with a browser, who asks a server from a place of their own.
type caller struct {
	*tenant
	user             typus.User
	lang, ip, cookie string
}

// callerOf is an owner of an account, who reads in a language and has looked at its reports:
// the first look is noted, and pages show that.
func (w *world) callerOf(t *tenant, lang string) *caller {
	w.Helper()
	c := w.asOf(t.account, owner)
	c.post("/dashboard/sprache", fields("sprache", lang)).want(w, http.StatusSeeOther)
	t.own = append(t.own, c.user.Email)
	for account, pattern := range map[int64]string{t.account: candidateName, w.worldOf(t.account): worldly(candidateName)} {
		person, err := strconv.ParseInt(t.names[pattern], 10, 64)
		w.Must(err)
		w.Must(w.Assess.NoteSaved(w.Ctx, store.WholeAccount(account), person, 0, typus.Actor{Name: c.user.Email, UserID: c.user.ID}))
	}
	return &caller{t, c.user, lang, "198.51.100." + strconv.FormatInt(c.user.ID, 10), c.cookie(w.face.sessionCookie())}
}

// renew logs a caller in once more: what they sent may have logged them out.
func (w *world) renew(c *caller) error {
	now := w.Now()
	c.cookie = auth.NewSession()
	return w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		return tx.AddSession(w.Ctx, typus.Session{
			Hash: auth.Hash(c.cookie), UserID: c.user.ID, AccountID: c.account, Verified: true,
			ConfirmedAt: now, CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(typus.SessionLife),
		})
	})
}

// request is what the browser of a caller sends.
func (c *caller) request(ctx context.Context, method, path string, form url.Values) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(form.Encode()))
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set("X-Forwarded-For", c.ip)
	r.Header.Set("X-Request-Id", "at-once")
	r.Header.Set("Accept-Language", c.lang)
	r.Header.Set("Accept-Encoding", "gzip")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if c.cookie != "" {
		r.AddCookie(&http.Cookie{Name: "typus", Value: c.cookie})
	}
	return r
}

var staticFile = regexp.MustCompile(`"(/static/[^"]+)"`)

// everyAddress is what is answered to a method, by its pattern, and the files of a page.
func (w *world) everyAddress(method string) []string {
	var all, ofAccounts []string
	for _, r := range w.face.routes() {
		ofAccounts = append(ofAccounts, worldly(r.pattern))
	}
	for _, r := range w.face.table.List() {
		if r.Method == method && (!slices.Contains(ofAccounts, r.Pattern) || isPlayed(method+r.Pattern, 4)) {
			all = append(all, r.Pattern)
		}
	}
	if method == http.MethodGet {
		for _, file := range staticFile.FindAllStringSubmatch(w.stranger().get("/anmelden").body, -1) {
			all = append(all, file[1])
		}
	}
	return all
}

// startedAnew is the server as after a restart: what it makes when it is first asked for is
// not made yet.
func (w *world) startedAnew() http.Handler {
	w.Helper()
	site, err := page.New()
	w.Must(err)
	pages, err := site.Set(files)
	w.Must(err)
	o := w.face.Options
	o.Site, o.SignUp = site, true
	f := newFace(o, pages)
	f.testWait, f.clockWait = 1, 1 // nobody delivers anything or moves a clock here
	mux := http.NewServeMux()
	mux.Handle("/static/", site.Static())
	mux.Handle("/", f.handler())
	log := slog.New(slog.NewJSONHandler(&w.logs, nil))
	return web.WithRequestID(log, web.WithClientIP([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, web.SecurityHeaders(false, mux)))
}
