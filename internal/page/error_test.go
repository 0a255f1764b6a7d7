package page

import (
	"net/http/httptest"
	"strings"
	"testing"

	"typus"
	"typus/internal/page/pagetest"
)

func TestEveryErrorHasAPageInBothLanguages(t *testing.T) {
	site := newSite(t)
	for _, status := range []int{400, 403, 404, 405, 409, 410, 413, 415, 422, 429, 500, 502, 503} {
		for _, lang := range Languages() {
			for _, method := range []string{"GET", "POST"} {
				w := httptest.NewRecorder()
				site.Error(w, httptest.NewRequest(method, "/x?lang="+lang, nil), nil, status, "req-1")
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

func TestWhoseInputMayBeStoredOrNotIsToldToLookFirst(t *testing.T) {
	site := newSite(t)
	for lang, want := range map[string]string{"de": "sehen Sie zuerst nach", "en": "look first"} {
		w := httptest.NewRecorder()
		site.Error(w, httptest.NewRequest("POST", "/x?lang="+lang, nil), typus.Errorf(typus.OutcomeUnknown, "x"), 503, "req-1")
		pagetest.Check(t, w.Body.Bytes(), lang)
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %s", lang, w.Body)
		}
	}
}
