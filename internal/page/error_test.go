package page

import (
	"net/http/httptest"
	"strings"
	"testing"

	"typus/internal/page/pagetest"
)

func TestEveryErrorHasAPageInBothLanguages(t *testing.T) {
	site := newSite(t)
	for _, status := range []int{400, 403, 404, 405, 409, 410, 413, 415, 422, 429, 500, 502, 503} {
		for _, lang := range Languages() {
			for _, method := range []string{"GET", "POST"} {
				w := httptest.NewRecorder()
				site.Error(w, httptest.NewRequest(method, "/x?lang="+lang, nil), status, "req-1")
				if w.Code != status || w.Header().Get("Cache-Control") != "no-store" {
					t.Errorf("%d: answered %d %v", status, w.Code, w.Header())
				}
				pagetest.Check(t, w.Body.Bytes(), lang)
				if got := strings.Contains(w.Body.String(), `href="?lang=`); got != (method == "GET") {
					t.Errorf("%s %d: a switch by link is there: %v", method, status, got)
				}
				if got := strings.Contains(w.Body.String(), "req-1"); got != (status == 500 || status == 502) {
					t.Errorf("%d: the request id is shown: %v", status, got)
				}
			}
		}
	}
}
