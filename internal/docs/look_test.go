package docs_test

import (
	"path"
	"strings"
	"testing"

	"typus/internal/page/browsertest"
)

// TestEveryPageFitsTheScreenAndIsAccessible sees each page in both languages, both
// themes, on a small phone and on a desk, in two ways that browsertest.Matrix chooses.
func TestEveryPageFitsTheScreenAndIsAccessible(t *testing.T) {
	browser, matrix := browsertest.New(t), browsertest.NewMatrix(t)
	server := newServer(t).base
	tab := browser.Tab(t, browsertest.Look{})
	for _, at := range paths(t, tab, server) {
		address := func(lang string) string { return server + at + "?lang=" + lang }
		matrix.See(tab, path.Base(at), matrix.Two(at), address, func(name string) {
			if at == "/docs/explorer" && browsertest.Eval[bool](tab, "document.querySelector('.opblock-summary-control') == null") {
				startExplorer(tab, tab.Look())
			}
			if wider := tab.Overflow(); wider > 0 {
				t.Errorf("%s is %d px wider than the screen", name, wider)
			}
			for _, picture := range tab.Inkless() {
				t.Errorf("%s: nobody sees %s", name, picture)
			}
			quiet(t, tab, server)
			accessible(t, tab, name)
		})
	}
}

// A table is read downwards on a phone: none has to be moved sideways, and with it each line.
func TestNoTableIsWiderThanAPhone(t *testing.T) {
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 320, Height: 640})
	server := newServer(t).base
	for _, at := range paths(t, tab, server) {
		for _, lang := range []string{"de", "en"} {
			tab.Open(server + at + "?lang=" + lang)
			wide := browsertest.Eval[[]string](tab, `[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth)
				.map((e) => (e.scrollWidth - e.clientWidth) + ' px: ' + e.textContent.trim().slice(0, 60))`)
			for _, table := range wide {
				t.Errorf("%s in %s: a table is wider by %s", at, lang, table)
			}
		}
	}
}

// paths are the pages as the navigation names them.
func paths(t *testing.T, tab *browsertest.Tab, server string) []string {
	t.Helper()
	tab.Open(server + "/docs")
	found := browsertest.Eval[[]string](tab, "[...document.querySelectorAll('.docs-pages > li > a')].map((a) => a.pathname)")
	if len(found) < 7 {
		t.Fatalf("only %q", found)
	}
	return found
}

func TestCodeIsCopiedByAButton(t *testing.T) {
	tab := browsertest.New(t).Tab(t, browsertest.Look{})
	tab.Open(newServer(t).base + "/docs/start?lang=en")
	tab.WaitFor("!document.querySelector('.copy').hidden")
	// A browser without a window has no clipboard to read; what is written to it is enough.
	// Without timers the button says so until that has been read.
	browsertest.Eval[bool](tab, "navigator.clipboard.writeText = async (text) => { window.copied = text }, window.setTimeout = () => 0, true")
	tab.Click(".copy")
	tab.WaitFor("document.querySelector('.copy').textContent == 'Copied'")
	if got := browsertest.Eval[string](tab, "window.copied"); !strings.HasPrefix(got, "mkdir -p ~/typus-demo\n") {
		t.Errorf("copied %q", got)
	}
}

func TestWithoutAScriptEverythingIsThereButTheButtons(t *testing.T) {
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 320, Height: 640, NoScript: true})
	server := newServer(t).base
	tab.Open(server + "/docs/webhooks?lang=de")
	if browsertest.Eval[bool](tab, "[...document.querySelectorAll('.copy')].some((b) => b.checkVisibility())") {
		t.Error("there are buttons that do nothing")
	}
	if !browsertest.Eval[bool](tab, "document.querySelector('details[name=verify] code').checkVisibility()") {
		t.Error("the first receiver is not to be seen")
	}
	tab.Click("details[name=verify]:last-of-type > summary")
	tab.WaitFor("document.querySelector('details[name=verify]:last-of-type code').checkVisibility()")
	tab.Open(server + "/docs/explorer?lang=de")
	if !browsertest.Eval[bool](tab, "document.querySelector('#explorer a[href=\"/docs/api\"]').checkVisibility()") {
		t.Error("the explorer does not say what it needs")
	}
	quiet(t, tab, server)
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
