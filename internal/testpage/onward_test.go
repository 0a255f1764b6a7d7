package testpage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"typus/internal/instrument"
	"typus/internal/page/browsertest"
)

// TestGoingOnAfterATap takes the offer of the page to practise with, and works on.
func TestGoingOnAfterATap(t *testing.T) {
	browser := browsertest.New(t)
	for name, test := range map[string]func(*world, *browsertest.Browser){
		"is an offer that is off":             offIsOff,
		"saves, goes on and comes back":       tapsOn,
		"leaves the keys alone":               keysStay,
		"takes two taps for one":              tappedTwice,
		"goes on without a connection":        tapsOffline,
		"holds where nothing can be kept":     tapsClosed,
		"holds for one test and one sitting":  tapsElsewhere,
		"ends with whatever else is done":     tapsInterrupted,
		"is switched off on any page":         tapsNoMore,
		"is not offered where pages are made": tapsPlain,
	} {
		t.Run(name, func(t *testing.T) { test(newWorld(t), browser) })
	}
}

const offered = "document.querySelector('.onward').checkVisibility()"

// takesTheOffer is on the first item of a new test, to which a tap while practising led.
func (w *world) takesTheOffer(b *browsertest.Browser, before string) (h hand, token string) {
	w.Helper()
	out, h := w.begun("de"), w.hand(b, phone)
	if before != "" {
		h.Before(before)
	}
	h.visit(out.Token, "/probe")
	h.WaitFor(offered)
	h.Click("label:has(#gleich-weiter)")
	h.tap(2)
	h.shows(1)
	return h, out.Token
}

// tap presses the pointer on an answer, when nobody takes that for the second of two taps.
func (h hand) tap(value int) {
	h.w.Helper()
	browsertest.Eval[any](h.Tab, "new Promise((done) => setTimeout(done, 300))")
	h.Click(fmt.Sprintf("label:has(#antwort-%d)", value))
}

// stays fails if the tab goes on from an item: a timer that is set now ends after any that was
// set for going on.
func (h hand) stays(number int) {
	h.w.Helper()
	browsertest.Eval[any](h.Tab, "new Promise((done) => setTimeout(done, 1_000))")
	on(h.w.T, h.Tab, fmt.Sprintf("/frage/%d", number))
}

// answered is the chosen answer, 0 for none.
func (h hand) answered() int {
	h.w.Helper()
	return browsertest.Eval[int](h.Tab, "Number(document.querySelector('[name=antwort]:checked')?.value ?? 0)")
}

// given are the answers of a test, once the page has sent what it knows.
func (h hand) given(token string) []instrument.Answer {
	h.w.Helper()
	browsertest.Eval[any](h.Tab, "dispatchEvent(new PageTransitionEvent('pagehide'))")
	h.sent()
	return h.w.test(token).Sheet.Answers
}

func offIsOff(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, browsertest.Look{Width: 360, Height: 640, NoScript: true})
	h.visit(out.Token, "/probe")
	if browsertest.Eval[bool](h.Tab, offered) {
		w.Error("without a script something is offered that needs one")
	}
	h = w.hand(b, phone)
	h.visit(out.Token, "/probe")
	h.WaitFor(offered + " && !document.getElementById('gleich-weiter').checked")
	h.tap(2)
	browsertest.Eval[any](h.Tab, "new Promise((done) => setTimeout(done, 1_000))")
	on(w.T, h.Tab, "/probe")
	h.Follow("[value=weiter]")
	h.shows(1)
	if browsertest.Eval[bool](h.Tab, offered) {
		w.Error("what was not taken is offered again on each page")
	}
	h.tap(2)
	h.stays(1)
	h.silent()
}

func tapsOn(w *world, b *browsertest.Browser) {
	h, token := w.takesTheOffer(b, "")
	h.tap(2)
	h.shows(2)
	h.WaitFor("document.activeElement.tagName == 'H1'")
	h.press("zurueck")
	h.shows(1)
	if h.answered() != 2 {
		w.Errorf("%d is chosen", h.answered())
	}
	h.stays(1)
	h.tap(4)
	h.stays(1)
	h.press("weiter")
	h.shows(2)
	h.Reload()
	h.shows(2)
	h.tap(3)
	h.shows(3)
	h.Go(-1)
	h.shows(2)
	h.tap(5)
	h.stays(2)
	a := h.given(token)
	if a[0].Value != 4 || a[0].Changes != 1 || a[1].Value != 5 || a[1].Changes != 1 || a[2].Value != 0 {
		w.Errorf("saved %+v", a[:3])
	}
	h.silent()
}

func keysStay(w *world, b *browsertest.Browser) {
	h, token := w.takesTheOffer(b, "")
	h.WaitFor("document.activeElement.tagName == 'H1'")
	h.Press("3")
	h.stays(1)
	h.Press(kb.ArrowDown)
	h.stays(1)
	h.Focus("#antwort-5")
	h.Press(" ")
	h.stays(1)
	// What a screen reader does: a click that nothing was pressed for.
	browsertest.Eval[any](h.Tab, `document.getElementById("antwort-2").dispatchEvent(new PointerEvent("click", { bubbles: true, cancelable: true, detail: 1 }))`)
	h.stays(1)
	h.Focus("#antwort-2")
	h.Press(kb.Enter)
	h.shows(2)
	if a := h.given(token); a[0].Value != 2 || a[1].Value != 0 {
		w.Errorf("saved %+v", a[:2])
	}
	h.silent()
}

// touch is a tap as a page hears it, the first of one or two at once.
const touch = `window.touch = (value, detail) => {
	const label = document.querySelector(".choice:has(#antwort-" + value + ")");
	for (const [type, more] of [["pointerdown", {}], ["click", { detail }]]) {
		label.dispatchEvent(new PointerEvent(type, { bubbles: true, cancelable: true, pointerType: "touch", ...more }));
	}
}; null`

func tappedTwice(w *world, b *browsertest.Browser) {
	h, token := w.takesTheOffer(b, "")
	browsertest.Eval[any](h.Tab, touch)
	browsertest.Eval[any](h.Tab, "touch(2, 1); touch(2, 2)") // both before it goes on
	h.shows(2)
	h.stays(2)
	// The second tap comes as soon as the next item is there, and counts as no second one.
	browsertest.Eval[any](h.Tab, `new MutationObserver((_, observer) => { observer.disconnect(); touch(3, 1) }).observe(document.querySelector("h1"), { childList: true }); touch(3, 1)`)
	h.shows(3)
	h.stays(3)
	// And much later, as the second of two.
	browsertest.Eval[any](h.Tab, "touch(6, 2)")
	h.stays(3)
	if h.answered() != 0 {
		w.Errorf("%d is chosen by half a tap", h.answered())
	}
	browsertest.Eval[any](h.Tab, "touch(4, 1)")
	h.shows(4)
	a := h.given(token)
	posts := 0
	for _, address := range h.Requests() {
		if strings.HasSuffix(address, "/antworten") {
			posts++
		}
	}
	if a[0].Value != 2 || a[1].Value != 3 || a[2].Value != 4 || a[3].Value != 0 || a[0].Changes+a[1].Changes+a[2].Changes != 0 || posts > 9 {
		w.Errorf("saved %+v with %d requests", a[:4], posts)
	}
	h.silent()
}

func tapsOffline(w *world, b *browsertest.Browser) {
	h, token := w.takesTheOffer(b, "")
	h.Offline(true)
	for n := 1; n <= 9; n++ {
		h.shows(n)
		h.tap(n%6 + 1)
	}
	h.wait("Keine Verbindung. Es geht von selbst weiter")
	h.stays(9)
	h.Offline(false)
	h.arrive("/pause/1")
	h.sent()
	for i, a := range w.test(token).Sheet.Answers[:9] {
		if a.Value != (i+1)%6+1 || a.Changes != 0 {
			w.Errorf("item %d was saved as %+v", i+1, a)
		}
	}
	h.silent(cutOff)
}

func tapsClosed(w *world, b *browsertest.Browser) {
	for _, closed := range []string{
		`Object.defineProperty(window, "localStorage", { value: null }); Object.defineProperty(window, "sessionStorage", { value: null })`,
		`Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError") }`,
	} {
		h, token := w.takesTheOffer(b, closed)
		h.tap(2)
		h.shows(2)
		h.wait("Gespeichert")
		h.Reload()
		h.shows(2)
		h.tap(3)
		h.shows(3)
		h.wait("Gespeichert")
		if a := w.test(token).Sheet.Answers; a[0].Value != 2 || a[1].Value != 3 {
			w.Errorf("saved %+v", a[:2])
		}
		h.silent()
	}
}

func tapsElsewhere(w *world, b *browsertest.Browser) {
	h, token := w.takesTheOffer(b, "")
	other := w.begun("de")
	h.visit(other.Token, "/frage/1")
	h.tap(2)
	h.stays(1)
	beside := h.beside()
	beside.visit(token, "/frage/1")
	beside.tap(2)
	beside.stays(1)
	h.visit(token, "/frage/2")
	h.tap(3)
	h.shows(3)
	browsertest.Eval[any](h.Tab, "dispatchEvent(new PageTransitionEvent('pagehide'))")
	h.WaitFor(fmt.Sprintf("!Object.keys(localStorage).some((name) => name.includes(%q))", storageKey(token)))
	w.answer(token, 2, len(w.Instrument.Items()))
	h.visit(token, "/abgabe")
	h.Follow("form[data-last] .button")
	on(w.T, h.Tab, "/fertig")
	if kept := browsertest.Eval[string](h.Tab, "window.name + JSON.stringify(sessionStorage)"); kept != "{}" {
		w.Errorf("the browser keeps %s", kept)
	}
	h.silent()
	beside.silent()
}

func tapsInterrupted(w *world, b *browsertest.Browser) {
	h, token := w.takesTheOffer(b, "")
	browsertest.Eval[any](h.Tab, touch)
	for what, other := range map[string]string{
		"a key":              `dispatchEvent(new KeyboardEvent("keydown", { key: "Tab" }))`,
		"a tap on no answer": `document.querySelector("h1").dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }))`,
		"another tab":        `dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))`,
	} {
		browsertest.Eval[any](h.Tab, "touch(2, 1); "+other)
		h.stays(1)
		if h.answered() != 2 {
			w.Errorf("%s: %d is chosen", what, h.answered())
		}
	}
	browsertest.Eval[any](h.Tab, "touch(3, 1); document.querySelector('[value=auslassen]').click()")
	h.shows(2)
	h.stays(2)
	if a := h.given(token); !a[0].Skipped || a[1].Value != 0 {
		w.Errorf("saved %+v", a[:2])
	}
	h.silent()
}

func tapsNoMore(w *world, b *browsertest.Browser) {
	h, _ := w.takesTheOffer(b, "")
	h.WaitFor(offered + " && document.getElementById('gleich-weiter').checked")
	for _, violation := range h.Axe() {
		w.Error(violation)
	}
	h.look("onward")
	h.Click("label:has(#gleich-weiter)")
	h.tap(2)
	h.stays(1)
	h.Reload()
	h.WaitFor("!" + offered)
	h.silent("axe")
}

// tapsPlain is in a browser that the script leaves alone.
func tapsPlain(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.Before(`sessionStorage.setItem("typus.plain", "")`)
	h.visit(out.Token, "/probe")
	if browsertest.Eval[bool](h.Tab, offered) {
		w.Error("what cannot be had is offered")
	}
	h.silent()
}
