package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"typus/internal/page"
	"typus/internal/page/browsertest"
)

// TestEveryPageFitsTheScreenAndIsAccessible opens each page in both languages on a
// small phone and on a desk. With TYPUS_SHOTS set to a directory it does so in
// both themes and leaves a picture of each page there.
func TestEveryPageFitsTheScreenAndIsAccessible(t *testing.T) {
	browser := browsertest.New(t)
	server := newServer(t).base
	looks := []browsertest.Look{{Width: 320, Height: 640}, {Width: 1280, Dark: true}}
	shots := os.Getenv("TYPUS_SHOTS")
	if shots != "" {
		looks = append(looks, browsertest.Look{Width: 320, Height: 640, Dark: true}, browsertest.Look{Width: 1280})
	}
	for _, look := range looks {
		for _, lang := range page.Languages() {
			t.Run(lang+"-"+look.String(), func(t *testing.T) {
				tab := browser.Tab(t, look)
				for _, at := range paths(t, tab, server) {
					tab.Open(server + at + "?lang=" + lang)
					if at == "/docs/explorer" {
						startExplorer(tab, look)
					}
					if wider := tab.Overflow(); wider > 0 {
						t.Errorf("%s is %d px wider than the screen", at, wider)
					}
					for _, picture := range tab.Inkless() {
						t.Errorf("%s: nobody sees %s", at, picture)
					}
					if shots != "" {
						tab.Screenshot(filepath.Join(shots, path.Base(at)+"-"+lang+"-"+look.String()+".png"))
					}
					quiet(t, tab, server)
					accessible(t, tab, at)
				}
			})
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
