package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"typus/internal/page"
	"typus/internal/page/browsertest"
)

// looks are a small phone and a desk, in both themes.
func looks() []browsertest.Look {
	return []browsertest.Look{{Width: 320, Height: 640}, {Width: 320, Height: 640, Dark: true}, {Width: 1280}, {Width: 1280, Dark: true}}
}

// TestEveryPageFitsTheScreenAndIsAccessible opens each page in both languages and
// both themes on a phone and on a desk. With TYPUS_SHOTS set to a directory it
// leaves a picture of each there.
func TestEveryPageFitsTheScreenAndIsAccessible(t *testing.T) {
	browser := browsertest.New(t)
	server := gallery(t)
	shots := os.Getenv("TYPUS_SHOTS")
	for _, look := range looks() {
		for _, lang := range page.Languages() {
			t.Run(lang+"-"+look.String(), func(t *testing.T) {
				tab := browser.Tab(t, look)
				for _, name := range order() {
					tab.Open(server + pathOf(name) + "?lang=" + lang)
					if name == "explorer" {
						tab.WaitFor("document.querySelector('.opblock') != null")
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
