package docs

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"typus/internal/api"
	"typus/internal/page"
	"typus/internal/web"
)

const base = "https://typus.example.com"

// newDocs makes the pages for an address and a header prefix.
func newDocs(t *testing.T, baseURL, prefix string) (*face, *page.Site) {
	t.Helper()
	site, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFace(Options{Site: site, BaseURL: baseURL, HeaderPrefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	return f, site
}

// gallery serves the documentation as the server would: with the security
// headers, the static files, and the description of the API.
func gallery(t *testing.T) string {
	t.Helper()
	f, site := newDocs(t, base, "X-Service")
	mux := http.NewServeMux()
	mux.Handle("/docs", f.routes())
	mux.Handle("/docs/", f.routes())
	mux.Handle("/static/", site.Static())
	mux.Handle("/api/", api.New(api.Options{BaseURL: base, Limiter: api.NewMemoryLimiter(time.Now)}))
	s := httptest.NewServer(web.SecurityHeaders(false, mux))
	t.Cleanup(s.Close)
	return s.URL
}

// get answers a page of the documentation.
func get(t *testing.T, f *face, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	f.routes().ServeHTTP(w, r)
	return w.Result()
}
