//go:build dev

package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAChangedFileMakesThePagesAgain(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	file := filepath.Join(root, "internal", "page", "page.css")
	write := func(text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	built := 0
	h, err := live(func() (http.Handler, error) {
		built++
		if text, _ := os.ReadFile(file); string(text) == "broken {" {
			return nil, errors.New("page.css: <broken>")
		}
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<body>build %d</body>", built)
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) string {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Sec-Fetch-Dest", "document")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	for _, now := range []struct{ text, want string }{{"a", "<body>build 2"}, {"broken {", "<pre>page.css: &lt;broken>"}, {"mended", "<body>build 4"}} {
		stamp := get(devStamp)
		write(now.text)
		page := get("/dashboard")
		if page != get("/dashboard") || !strings.HasPrefix(strings.TrimPrefix(page, "<!doctype html><title>!</title>"), now.want) || !strings.Contains(page, tag) {
			t.Errorf("with %q the page is %q", now.text, page)
		}
		if get(devStamp) == stamp {
			t.Errorf("%q is not seen by the page that is open", now.text)
		}
	}
}
