package dashboard

import (
	"testing"

	"typus/internal/page/browsertest"
)

// TestCopyingIsSaidOnceAndSoIsItsFailure stands in for the clipboard of the
// browser, which a test may not have.
func TestCopyingIsSaidOnceAndSoIsItsFailure(t *testing.T) {
	server, _ := looksAt(t, plain)
	tab := browsertest.New(t).Tab(t, browsertest.Look{})
	tab.Open(server + "/page/de/credits")
	// Without timers what is said stays until it has been read.
	browsertest.Eval[any](tab, `void (navigator.clipboard.writeText = async (text) => { window.taken = text; }, window.setTimeout = () => 0)`)
	const status, button = `document.querySelector("[data-copy] + [role=status]")`, `document.querySelector("[data-copy]")`
	if !browsertest.Eval[bool](tab, status+`.checkVisibility() && `+status+`.textContent === ""`) {
		t.Error("the place where it is said is not there beforehand")
	}
	tab.Click("[data-copy]")
	tab.WaitFor(status + `.textContent === "Kopiert"`)
	if !browsertest.Eval[bool](tab, `window.taken === `+button+`.dataset.copy && `+button+`.textContent === "Kopiert: Befehl" && !`+button+`.hasAttribute("aria-live")`) {
		t.Error("the button does not say what it copied, or is a live region itself")
	}
	browsertest.Eval[any](tab, `void (navigator.clipboard.writeText = async () => { throw new Error("refused"); })`)
	tab.Click("[data-copy]")
	tab.WaitFor(status + `.textContent.startsWith("Das Kopieren hat nicht funktioniert.") && ` + status + `.offsetWidth > 100`)
	quiet(t, tab, server)
}
