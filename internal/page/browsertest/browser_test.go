package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestTheBrowserSeesWhatIsWrong shows it a page with one fault of each kind.
func TestTheBrowserSeesWhatIsWrong(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "style-src 'self'")
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>x</title><img src="http://127.0.0.2:1/a.png"><p style="width:3000px">wide</p>
			<svg width="3000" height="1"></svg><svg class="bare" width="50" height="50"></svg>
			<svg class="pale" width="50" height="50"><rect width="50" height="50" fill="#ffffff"></rect></svg>
			<svg class="outside" width="50" height="50"><path fill="none" d="M0 0h9v9z"></path></svg>
			<svg class="good" width="50" height="50"><rect width="50" height="50"></rect></svg><script>throw new Error("thrown")</script>`)
	}))
	defer server.Close()
	tab := New(t).Tab(t, Look{Width: 320})
	tab.Open(server.URL)
	if got := tab.Overflow(); got < 2000 {
		t.Errorf("the page is %d px too wide", got)
	}
	for _, want := range []string{"Content Security Policy", "exception"} {
		if !slices.ContainsFunc(tab.Messages(), func(m string) bool { return strings.Contains(m, want) }) {
			t.Errorf("no message of %s: %q", want, tab.Messages())
		}
	}
	if !slices.Contains(tab.Requests(), "http://127.0.0.2:1/a.png") {
		t.Errorf("the request to elsewhere is not among %q", tab.Requests())
	}
	unseen := strings.Join(tab.Inkless(), "\n")
	for _, want := range []string{"img.", "svg. ", "svg.bare", "svg.pale", "svg.outside"} {
		if !strings.Contains(unseen, want) {
			t.Errorf("%s is seen:\n%s", want, unseen)
		}
	}
	if strings.Contains(unseen, "svg.good in") {
		t.Errorf("a good picture is not seen:\n%s", unseen)
	}
	violations := strings.Join(tab.Axe(), "\n")
	for _, want := range []string{"image-alt", "html-has-lang"} {
		if !strings.Contains(violations, want) {
			t.Errorf("axe does not object to %s:\n%s", want, violations)
		}
	}
}

// TestAPageIsOpenOnceItsFocusIsWhereItWants opens a page again and again: the browser
// serves autofocus with the first picture, some time after the page is loaded.
func TestAPageIsOpenOnceItsFocusIsWhereItWants(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>x</title><a href="/">again</a><p tabindex="-1" autofocus>told</p>`)
	}))
	defer server.Close()
	for _, look := range []Look{{}, {NoScript: true}} {
		tab := New(t).Tab(t, look)
		for n := range 30 {
			if n%2 == 0 {
				tab.Open(server.URL)
			} else {
				tab.Follow("a")
			}
			if at := Eval[string](tab, "document.activeElement.textContent"); at != "told" {
				t.Errorf("visit %d, without scripts %t: the focus is on %q", n, look.NoScript, at)
			}
		}
		if messages := tab.Messages(); len(messages) > 0 {
			t.Errorf("the browser complains of %q", messages)
		}
	}
}

// TestAxeFindsTheSameQuickly runs it as it is published and as these tests load it, on a page
// with something for it to object to, to doubt and to pass, and colours in many notations.
func TestAxeFindsTheSameQuickly(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>x</title><main style="background: color-mix(in srgb, navy 20%, white)"><h1>x</h1>
			<p style="color: #bbb">pale <b style="color: hsl(0.1turn 50% 40%)">b</b><i style="color: oklch(0.7 0.1 200); opacity: 0.7">i</i></p>
			<div style="background: rgb(0 0 0 / 0.4); opacity: 0.9"><p style="color: #eee">on <a href="#x">grey</a></p><button></button><img src="x.png"></div>
			<div style="background: linear-gradient(red, blue)"><p>on both</p></div><p style="color: transparent">none</p>
			<div style="mix-blend-mode: multiply; background: #ffd"><p style="color: #777; position: relative; z-index: 1">mixed</p></div>`)
	}))
	defer server.Close()
	const found = `axe.run(document).then(r => JSON.stringify([r.violations, r.incomplete, r.passes, r.inapplicable]))`
	browser := New(t)
	asPublished, asLoaded := browser.Tab(t, Look{}), browser.Tab(t, Look{})
	asPublished.before("load axe-core", axe(t), true)
	asLoaded.before("load axe-core", quick(axe(t)), true)
	for range 2 {
		asPublished.Open(server.URL)
		asLoaded.Open(server.URL)
		published, loaded := Eval[string](asPublished, found), Eval[string](asLoaded, found)
		if published != loaded || !strings.Contains(loaded, "insufficient color contrast") {
			t.Errorf("axe as published finds\n%s\nand as loaded\n%s", published, loaded)
		}
	}
}
