package dashboard

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"typus"
	"typus/internal/page/browsertest"
)

// One box chooses the whole page, the bar says how many, and without anybody
// chosen there is no bar.
func TestAWholePageIsChosenAtOnce(t *testing.T) {
	browser := browsertest.New(t)
	server, _ := looksAt(t, plain)
	tab := browser.Tab(t, browsertest.Look{Width: 1280})
	tab.Open(server + "/page/de/candidates")
	const spoken = `document.querySelector(".bulk-form [role=status]")`
	const bar = `document.querySelector(".bulk").checkVisibility()`
	if browsertest.Eval[bool](tab, bar) {
		t.Error("the bar is there before anybody is chosen")
	}
	if !browsertest.Eval[bool](tab, spoken+`.checkVisibility() && `+spoken+`.textContent === ""`) {
		t.Error("the place where the number is said is not there beforehand, or says something already")
	}
	tab.Click(".pick-all input")
	if n := browsertest.Eval[int](tab, `document.querySelectorAll("tbody :checked").length`); n != 6 {
		t.Errorf("%d are chosen, want 6", n)
	}
	if said := browsertest.Eval[string](tab, `document.querySelector(".bulk-count").textContent`); said != "6 ausgewählt" || !browsertest.Eval[bool](tab, bar) {
		t.Errorf("the bar says %q", said)
	}
	if said := browsertest.Eval[string](tab, spoken+`.textContent`); said != "6 ausgewählt" {
		t.Errorf("a screen reader hears %q", said)
	}
	tab.Click("tbody tr:first-child .pick-box input")
	if !browsertest.Eval[bool](tab, `document.querySelector(".pick-all input").indeterminate`) {
		t.Error("the box of the page does not show that some are chosen")
	}
	quiet(t, tab, server)
}

// Fifty people are looked through: on a desk each has one line, on a phone two. Enter on a
// check box sends nothing, and what can be done with the chosen is a few steps of the tab key
// away and within sight.
func TestFiftyPeopleAreScannedAndChosen(t *testing.T) {
	w := newWorld(t)
	for i := range 55 {
		w.invited(fmt.Sprintf("Maximiliane Beispiel-Müller %02d", i), fmt.Sprint("crm-", i))
	}
	c := w.as(owner)
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 390, Height: 844})
	w.enter(tab, c)
	tab.Open(w.server.URL + peoplePath)
	if high := browsertest.Eval[int](tab, `document.documentElement.scrollHeight`); high > 4500 {
		t.Errorf("fifty people are %d px high on a phone", high)
	}
	const first = `tbody tr:first-child .pick-box input`
	tab.Click(first)
	tab.Focus(first)
	tab.Press(kb.Enter)
	if at := tab.Location(); at != w.server.URL+peoplePath {
		t.Errorf("Enter on a check box leads to %s", at)
	}
	if below := browsertest.Eval[float64](tab, `document.querySelector(".bulk").getBoundingClientRect().bottom - innerHeight`); below > 1 {
		t.Errorf("the bar is %.0f px below the window", below)
	}
	const away = `(() => {
		const stops = [...document.querySelectorAll("a[href], button, input, summary")].filter((e) => e.checkVisibility() && !e.disabled);
		return stops.indexOf(document.activeElement) - stops.findLastIndex((e) => e.closest(".bulk"));
	})()`
	if steps := browsertest.Eval[int](tab, away); steps < 1 || steps > 3 {
		t.Errorf("the bar is %d steps away", steps)
	}
	tab.Turn(browsertest.Look{Width: 1280})
	if highest := browsertest.Eval[float64](tab, `Math.max(...[...document.querySelectorAll("tbody tr")].map((r) => r.getBoundingClientRect().height))`); highest > 41 {
		t.Errorf("a person is %.1f px high on a desk", highest)
	}
	entries, err := w.Store.Audit(w.Ctx, w.Account, 5)
	w.Must(err)
	for _, e := range entries {
		if e.Action == typus.AuditCandidatesExported {
			t.Error("a file was exported")
		}
	}
}
