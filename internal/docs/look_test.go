package docs

import (
	"os"
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
	server := gallery(t)
	looks := []browsertest.Look{{Width: 320, Height: 640}, {Width: 1280, Dark: true}}
	shots := os.Getenv("TYPUS_SHOTS")
	if shots != "" {
		looks = append(looks, browsertest.Look{Width: 320, Height: 640, Dark: true}, browsertest.Look{Width: 1280})
	}
	for _, look := range looks {
		for _, lang := range page.Languages() {
			t.Run(lang+"-"+look.String(), func(t *testing.T) {
				tab := browser.Tab(t, look)
				for _, name := range order() {
					tab.Open(server + pathOf(name) + "?lang=" + lang)
					if name == "explorer" {
						startExplorer(tab, look)
					}
					if wider := tab.Overflow(); wider > 0 {
						t.Errorf("%s is %d px wider than the screen", name, wider)
					}
					if shots != "" {
						tab.Screenshot(filepath.Join(shots, name+"-"+lang+"-"+look.String()+".png"))
					}
					quiet(t, tab, server)
					accessible(t, tab, name)
				}
			})
		}
	}
}

func TestCodeIsCopiedByAButton(t *testing.T) {
	tab := browsertest.New(t).Tab(t, browsertest.Look{})
	tab.Open(gallery(t) + "/docs/start?lang=en")
	tab.WaitFor("!document.querySelector('.copy').hidden")
	// A browser without a window has no clipboard to read; what is written to it is enough.
	browsertest.Eval[bool](tab, "navigator.clipboard.writeText = async (text) => { window.copied = text }, true")
	tab.Click(".copy")
	tab.WaitFor("document.querySelector('.copy').textContent == 'Copied'")
	if got := browsertest.Eval[string](tab, "window.copied"); !strings.HasPrefix(got, "mkdir -p ~/typus-demo\n") {
		t.Errorf("copied %q", got)
	}
}

func TestWithoutAScriptEverythingIsThereButTheButtons(t *testing.T) {
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 320, Height: 640, NoScript: true})
	server := gallery(t)
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
