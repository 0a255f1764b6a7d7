package testpage

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
	mux := http.NewServeMux()
	mux.Handle("GET /static/", f.site.Static())
	mux.HandleFunc("GET /page/{lang}/{name}", func(w http.ResponseWriter, r *http.Request) {
		lang := r.PathValue("lang")
		if err := f.pages.Render(w, http.StatusOK, lang, everyPage(f, lang, p)[r.PathValue("name")]); err != nil {
			t.Error(err)
		}
	})
	s := httptest.NewServer(web.SecurityHeaders(false, mux))
	t.Cleanup(s.Close)
	return s.URL, slices.Sorted(maps.Keys(everyPage(f, "de", p)))
}

// TestEveryPageFitsTheScreen opens each page in both languages on a small phone
// and on a desk. With TYPUS_SHOTS set to a directory it does so in both themes and
// leaves a picture of each page there.
func TestEveryPageFitsTheScreen(t *testing.T) {
	browser := browsertest.New(t)
	looks := []browsertest.Look{{Width: 320, Height: 640}, {Width: 1280, Dark: true}}
	server, names := gallery(t, persona{"Kim Beispiel", "Muster Software GmbH", "personal@example.com"})
	shots := os.Getenv("TYPUS_SHOTS")
	if shots != "" {
		looks = append(looks, browsertest.Look{Width: 320, Height: 640, Dark: true}, browsertest.Look{Width: 1280})
	}
	for _, look := range looks {
		for _, lang := range page.Languages() {
			t.Run(lang+"-"+look.String(), func(t *testing.T) {
				tab := browser.Tab(t, look)
				for _, name := range names {
					tab.Open(server + "/page/" + lang + "/" + name)
					if wider := tab.Overflow(); wider > 0 {
						t.Errorf("%s is %d px wider than the screen", name, wider)
					}
					if shots != "" {
						tab.Screenshot(filepath.Join(shots, name+"-"+lang+"-"+look.String()+".png"))
					}
				}
				quiet(t, tab, server)
			})
		}
	}
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
	browser := browsertest.New(t)
	for _, p := range hostile[:3] { // markup, right to left, endless
		server, names := gallery(t, p)
		tab := browser.Tab(t, browsertest.Look{Width: 320, Height: 640})
		for _, name := range names {
			tab.Open(server + "/page/de/" + name)
			if wider := tab.Overflow(); wider > 0 {
				t.Errorf("%.20q: %s is %d px wider than the screen", p.name, name, wider)
			}
		}
		quiet(t, tab, server)
	}
}

func TestEveryPageIsAccessible(t *testing.T) {
	browser := browsertest.New(t)
	server, names := gallery(t, persona{"Kim Beispiel", "Muster Software GmbH", "personal@example.com"})
	for _, look := range []browsertest.Look{{Width: 390, Height: 844}, {Width: 1280, Dark: true}} {
		for _, lang := range page.Languages() {
			t.Run(lang+"-"+look.String(), func(t *testing.T) {
				tab := browser.Tab(t, look)
				for _, name := range names {
					tab.Open(server + "/page/" + lang + "/" + name)
					for _, violation := range tab.Axe() {
						t.Errorf("%s: %s", name, violation)
					}
				}
			})
		}
	}
}
