package testpage

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"typus/internal/page"
	"typus/internal/page/browsertest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestWhatAScreenReaderIsToldIsWrittenDown holds the pages of the test and the own result,
// in each language, to testdata/tree. A change there is one that people hear. Scripts are
// off: to them the sheet of these pages is empty.
//
//	go test ./internal/testpage -run TestWhatAScreenReader -update
func TestWhatAScreenReaderIsToldIsWrittenDown(t *testing.T) {
	browser := browsertest.New(t)
	server, _ := gallery(t, persona{"Kim Beispiel", "Muster Software GmbH", "owner@example.com"})
	tab := browser.Tab(t, browsertest.Look{Width: 1280, NoScript: true})
	for _, name := range []string{"start", "start-told", "item", "pause", "done-own", "own"} {
		for _, lang := range page.Languages() {
			tab.Open(server + "/page/" + lang + "/" + name)
			golden(t, filepath.Join("testdata", "tree", name+"."+lang+".txt"), tab.Tree())
		}
	}
}

// golden compares what is with what is written down, or writes it down.
func golden(t *testing.T, file, is string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(is), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if is != string(want) {
		t.Errorf("%s says otherwise; -update writes it anew. The page tells:\n%s", file, is)
	}
}
