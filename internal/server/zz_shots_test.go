package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"typus/internal/page/browsertest"
)

func TestZZShots(t *testing.T) {
	base, password, dir := os.Getenv("ZZ_BASE"), os.Getenv("ZZ_PASSWORD"), os.Getenv("ZZ_DIR")
	pages := strings.Fields(os.Getenv("ZZ_PAGES"))
	b := browsertest.New(t)
	for _, lang := range strings.Fields(os.Getenv("ZZ_LANGS")) {
		for _, look := range []browsertest.Look{{Width: 1280, Height: 900}} {
			tab := b.Tab(t, look)
			tab.Open(base + "/anmelden?lang=" + lang)
			tab.Screenshot(filepath.Join(dir, "anmelden-"+lang+"-"+look.String()+".png"))
			tab.Focus("#email")
			tab.Press("petra.muster@example.com")
			tab.Focus("#password")
			tab.Press(password)
			tab.Follow("form[action='/anmelden'] .button")
			for _, p := range pages {
				sep := "?"
				if strings.Contains(p, "?") {
					sep = "&"
				}
				tab.Open(base + p + sep + "lang=" + lang)
				name := strings.Trim(strings.NewReplacer("/", "_", "?", "_", "=", "_").Replace(p), "_")
				tab.Screenshot(filepath.Join(dir, name+"-"+lang+"-"+look.String()+".png"))
			}
		}
	}
}
