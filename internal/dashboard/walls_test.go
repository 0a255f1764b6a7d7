package dashboard

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"typus/internal/db/dbtest"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
	"typus/internal/web"
)

// watched is a world on SQLite with a function that reads all its database holds.
func watched(t *testing.T) (*world, func() map[string][]string) {
	t.Helper()
	return watchedOn(t, storetest.SQLite(t))
}

// watchedOn is watched on the database of an address.
func watchedOn(t *testing.T, dsn string) (*world, func() map[string][]string) {
	t.Helper()
	w := newWorldOn(t, storetest.Open(t, dsn))
	return w, dbtest.Contents(t, dsn)
}

// Links are opened from anywhere, by prefetching browsers and scanners of mail
// too, with the cookie of whoever is logged in: they may only show. One line says that a
// report was looked at, another that it was kept as a file.
func TestLookingChangesNothing(t *testing.T) {
	w, contents := watched(t)
	c := w.as(owner)
	for _, e := range []estate{w.furnish(w.Account, false), w.furnish(w.Account, true)} {
		candidate := e.names["/dashboard/kandidat/{id}"]
		before := contents()
		for pattern, methods := range w.face.patterns() {
			path := e.address(t, pattern)
			for _, method := range []string{"GET", "HEAD"} {
				req, err := http.NewRequestWithContext(t.Context(), method, w.server.URL+path+"?_method=POST&entfernen=1&held=send&gesendet&sprache=en&id="+candidate, nil)
				w.Must(err)
				req.Header.Set("X-HTTP-Method-Override", "POST")
				a := c.send(req)
				if a.StatusCode >= 500 || (a.StatusCode == http.StatusMethodNotAllowed) == slices.Contains(methods, "GET") {
					t.Errorf("%s %s: %s", method, path, a.Status)
				}
			}
			after := contents()
			after["audit_log"] = slices.DeleteFunc(after["audit_log"], func(line string) bool {
				return strings.Contains(line, " report.viewed ") || strings.Contains(line, " report.saved ")
			})
			for _, table := range dbtest.Changed(before, after) {
				t.Fatalf("looking at %s changes %s", path, table)
			}
		}
	}
}

// Whatever another site sends, with the cookie of whoever is logged in and about
// what is theirs, is refused before anything is done. Forms are POSTs and nothing else.
func TestNoRouteTakesAFormFromElsewhere(t *testing.T) {
	w, contents := watched(t)
	w.person("ada@example.com", owner)
	mine, stranger := w.loggedIn("ada@example.com"), w.stranger()
	e := w.furnish(w.Account, true)
	before := contents()
	send := func(c *client, method, path string, header map[string]string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, w.server.URL+path, strings.NewReader(form().Encode()))
		w.Must(err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for name, value := range header {
			req.Header.Set(name, value)
		}
		return c.send(req).StatusCode
	}
	for _, r := range w.face.routes() {
		if r.method != "POST" {
			continue
		}
		path := e.address(t, r.pattern)
		for name, header := range map[string]map[string]string{
			"another site":   {"Sec-Fetch-Site": "cross-site"},
			"a neighbour":    {"Sec-Fetch-Site": "same-site"},
			"another origin": {"Origin": "https://evil.example"},
			"no origin":      {"Origin": "null"},
			"another port":   {"Origin": "http://127.0.0.1:1"},
			"both":           {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
		} {
			if got := send(mine, "POST", path, header); got != http.StatusForbidden {
				t.Errorf("%s to %s: %d", name, r.pattern, got)
			}
		}
		for _, method := range []string{"PUT", "PATCH", "DELETE", "OPTIONS"} {
			if got := send(mine, method, path, map[string]string{"X-HTTP-Method-Override": "POST"}); got != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d", method, r.pattern, got)
			}
		}
		for _, table := range dbtest.Changed(before, contents()) {
			t.Fatalf("what another site sends to %s changes %s", r.pattern, table)
		}
	}
	for _, r := range w.face.routes() { // whoever is no browser, or comes from the address bar, is no other site
		for _, header := range []map[string]string{nil, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Origin": w.server.URL}} {
			if r.method == "POST" && send(stranger, "POST", e.address(t, r.pattern), header) == http.StatusForbidden {
				t.Errorf("%s refuses %v", r.pattern, header)
			}
		}
	}
}

// throughProxy is the world behind a proxy that changes Host, as browsers and the
// address of its links name it.
func (w *world) throughProxy() string {
	w.Helper()
	_, port, err := net.SplitHostPort(w.server.Listener.Addr().String())
	w.Must(err)
	inside, err := url.Parse("http://localhost:" + port)
	w.Must(err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(inside) }})
	w.Cleanup(proxy.Close)
	return proxy.URL
}

// Over plain HTTP a browser says where a form comes from in Origin only, and a proxy in
// front may have changed the Host that it is compared with.
func TestEveryFormWorksBehindAProxyThatChangesHost(t *testing.T) {
	w := newWorld(t)
	e, c, proxy := w.furnish(w.Account, true), w.stranger(), w.throughProxy()
	send := func(path, from string) answer {
		req, err := http.NewRequestWithContext(t.Context(), "POST", proxy+path, strings.NewReader("email=ada%40example.com"))
		w.Must(err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", from)
		return c.send(req)
	}
	for _, r := range w.face.routes() {
		if r.method != "POST" {
			continue
		}
		path := e.address(t, r.pattern)
		if a := send(path, w.server.URL); a.StatusCode == http.StatusForbidden || a.StatusCode >= 500 {
			t.Errorf("%s: %s", r.pattern, a.Status)
		}
		for _, foreign := range []string{"https://evil.example", "null", proxy, w.server.URL + ".evil.example", strings.Replace(w.server.URL, "http:", "https:", 1)} {
			if a := send(path, foreign); a.StatusCode != http.StatusForbidden {
				t.Errorf("%s from %s: %s", r.pattern, foreign, a.Status)
			}
		}
	}
	send("/anmelden", "http://another.example").want(t, http.StatusForbidden, "TYPUS_BASE_URL", "die Ihr Browser anzeigt")
	said := `its origin \"http://another.example\" is neither the host it was sent to`
	waittest.Until(w, "the log names the setting", func() bool {
		_, line, found := strings.Cut(w.logs.String(), said)
		return found && strings.Contains(line, "TYPUS_BASE_URL ("+w.server.URL+")")
	})
}

func TestAFormThatComesTooLateFindsBackBehindAProxy(t *testing.T) {
	w := newWorld(t)
	req, err := http.NewRequestWithContext(t.Context(), "POST", w.throughProxy()+teamPath+"/einladen", nil)
	w.Must(err)
	req.Header.Set("Origin", w.server.URL)
	req.Header.Set("Referer", w.server.URL+teamPath+"/einladen")
	want := tooLate(withBack("/anmelden", teamPath+"/einladen"), "")
	if a := w.stranger().send(req); a.Header.Get("Location") != want {
		t.Errorf("it leads to %q, want %q", a.Header.Get("Location"), want)
	}
}

// What an answer is says which policy it needs. A page runs our scripts only, a
// letter shown as a page runs none, and data are no page at all.
func policyOf(contentType, path string) string {
	switch {
	case strings.HasPrefix(path, "/dashboard/logo/"):
		return web.DataPolicy + "; sandbox"
	case strings.HasSuffix(path, "/vorschau"), path == "/dashboard/einladen/brief":
		return letterPolicy
	case strings.HasPrefix(contentType, "text/html"), strings.HasPrefix(contentType, "text/css"), contentType == "":
		return web.PagePolicy
	}
	return web.DataPolicy
}

// Pages, files, data, redirects and refusals of every kind: none is kept in a
// cache or an index, none can be framed or read as something else.
func TestEveryAnswerCarriesItsHeaders(t *testing.T) {
	w, _ := watched(t)
	e := w.furnish(w.Account, true)
	kinds := map[string]int{}
	check := func(what string, a answer) {
		t.Helper()
		kind, path := a.Header.Get("Content-Type"), a.Request.URL.Path
		kinds[fmt.Sprint(a.StatusCode, " ", strings.Split(kind, ";")[0])]++
		want := map[string]string{
			"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"Permissions-Policy":      "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
			"Content-Security-Policy": policyOf(kind, path),
		}
		switch {
		case a.StatusCode != http.StatusOK:
			want["Content-Security-Policy"] = web.PagePolicy
		case strings.HasPrefix(path, "/dashboard/logo/"), strings.HasPrefix(path, "/dashboard/farbe/"):
			want["Cache-Control"] = "private, max-age=31536000, immutable" // its address names what it holds
		}
		for name, value := range want {
			if got := a.Header.Values(name); len(got) != 1 || got[0] != value {
				t.Errorf("%s of %s %s (%s, %s): %s is %q, want %q", what, a.Request.Method, path, a.Status, kind, name, got, value)
			}
		}
		file := strings.HasPrefix(kind, "text/csv") || kind == "application/pdf" || kind == "application/zip"
		if disposition := a.Header.Get("Content-Disposition"); file != strings.HasPrefix(disposition, "attachment; ") {
			t.Errorf("%s of %s (%s): Content-Disposition is %q", what, path, kind, disposition)
		}
	}
	mine := w.as(owner)
	for _, r := range w.face.routes() {
		path := e.address(t, r.pattern)
		check("the answer to a stranger", w.stranger().do(r.method, path, url.Values{}))
		check("the refusal of a role", w.as(viewer).do(r.method, example(r.pattern), url.Values{}))
		check("what is not there", mine.do(r.method, example(r.pattern), url.Values{}))
		check("another method", mine.do("DELETE", path, nil))
		if strings.HasPrefix(r.pattern, "/dashboard/") && r.method == "GET" {
			check("HEAD", mine.do("HEAD", path, nil))
		}
		if strings.HasSuffix(path, "/loeschen") || strings.HasSuffix(path, "/entfernen") {
			continue // the others need what it removes
		}
		check("the answer", mine.do(r.method, path, form()))
		if r.method == "POST" {
			req, err := http.NewRequestWithContext(t.Context(), "POST", w.server.URL+path, nil)
			w.Must(err)
			req.Header.Set("Sec-Fetch-Site", "cross-site")
			check("the refusal of another site", mine.send(req))
			req, err = http.NewRequestWithContext(t.Context(), "POST", w.server.URL+path, strings.NewReader(strings.Repeat("x", 64)+"=%zz"))
			w.Must(err)
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			check("a broken form", mine.send(req))
		}
		if !mine.in() {
			mine = w.as(owner)
		}
	}
	for _, kind := range []string{
		"200 text/html", "200 text/csv", "200 application/json", "200 text/css", "200 image/png", "303 ", "303 text/html", "400 text/html", "403 text/html", "404 text/html", "405 text/html", "422 text/html",
	} {
		if kinds[kind] == 0 {
			t.Errorf("no answer was %s: %v", kind, kinds)
		}
	}
}

// patterns are the addresses of the column, each with its methods.
func (f *face) patterns() map[string][]string {
	all := map[string][]string{}
	for _, r := range f.routes() {
		all[r.pattern] = append(all[r.pattern], r.method)
	}
	return all
}

// Whatever stands in a parameter or in an address, no answer is a fault of ours:
// PostgreSQL takes neither NUL nor broken UTF-8, and no number is as large as people can type.
// All parameters of a route are sent at once, and there one in four alone, since the first
// that it refuses hides the others; which, says isPlayed.
func TestNoParameterIsAFaultOfOurs(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.face.SignUp = true
		w.person("ada@example.com", owner)
		c, e := w.loggedIn("ada@example.com"), w.furnish(w.Account, true)
		routes := w.face.routes()
		send := func(r route, path string, params url.Values) {
			body := url.Values{}
			if r.method == "POST" {
				body = form()
				for name, values := range params {
					body[name] = values
				}
			}
			a := c.do(r.method, path+"?"+params.Encode(), body)
			if a.StatusCode >= 500 {
				t.Errorf("%s %s with %q: %s", r.method, path, params, a.Status)
			}
			switch {
			case a.StatusCode == http.StatusTooManyRequests:
				w.Later(2 * time.Hour)
			case strings.HasPrefix(a.Header.Get("Location"), "/anmelden") || r.least == anyone && r.method == "POST" && a.StatusCode == http.StatusSeeOther:
				c = w.loggedIn("ada@example.com")
			case r.method == "POST" && (strings.HasSuffix(r.pattern, "/loeschen") || strings.HasSuffix(r.pattern, "/entfernen")) && a.StatusCode == http.StatusSeeOther:
				w.Later(time.Minute) // test events are few a minute, and webhooks few
				hooks, err := w.Store.Endpoints(w.Ctx, w.Account)
				w.Must(err)
				for _, hook := range hooks {
					w.Must(w.Accounts.DeleteEndpoint(w.Ctx, w.Account, hook.ID, by))
				}
				e = w.furnish(w.Account, true)
			}
		}
		for i, names := range paramsOf(t, routes) {
			r := routes[i]
			for _, evil := range []string{"\x00", "\xff", `'"; drop table candidates; --`, "99999999999999999999"} {
				all := url.Values{}
				for _, name := range names {
					all.Set(name, evil)
					if len(evil) == 1 && w.Store.Dialect() == "postgres" && isPlayed(fmt.Sprintf("%s %s %s %q", r.method, r.pattern, name, evil), 4) {
						send(r, e.address(t, r.pattern), url.Values{name: {evil}})
					}
				}
				send(r, e.address(t, r.pattern), all)
				for n, part := range strings.Split(r.pattern, "/") {
					if strings.HasPrefix(part, "{") {
						path := strings.Split(e.address(t, r.pattern), "/")
						path[n] = url.PathEscape(evil)
						send(r, strings.Join(path, "/"), url.Values{})
					}
				}
			}
		}
		if got := w.invitedCount(); got == 0 {
			t.Error("nobody is left")
		}
	})
}
