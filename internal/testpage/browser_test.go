package testpage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"typus"
	"typus/internal/page/browsertest"
)

// TestAPersonAtTheKeyboardGetsThroughWithoutAScript walks from the link to the
// last page in a browser that runs no script, the first section by keyboard alone.
func TestAPersonAtTheKeyboardGetsThroughWithoutAScript(t *testing.T) {
	w := newWorld(t)
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 390, Height: 844, NoScript: true})
	out := w.invite("de")
	tab.Open(w.server.URL + "/t/" + out.Token)
	tab.Follow("form .button")
	tab.WaitFor("document.activeElement.role == 'alert'")
	quietBut422(t, tab)
	tab.Click("#hinweise")
	tab.Follow("form .button")
	tab.Follow("[value=auslassen]")

	for n := range 9 {
		on(t, tab, fmt.Sprintf("/frage/%d", n+1))
		tab.Focus("#antwort-1")
		tab.Press(strings.Repeat(kb.ArrowDown, n%6) + " ")
		tab.PressThrough(kb.Enter) // the first button in the document goes on
	}
	on(t, tab, "/pause/1")
	tab.Follow(".button")
	on(t, tab, "/frage/10")
	tab.Follow("[value=weiter]")
	tab.WaitFor("document.activeElement.role == 'alert'")
	tab.Follow("[value=zurueck]")
	on(t, tab, "/frage/9")
	for i, a := range w.test(out.Token).Sheet.Answers[:9] {
		if a.Value != i%6+1 {
			t.Errorf("item %d: saved %d", i+1, a.Value)
		}
	}

	tab.Follow("[value=weiter]")
	for n := 9; n < len(w.face.items); n++ {
		if strings.Contains(tab.Location(), "/pause/") {
			tab.Follow(".button")
		}
		on(t, tab, fmt.Sprintf("/frage/%d", n+1))
		browsertest.Eval[any](tab, "document.getElementById('antwort-3').checked = true")
		tab.Follow("[value=weiter]")
	}
	on(t, tab, "/abgabe")
	tab.Follow("form[data-last] .button")
	on(t, tab, "/fertig")
	if got := w.test(out.Token).Candidate.Status; got != typus.StatusFinished {
		t.Errorf("the test is %s", got)
	}
	quietBut422(t, tab)
	for _, address := range tab.Requests() {
		if !strings.HasPrefix(address, w.server.URL+"/") {
			t.Errorf("a request went to %s", address)
		}
	}
}

func on(t *testing.T, tab *browsertest.Tab, suffix string) {
	t.Helper()
	if at := tab.Location(); !strings.HasSuffix(at, suffix) {
		t.Fatalf("at %s, not %s", at, suffix)
	}
}

// quietBut422 fails if the browser complained of anything but a form that was
// shown again: it notes the status of every document that is not a success.
func quietBut422(t *testing.T, tab *browsertest.Tab) {
	t.Helper()
	for _, message := range tab.Messages() {
		if !strings.Contains(message, "status of 422") {
			t.Errorf("the browser complains: %s", message)
		}
	}
}
