package testpage

import (
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/page/pagetest"
	"typus/internal/web"
)

// addresses are all routes with a token and numbers filled in.
func (w *world) addresses(token string) []web.Route {
	var filled []web.Route
	for _, route := range w.face.routes().List() {
		route.Pattern = strings.NewReplacer("{token}", token, "{n}", "1").Replace(route.Pattern)
		filled = append(filled, route)
	}
	return filled
}

// answer is what is left of a response once it is read.
type answer struct {
	status int
	header http.Header
	size   int
}

// ask makes one request and follows nothing.
func (w *world) ask(method, path string, header map[string]string) answer {
	w.Helper()
	req, err := http.NewRequest(method, w.server.URL+path, nil)
	w.Must(err)
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	w.Must(err)
	defer res.Body.Close()
	size, err := io.Copy(io.Discard, res.Body)
	w.Must(err)
	return answer{res.StatusCode, res.Header, int(size)}
}

func TestEveryAnswerCarriesItsHeaders(t *testing.T) {
	w := newWorld(t)
	want := map[string]string{
		"Cache-Control":          "no-store",
		"X-Robots-Tag":           "noindex, nofollow",
		"Referrer-Policy":        "same-origin",
		"X-Content-Type-Options": "nosniff",
	}
	items := 0
	check := func(method, path string, header map[string]string) {
		res := w.ask(method, path, header)
		kind, policy, cache := "text/html; charset=utf-8", web.PagePolicy, want["Cache-Control"]
		switch {
		case strings.HasSuffix(path, "/antworten") && method == "POST" && header == nil:
			kind, policy = "application/json", web.DataPolicy
		case strings.HasSuffix(path, "/frage/1") && (res.status == http.StatusOK || res.status == http.StatusUnprocessableEntity):
			policy = web.WorkerPolicy // the only page that registers the worker
			items++
		case path == "/t/worker.js" && method == "GET":
			kind, policy, cache = "text/javascript; charset=utf-8", web.DataPolicy+"; connect-src 'self'", "no-cache"
		}
		for name, value := range want {
			if name == "Cache-Control" {
				value = cache
			}
			if got := res.header.Get(name); got != value {
				t.Errorf("%s %s (%d): %s is %q", method, path, res.status, name, got)
			}
		}
		if got := res.header.Get("Content-Type"); res.status != http.StatusSeeOther && got != kind {
			t.Errorf("%s %s (%d): Content-Type is %q", method, path, res.status, got)
		}
		if got := res.header.Get("Content-Security-Policy"); got != policy {
			t.Errorf("%s %s (%d): the policy is %q", method, path, res.status, got)
		}
	}
	for _, token := range []string{w.invite("de").Token, w.begun("en").Token, "unknown"} {
		for _, route := range w.addresses(token) {
			check(route.Method, route.Pattern, nil)
			check("DELETE", route.Pattern, nil)
			check("POST", route.Pattern, map[string]string{"Sec-Fetch-Site": "cross-site"})
		}
		check("GET", "/t/"+token+"/nowhere", nil)
	}
	if items != 2 {
		t.Errorf("%d pages of items were seen", items)
	}
}

// TestTheFirstLookIsLight adds up what a browser fetches for the longest page:
// the page, one style sheet, one script, one icon.
func TestTheFirstLookIsLight(t *testing.T) {
	w := newWorld(t)
	r := w.reader("de")
	r.open("/t/" + w.invite("de").Token)
	size := len(r.body)
	files := []string{}
	for _, link := range pagetest.All(r.doc, "link") {
		href, _ := pagetest.Attr(link, "href")
		files = append(files, href)
	}
	for _, script := range pagetest.All(r.doc, "script") {
		src, _ := pagetest.Attr(script, "src")
		files = append(files, src)
	}
	for _, file := range files {
		size += w.ask("GET", file, map[string]string{"Accept-Encoding": "gzip"}).size
	}
	if t.Logf("%d files beside the page, %d bytes in all", len(files), size); len(files) != 3 || size > 40<<10 {
		t.Error("that is too much")
	}
}

// TestLookingChangesNothing is about mail scanners, link previews and prefetch:
// they open links with GET and HEAD, and follow what they find.
func TestLookingChangesNothing(t *testing.T) {
	w := newWorld(t)
	for name, out := range map[string]string{"open": w.invite("de").Token, "begun": w.begun("de").Token} {
		before := w.test(out)
		w.Later(time.Second)
		for _, route := range w.addresses(out) {
			for _, method := range []string{"GET", "HEAD"} {
				for _, header := range []map[string]string{nil, {"Sec-Purpose": "prefetch"}, {"User-Agent": "scanner"}, {"X-HTTP-Method-Override": "POST"}} {
					res := w.ask(method, route.Pattern+"?hinweise=x&antwort=3&aktion=weiter&sprache=en&_method=POST", header)
					if res.status >= 500 {
						t.Errorf("%s %s: %d", method, route.Pattern, res.status)
					}
				}
			}
		}
		if after := w.test(out); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: %+v became %+v", name, before, after)
		}
	}
}

func TestWhatAnotherSiteSendsIsRefused(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	before := w.test(out.Token)
	tests := []struct {
		name    string
		header  map[string]string
		refused bool
	}{
		{"another site", map[string]string{"Sec-Fetch-Site": "cross-site"}, true},
		{"a neighbour", map[string]string{"Sec-Fetch-Site": "same-site"}, true},
		{"another origin", map[string]string{"Origin": "https://evil.example"}, true},
		{"no origin", map[string]string{"Origin": "null"}, true},
		{"another port of ours", map[string]string{"Origin": "http://127.0.0.1:1"}, true},
		{"our address, behind a proxy that changes Host", map[string]string{"Origin": "http://127.0.0.1"}, false},
		{"the page itself", map[string]string{"Sec-Fetch-Site": "same-origin"}, false},
		{"the address bar", map[string]string{"Sec-Fetch-Site": "none"}, false},
		{"no browser", nil, false},
	}
	for _, route := range w.addresses(out.Token) {
		if route.Method != "POST" {
			continue
		}
		for _, tc := range tests {
			res := w.ask("POST", route.Pattern, tc.header)
			if got := res.status == http.StatusForbidden; got != tc.refused {
				t.Errorf("%s to %s: %d", tc.name, route.Pattern, res.status)
			}
			if !tc.refused {
				continue
			}
			if after := w.test(out.Token); !reflect.DeepEqual(before, after) {
				t.Fatalf("%s to %s changed the test", tc.name, route.Pattern)
			}
		}
		w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{}, "")) // those that are allowed may have declined
		before = w.test(out.Token)
	}
}

func TestTheLogKnowsNeitherLinkNorPerson(t *testing.T) {
	w := newWorld(t)
	out, r := w.invite("de"), w.reader("de")
	r.open("/t/" + out.Token)
	r.press("Test starten", "hinweise", r.tick())
	r.press("Weiter", "antwort", "1")
	r.press("Weiter", "antwort", "2")
	r.open("/t/" + out.Token + "/frage/x?lang=de")
	logged := w.log.String()
	if !strings.Contains(logged, "/t/{token}/frage/{n}") {
		t.Fatalf("nothing is logged:\n%s", logged)
	}
	for _, secret := range []string{out.Token, out.Token[:12], "Kim", "kim@example.com", "/frage/2", "lang=de"} {
		if strings.Contains(logged, secret) {
			t.Errorf("the log holds %q:\n%s", secret, logged)
		}
	}
}

func TestATooLargeFormIsNotRead(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	body := "antwort=3&x=" + strings.Repeat("x", maxForm)
	req := httptest.NewRequest("POST", "/t/"+out.Token+"/frage/1", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res := httptest.NewRecorder()
	w.face.handler().ServeHTTP(res, req)
	if got := w.test(out.Token).Position; got != 0 || res.Code != http.StatusUnprocessableEntity {
		t.Errorf("answered %d, position %d", res.Code, got)
	}
}

func TestABrokenDatabaseIsAPageThatSaysNothing(t *testing.T) {
	w := newWorld(t)
	out := w.begun("en")
	w.close()
	r := w.reader("de")
	r.open("/t/" + out.Token)
	if r.status < 500 || !strings.HasPrefix(r.title(), r.heading()) {
		t.Errorf("answered %d %q", r.status, r.title())
	}
	if words := pagetest.Leaks(string(r.body), r.header.Get("X-Request-Id")); len(words) > 0 || strings.Contains(string(r.body), out.Token) {
		t.Errorf("the page holds %q or the link:\n%s", words, r.body)
	}
}

// post turns a request into that of a form of the page.
func post(req *http.Request, form string) *http.Request {
	req.Body = io.NopCloser(strings.NewReader(form))
	req.ContentLength = int64(len(form))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return req
}
