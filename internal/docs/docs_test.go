package docs

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"typus/internal/page"
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

// all are the pages and samples of a face.
func all(t *testing.T, f *face) written {
	t.Helper()
	made, err := f.written()
	if err != nil {
		t.Fatal(err)
	}
	return made
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
