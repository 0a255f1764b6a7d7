package dashboard

import (
	"testing"

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
