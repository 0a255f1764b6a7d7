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
	for n := 9; n < len(w.Instrument.Items()); n++ {
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

// An answer that has to be scrolled for would be chosen less often, and 97 times
// scrolling to the button would lose people: the longest statement of each
// language fits a small phone with all its answers and the way on.
func TestAllAnswersAndTheWayOnAreInSightOnASmallPhone(t *testing.T) {
	w := newWorld(t)
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 360, Height: 640})
	for _, lang := range []string{"de", "en"} {
		longest := 0
		for i, item := range w.Instrument.Items() {
			if len(w.Instrument.Text(lang, item.ID)) > len(w.Instrument.Text(lang, w.Instrument.Items()[longest].ID)) {
				longest = i
			}
		}
		out := w.begun(lang)
		w.answer(out.Token, 0, longest)
		tab.Open(fmt.Sprintf("%s/t/%s/frage/%d", w.server.URL, out.Token, longest+1))
		hidden := browsertest.Eval[[]string](tab, `
			(() => {
				const bar = document.querySelector('.actions-near').getBoundingClientRect();
				const choices = [...document.querySelectorAll('.choice')].filter(c => c.getBoundingClientRect().bottom > bar.top);
				return [...choices.map(c => c.textContent.trim()), ...(bar.bottom > innerHeight ? ['the way on'] : [])];
			})()`)
		if len(hidden) > 0 {
			t.Errorf("%s, %q: out of sight: %q", lang, w.Instrument.Text(lang, w.Instrument.Items()[longest].ID), hidden)
		}
	}
}

// What has the focus must be seen (WCAG 2.2, 2.4.11), on a phone and on a page made so
// large that little of it fits the screen.
func TestAFocusedAnswerIsNeverUnderTheWayOn(t *testing.T) {
	w := newWorld(t)
	browser := browsertest.New(t)
	out := w.begun("de")
	for _, width := range []int{200, 256, 319, 320, 390} {
		tab := browser.Tab(t, browsertest.Look{Width: width, Height: 400})
		tab.Open(w.server.URL + "/t/" + out.Token + "/frage/2")
		hidden := browsertest.Eval[[]string](tab, `[...document.querySelectorAll(".choice > input")].filter((input) => {
			input.focus();
			const choice = input.parentElement.getBoundingClientRect();
			return choice.bottom > Math.min(document.querySelector(".actions-near").getBoundingClientRect().top, innerHeight);
		}).map((input) => input.parentElement.textContent.trim())`)
		for _, answer := range hidden {
			t.Errorf("at a width of %d pixels %q has the focus and is hidden", width, answer)
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
