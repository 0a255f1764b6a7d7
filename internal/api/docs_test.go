package api

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"typus/internal/page"
	"typus/internal/page/pagetest"
)

func TestThePageOfErrorsExplainsEveryCodeInBothLanguages(t *testing.T) {
	site, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := Docs(site)
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range page.Languages() {
		w := httptest.NewRecorder()
		docs.ServeHTTP(w, httptest.NewRequest("GET", "/docs/errors?lang="+lang, nil))
		body := w.Body.String()
		if w.Code != http.StatusOK {
			t.Fatalf("got %d", w.Code)
		}
		pagetest.Check(t, []byte(body), lang)
		doc, err := html.Parse(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		sections := map[string]string{}
		for _, s := range pagetest.All(doc, "section") {
			id, _ := pagetest.Attr(s, "id")
			sections[id] = pagetest.Text(s)
		}
		for status := 400; status < 600; status++ {
			if code, _ := code(status); !strings.Contains(sections[code], code) {
				t.Errorf("%s: the code of status %d, %s, is not explained", lang, status, code)
			}
		}
	}
}

func TestTheCodesOfThePageAreTheCodesOfTheAnswers(t *testing.T) {
	for _, e := range explained() {
		if code, _ := code(e.Status); code != e.Code {
			t.Errorf("the page says %d %s, answers say %s", e.Status, e.Code, code)
		}
	}
}

func TestAnUnknownPageOfTheDocsIsTheSharedErrorPage(t *testing.T) {
	site, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := Docs(site)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	docs.ServeHTTP(w, httptest.NewRequest("GET", "/docs/nothing", nil))
	if w.Code != http.StatusNotFound || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		t.Errorf("got %d %s", w.Code, w.Header().Get("Content-Type"))
	}
}

func TestTheTextsOfThePageAreComplete(t *testing.T) {
	pagetest.CheckTexts(t, os.DirFS("."), os.DirFS("../page"))
}
