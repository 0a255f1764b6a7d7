package page

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAStaticFileIsNamedByItsContentAndKeptForEver(t *testing.T) {
	site := newSite(t)
	for name := range site.static.urls {
		url, err := site.static.url(name)
		if err != nil || !regexp.MustCompile(`^/static/[a-z]+\.[0-9a-f]{12}\.[a-z]+$`).MatchString(url) {
			t.Errorf("%s has the address %q, %v", name, url, err)
		}
		w := httptest.NewRecorder()
		site.Static().ServeHTTP(w, httptest.NewRequest("GET", url, nil))
		if w.Code != 200 || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", url, w.Code, w.Header())
		}
	}
	if _, err := site.static.url("nothing.css"); err == nil {
		t.Error("a file that is not there has an address")
	}
}

func TestAStaticFileIsCompressedForThoseWhoAsk(t *testing.T) {
	site := newSite(t)
	url := site.static.urls["typus.css"]
	plain := httptest.NewRecorder()
	site.Static().ServeHTTP(plain, httptest.NewRequest("GET", url, nil))
	for accept, zipped := range map[string]bool{
		"": false, "br": false, "identity": false, "gzip;q=0": false, "gzip; q=0.0, br": false,
		"gzip": true, "deflate, GZIP;q=0.5": true, "br, gzip": true,
	} {
		r := httptest.NewRequest("GET", url, nil)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		site.Static().ServeHTTP(w, r)
		if got := w.Header().Get("Content-Encoding") == "gzip"; got != zipped {
			t.Errorf("%q: compressed %v", accept, got)
		}
		if w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: no Vary", accept)
		}
		if zipped && !bytes.Equal(unzip(t, w.Body), plain.Body.Bytes()) {
			t.Errorf("%q: another content", accept)
		}
	}
}

func unzip(t *testing.T, r io.Reader) []byte {
	t.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestNothingElseIsServed(t *testing.T) {
	site := newSite(t)
	for _, path := range []string{"/static/", "/static/typus.css", "/static/../site.go", "/favicon.svg", "/static/tokens.css"} {
		w := httptest.NewRecorder()
		site.Static().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	w := httptest.NewRecorder()
	site.Static().ServeHTTP(w, httptest.NewRequest("POST", site.static.urls["typus.css"], nil))
	if w.Code != 404 {
		t.Errorf("POST: %d", w.Code)
	}
	w = httptest.NewRecorder()
	site.Static().ServeHTTP(w, httptest.NewRequest("GET", "/favicon.ico", nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != "image/x-icon" {
		t.Errorf("favicon.ico: %d %v", w.Code, w.Header())
	}
}

func TestTheStyleSheetsAskNobodyForAnything(t *testing.T) {
	for _, f := range newSite(t).static.files {
		for _, needle := range []string{"url(", "@import", "data:", "http:", "https:"} {
			body := strings.ReplaceAll(string(f.body()), `xmlns="http://www.w3.org/2000/svg"`, "")
			if strings.HasPrefix(f.contentType, "text/") && strings.Contains(body, needle) {
				t.Errorf("a style sheet holds %q", needle)
			}
		}
	}
}

func TestAFaceBringsStaticFilesOfItsOwn(t *testing.T) {
	site := newSite(t)
	files := face(`<h1>x</h1>`, `{}`, `{}`)
	files["templates/one.html"].Data = append(files["templates/one.html"].Data, []byte(`{{define "head"}}{{static "one.js"}}{{end}}{{define "navigation"}}<nav></nav>{{end}}`)...)
	files["static/one.js"] = &fstest.MapFile{Data: []byte("one()")}
	set, err := site.Set(files)
	if err != nil {
		t.Fatal(err)
	}
	body, err := set.Page("de", oneView{})
	if err != nil || !strings.Contains(string(body), "<nav>") {
		t.Fatalf("%v %s", err, body)
	}
	url := regexp.MustCompile(`/static/one\.[0-9a-f]+\.js`).FindString(string(body))
	w := httptest.NewRecorder()
	site.Static().ServeHTTP(w, httptest.NewRequest("GET", url, nil))
	if w.Body.String() != "one()" || w.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("%s: %s %v", url, w.Body, w.Header())
	}
	if _, err := site.Set(files); err == nil {
		t.Error("a name that is taken passed")
	}
	if _, err := newSite(t).Set(fstest.MapFS{"static/x.exe": {}}); err == nil {
		t.Error("an extension that is not served passed")
	}
}

func TestAFileThatIsCarriedCompressedIsServedBothWays(t *testing.T) {
	body := []byte(strings.Repeat("one();\n", 100))
	zipped := zip(body)
	files := face(`<h1>x</h1>`, `{}`, `{}`)
	files["static/one.js.gz"] = &fstest.MapFile{Data: zipped}
	site := newSite(t)
	if _, err := site.Set(files); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		takes, coding string
		body          []byte
	}{{"gzip", "gzip", zipped}, {"", "", body}} {
		r := httptest.NewRequest("GET", site.static.urls["one.js"], nil)
		r.Header.Set("Accept-Encoding", want.takes)
		w := httptest.NewRecorder()
		site.Static().ServeHTTP(w, r)
		if h := w.Header(); !bytes.Equal(w.Body.Bytes(), want.body) || h.Get("Content-Encoding") != want.coding || h.Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("taking %q: %d bytes, %v", want.takes, w.Body.Len(), h)
		}
	}
}

func TestTheModulesOfADirectoryAreOneScript(t *testing.T) {
	files := face(`<h1>x</h1>`, `{}`, `{}`)
	files["static/one/main.js"] = &fstest.MapFile{Data: []byte("import { b } from \"./b.js\";\n\nb();\n")}
	files["static/one/b.js"] = &fstest.MapFile{Data: []byte("import { a } from \"./a.js\";\nexport function b() { a.export = 1; }\n")}
	files["static/one/a.js"] = &fstest.MapFile{Data: []byte("export const a = {};\n")}
	site := newSite(t)
	if _, err := site.Set(files); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	site.Static().ServeHTTP(w, httptest.NewRequest("GET", site.static.urls["one.js"], nil))
	if got, want := w.Body.String(), "const a = {};\nfunction b() { a.export = 1; }\n\nb();\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	files["static/one/c.js"] = &fstest.MapFile{Data: []byte("let a = 1;\n")}
	if _, err := newSite(t).Set(files); err == nil || !strings.Contains(err.Error(), "both declare a") {
		t.Errorf("a name declared twice: %v", err)
	}
	delete(files, "static/one/c.js")
	delete(files, "static/one/main.js")
	if _, err := newSite(t).Set(files); err == nil {
		t.Error("a script without main.js passed")
	}
}
