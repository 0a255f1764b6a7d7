package testpage

import (
	"fmt"
	"strings"
	"testing"

	"typus/internal/page/browsertest"
)

// TestTheScriptSaysWhereAnotherAnswerCounts leaves answers behind in the browser that are older
// than what is saved, and sends them from every kind of page.
func TestTheScriptSaysWhereAnotherAnswerCounts(t *testing.T) {
	browser := browsertest.New(t)
	for name, test := range map[string]func(*world, *browsertest.Browser){
		"on the page that catches up":     caughtUp,
		"before anything is handed in":    heldBack,
		"on the page that is gone to":     saidNext,
		"here, where nothing can be kept": saidHere,
		"until something else is saved":   saidOn,
	} {
		t.Run(name, func(t *testing.T) { test(newWorld(t), browser) })
	}
}

const otherCounts = "Gespeichert. Bei Nr. 5 gilt, was Sie später"

// older leaves an answer to item 5 in the browser that was chosen an hour ago by somebody who
// had answered otherwise before.
func (h hand) older(token string) {
	h.w.Helper()
	browsertest.Eval[any](h.Tab, fmt.Sprintf(`localStorage.setItem("typus.%s.5",
		JSON.stringify({n: 5, value: 3, was: [0, 1], ms: 5, changes: 1, at: Date.now() - 3_600_000}))`, storageKey(token)))
}

// otherwise answers item 5 elsewhere, a moment ago.
func (w *world) otherwise(token string) {
	w.Helper()
	w.put(token, 5, 6)
}

// unchanged fails if another answer is saved to item 5 than the newest.
func (w *world) unchanged(token string) {
	w.Helper()
	if got := w.test(token).Sheet.Answers[4].Value; got != 6 {
		w.Errorf("saved %d", got)
	}
}

func caughtUp(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, browsertest.Look{Width: 320, Height: 640})
	items := len(w.Instrument.Items())
	w.answer(out.Token, 0, visit{Test: w.test(out.Token)}.firstOf(2))
	w.otherwise(out.Token)
	h.visit(out.Token, "")
	for _, page := range []string{"/pause/1", "/abgabe", "/frage/7"} {
		if page == "/abgabe" { // with a list of open items
			w.answer(out.Token, visit{Test: w.test(out.Token)}.firstOf(2), items, w.ofDimension("integrity")[1:5]...)
			w.otherwise(out.Token)
		}
		h.older(out.Token)
		h.visit(out.Token, page)
		h.wait(otherCounts)
		if list := browsertest.Eval[bool](h.Tab, "document.querySelector('.link-row') !== null"); list != (page == "/abgabe") {
			w.Errorf("%s lists open items: %v", page, list)
		}
		h.look("unsaid" + strings.ReplaceAll(page, "/", "-"))
		h.sent()
		h.Reload()
		if said := browsertest.Eval[string](h.Tab, "document.querySelector('.saved').textContent"); said != "" {
			w.Errorf("%s says again: %s", page, said)
		}
	}
	w.unchanged(out.Token)
	// The page to come back to has no line: the next one says it.
	h.older(out.Token)
	h.visit(out.Token, "")
	h.WaitFor("localStorage.length == 0 && sessionStorage.length == 1")
	h.visit(out.Token, "/frage/5")
	h.wait(otherCounts)
	h.silent("axe")
}

func heldBack(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	w.answer(out.Token, 0, len(w.Instrument.Items()))
	w.otherwise(out.Token)
	h.visit(out.Token, "/abgabe")
	h.older(out.Token)
	h.Offline(true)
	browsertest.Eval[any](h.Tab, "document.querySelector('form[data-last] .button').click()")
	h.wait("Keine Verbindung. Es geht von selbst weiter")
	h.Offline(false)
	h.wait("Noch nicht abgegeben. Bei Nr. 5 gilt, was Sie später")
	h.sent()
	h.look("unsaid-held")
	if test := w.test(out.Token); !test.Candidate.CompletedAt.IsZero() {
		w.Error("it is handed in")
	}
	w.unchanged(out.Token)
	h.Follow("form[data-last] .button")
	on(w.T, h.Tab, "/fertig")
	h.silent(cutOff, "axe")
}

func saidNext(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	w.answer(out.Token, 0, len(w.Instrument.Items()))
	w.otherwise(out.Token)
	h.visit(out.Token, "/frage/5")
	h.older(out.Token)
	browsertest.Eval[any](h.Tab, "document.querySelector('.actions-else a').click()")
	h.arrive("/abgabe") // by itself
	h.wait(otherCounts)
	w.unchanged(out.Token)
	h.Follow("form[data-last] .button") // it has been read
	on(w.T, h.Tab, "/fertig")
	h.silent()
}

func saidHere(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	w.answer(out.Token, 0, len(w.Instrument.Items()))
	w.otherwise(out.Token)
	h.Before(`Object.defineProperty(window, "sessionStorage", { get() { throw new DOMException("closed", "SecurityError") } })`)
	h.visit(out.Token, "/frage/5")
	h.older(out.Token)
	browsertest.Eval[any](h.Tab, "document.querySelector('.actions-else a').click()")
	h.wait(otherCounts)
	h.sent()
	h.shows(5)
	browsertest.Eval[any](h.Tab, "document.querySelector('.actions-else a').click()")
	h.arrive("/abgabe")
	h.silent()
}

// saidOn asks the server again and lets it take its time, which is a second at once here.
func saidOn(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	w.answer(out.Token, 0, 8)
	w.otherwise(out.Token)
	h.visit(out.Token, "/frage/5")
	h.older(out.Token)
	const ask = "document.dispatchEvent(new Event('visibilitychange'))"
	browsertest.Eval[any](h.Tab, ask)
	h.wait(otherCounts)
	h.sent()
	browsertest.Eval[any](h.Tab, `{
		const later = setTimeout;
		window.setTimeout = (what, ms) => later(what, ms === 1_000 ? 0 : ms);
		const arrive = window.fetch;
		window.asked = 0;
		window.fetch = async (...request) => {
			asked++;
			await new Promise((go) => { later(go, 20) });
			return arrive(...request);
		};
		window.said = [];
		const line = document.querySelector("[role=status]");
		new MutationObserver(() => said.push(line.dataset.state)).observe(line, { childList: true });
	}`)
	for n := 1; n <= 2; n++ { // the second one begins when the first has been heard
		browsertest.Await(h.Tab, fmt.Sprintf("(() => { if (asked < %d) %s; return asked; })()", n, ask), n)
	}
	if said := browsertest.Eval[[]string](h.Tab, "said"); len(said) != 0 {
		w.Errorf("said %q", said)
	}
	h.wait(otherCounts)
	h.choose(2)
	h.WaitFor("said.join() == 'saving,saved'")
	h.silent()
}
