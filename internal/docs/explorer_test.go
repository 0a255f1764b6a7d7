package docs_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"typus/internal/page/browsertest"
)

// TestTheExplorerWorksUnderThePolicy opens everything there is in it, sends a
// request and looks at it in both themes.
func TestTheExplorerWorksUnderThePolicy(t *testing.T) {
	browser := browsertest.New(t)
	s := newServer(t)
	server, key := s.base, s.key()
	for _, look := range []browsertest.Look{{Width: 1280}, {Width: 320, Height: 640, Dark: true}} {
		t.Run(look.String(), func(t *testing.T) {
			tab := browser.Tab(t, look)
			tab.Open(server + "/docs/explorer?lang=de")
			startExplorer(tab, look)
			toggle := func(within string) {
				browsertest.Eval[bool](tab, "document.querySelectorAll('"+within+" .opblock-summary-control').forEach(b => b.click()), true")
			}
			toggle("")
			tab.WaitFor("document.querySelectorAll('.opblock.is-open .responses-inner').length >= 3")
			if shots := os.Getenv("TYPUS_SHOTS"); shots != "" {
				tab.Screenshot(filepath.Join(shots, "explorer-open-"+look.String()+".png"))
			}
			if wider := tab.Overflow(); wider > 0 {
				t.Errorf("the page is %d px wider than the screen", wider)
			}
			quiet(t, tab, server)
			accessible(t, tab, "open")
			toggle("") // axe takes its time with all that is open
			tab.WaitFor("document.querySelector('.opblock.is-open') == null")

			tab.Click(".btn.authorize")
			tab.WaitFor("document.querySelector('.modal-ux input') != null")
			accessible(t, tab, "the key is asked for")
			tab.Focus(".modal-ux input")
			tab.Press(key)
			tab.Click(".modal-ux .authorize")
			tab.Click(".modal-ux .btn-done")

			const list = "#operations-Candidates-listCandidates"
			toggle(list)
			tab.WaitFor("document.querySelector('" + list + " .try-out__btn') != null")
			tab.Click(list + " .try-out__btn")
			tab.WaitFor("document.querySelector('" + list + " .execute') != null")
			tab.Click(list + " .execute")
			tab.WaitFor("document.querySelector('.live-responses-table tbody .response-col_status')?.textContent.startsWith('200') ?? false")
			if sent := browsertest.Eval[string](tab, "document.querySelector('"+list+" .request-url pre').textContent"); !strings.HasSuffix(sent, "/api/v1/candidates?limit=50") {
				t.Errorf("the explorer sent what nobody filled in: %s", sent)
			}
			accessible(t, tab, "answered")
			quiet(t, tab, server)
		})
	}
}

// startExplorer waits for it; on a small screen it has to be asked for.
func startExplorer(tab *browsertest.Tab, look browsertest.Look) {
	if look.Width < 768 {
		tab.WaitFor("document.querySelector('#explorer button')?.checkVisibility() ?? false")
		tab.Click("#explorer button")
	}
	tab.WaitFor("document.querySelector('.opblock-summary-control') != null")
}

func accessible(t *testing.T, tab *browsertest.Tab, where string) {
	t.Helper()
	for _, violation := range tab.Axe() {
		t.Errorf("%s: %s", where, violation)
	}
}

// TestWhatIsCarriedCompressedIsWhole unpacks it to its end, where its sum stands.
func TestWhatIsCarriedCompressedIsWhole(t *testing.T) {
	files, err := filepath.Glob("static/*.gz")
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		packed, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(name, err)
		}
		if body, err := io.ReadAll(r); err != nil || len(body) < 3*len(packed) {
			t.Errorf("%s: %d bytes, %v", name, len(body), err)
		}
	}
}
