package testpage

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"typus/internal/page"
	"typus/internal/page/browsertest"
	"typus/internal/web"
)

// gallery serves every page in every form, at /page/{language}/{name}, as the server
// would: with the security headers and the static files.
func gallery(t *testing.T, p persona) (server string, names []string) {
	t.Helper()
	f := newTestFace(t)
	views := map[string]map[string]page.View{}
	for _, lang := range page.Languages() {
		views[lang] = everyPage(f, lang, p)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /static/", f.site.Static())
	mux.Handle("GET /t/worker.js", f.handler())
	mux.Handle("GET /t/offline", f.handler())
	mux.HandleFunc("GET /page/{lang}/{name}", func(w http.ResponseWriter, r *http.Request) {
		lang := r.PathValue("lang")
		view := views[lang][r.PathValue("name")]
		if _, is := view.(itemView); is {
			w.Header().Set("Content-Security-Policy", web.WorkerPolicy)
		}
		if err := f.pages.Render(w, http.StatusOK, lang, view); err != nil {
			t.Error(err)
		}
	})
	s := httptest.NewServer(web.SecurityHeaders(false, mux))
	t.Cleanup(s.Close)
	return s.URL, slices.Sorted(maps.Keys(views["de"]))
}

// TestEveryPageIsSoundInABrowser sees each page in both languages, both themes, on a
// small phone and on a desk, in two ways that browsertest.Matrix chooses: nothing is wider
// than the screen, nothing too small to hit, axe has no objection, and the browser neither
// complains nor asks anybody else. TYPUS_PAGES narrows it to pages whose name begins so.
func TestEveryPageIsSoundInABrowser(t *testing.T) {
	browser, matrix := browsertest.New(t), browsertest.NewMatrix(t)
	server, names := gallery(t, persona{"Kim Beispiel", "Muster Software GmbH", "owner@example.com"})
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, os.Getenv("TYPUS_PAGES")) })
	for some := range slices.Chunk(names, 8) {
		t.Run(some[0], func(t *testing.T) {
			t.Parallel()
			tab := browser.Tab(t, browsertest.Look{})
			for _, name := range some {
				address := func(lang string) string { return server + "/page/" + lang + "/" + name }
				matrix.See(tab, name, matrix.Two(name), address, func(at string) { sound(t, tab, server, at) })
			}
		})
	}
}

// small are the texts of what is too small to hit: 44 by 44 pixels at least,
// links within a sentence excepted (WCAG 2.2, 2.5.8 and 2.5.5).
const small = `[...document.querySelectorAll("a, button, label, summary")]
	.filter(e => e.checkVisibility() && !e.closest("p, li > span") && !e.matches(".skip-link"))
	.filter(e => { const b = e.getBoundingClientRect(); return b.width < 44 || b.height < 44 })
	.map(e => e.textContent.trim())`

func sound(t *testing.T, tab *browsertest.Tab, server, name string) {
	t.Helper()
	if wider := tab.Overflow(); wider > 0 {
		t.Errorf("%s is %d px wider than the screen", name, wider)
	}
	for _, picture := range tab.Inkless() {
		t.Errorf("%s: nobody sees %s", name, picture)
	}
	for _, target := range browsertest.Eval[[]string](tab, small) {
		t.Errorf("%s: %q is too small to hit", name, target)
	}
	quiet(t, tab, server)
	for _, violation := range tab.Axe() {
		t.Errorf("%s: %s", name, violation)
	}
	tab.Forget() // what the policy said to axe
}

// quiet fails if the browser complained of anything or asked anybody else.
func quiet(t *testing.T, tab *browsertest.Tab, server string) {
	t.Helper()
	for _, message := range tab.Messages() {
		t.Errorf("the browser complains: %s", message)
	}
	for _, address := range tab.Requests() {
		if !strings.HasPrefix(address, server+"/") {
			t.Errorf("a request went to %s", address)
		}
	}
}

func TestHostileNamesBreakNeitherLayoutNorPolicy(t *testing.T) {
	var p persona // right to left, markup, endless: each page is seen once with all of it
	for _, i := range []int{1, 0, 2} {
		p = persona{p.name + hostile[i].name, p.account + hostile[i].account, p.contact + hostile[i].contact}
	}
	server, names := gallery(t, p)
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 320, Height: 640})
	for _, name := range names {
		tab.Open(server + "/page/de/" + name)
		if wider := tab.Overflow(); wider > 0 {
			t.Errorf("%s is %d px wider than the screen", name, wider)
		}
	}
	quiet(t, tab, server)
}

// Whoever reads the first lines of a page while the rest is on its way goes on reading where
// they were, and hits what they aim at.
func TestNothingMovesWhileAPageArrives(t *testing.T) {
	browser := browsertest.New(t)
	server, names := gallery(t, persona{"Kim Beispiel", "Muster Software GmbH", "owner@example.com"})
	names = slices.DeleteFunc(names, func(name string) bool { // each page in its first form, each form of an item
		return strings.Contains(name, "-") && !strings.HasPrefix(name, "item") && !strings.HasPrefix(name, "practice")
	})
	for _, look := range []browsertest.Look{{Width: 320, Height: 640}, {Width: 390, Height: 844}, {Width: 1280, Height: 800}} {
		t.Run(look.String(), func(t *testing.T) {
			t.Parallel()
			tab := browser.Tab(t, look)
			for _, name := range names {
				for _, move := range tab.Moves(server + "/page/de/" + name) {
					t.Errorf("%s: %s", name, move)
				}
			}
		})
	}
}
