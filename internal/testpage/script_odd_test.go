package testpage

import (
	"fmt"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/page/browsertest"
)

// TestTheScriptInABrowserThatIsNotAlone meets other people's tests, translators, and
// browsers without storage, from the moment that a page is opened.
func TestTheScriptInABrowserThatIsNotAlone(t *testing.T) {
	browser := browsertest.New(t)
	for name, test := range map[string]func(*world, *browsertest.Browser){
		"shows nothing of another person's test":       sharedBrowser,
		"goes on while a page is being translated":     translated,
		"says so where nothing is kept from the start": closedStorage,
		"shows a page of before as it is now":          fromMemory,
	} {
		t.Run(name, func(t *testing.T) { test(newWorld(t), browser) })
	}
}

// sharedBrowser is a tablet on which one person has chosen a language and has answers on their
// way when another one opens their own link.
func sharedBrowser(w *world, b *browsertest.Browser) {
	other, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Sam Nachbar", Email: "sam@example.com"}, nil)
	w.Must(err)
	fresh := w.hand(b, phone) // what the other one sees on a device of their own
	fresh.visit(other.Token, "")
	lang := browsertest.Eval[string](fresh.Tab, "document.documentElement.lang")
	text := browsertest.Eval[string](fresh.Tab, "document.body.innerText")
	if !strings.Contains(text, "Sam Nachbar") {
		w.Fatalf("the start says\n%s", text)
	}

	first := w.begun(lang)
	one := w.hand(b, phone)
	one.visit(first.Token, "/frage/1")
	one.Follow("[name=sprache]")
	if now := browsertest.Eval[string](one.Tab, "document.documentElement.lang"); now == lang {
		w.Fatalf("the language stays %s", now)
	}
	one.choose(3)
	one.sent()
	one.Offline(true)
	one.choose(5)
	one.press("weiter")
	one.choose(6)
	one.WaitFor("document.querySelector('[role=status]').dataset.state == 'offline'")

	two := one.beside()
	two.visit(other.Token, "")
	if got := browsertest.Eval[string](two.Tab, "document.documentElement.lang"); got != lang {
		w.Errorf("the other one reads %s, not %s", got, lang)
	}
	if got := browsertest.Eval[string](two.Tab, "document.body.innerText"); got != text {
		w.Errorf("the start says\n%s\nand not\n%s", got, text)
	}
	two.Click("#hinweise")
	two.Follow("form .button")
	two.arrive("/probe")
	two.Follow("[value=auslassen]")
	two.arrive("/frage/1")
	if two.chosen() != 0 || two.bar() != 0 {
		w.Errorf("%d is chosen, and the bar counts %d", two.chosen(), two.bar())
	}
	two.choose(2)
	two.WaitFor(fmt.Sprintf("!Object.keys(localStorage).some((name) => name.includes(%q))", storageKey(other.Token)))
	if page := browsertest.Eval[string](two.Tab, "document.documentElement.outerHTML"); strings.Contains(page, "Kim") || strings.Contains(page, first.Token) {
		w.Errorf("the other one's page holds\n%s", page)
	}
	for _, address := range two.Requests() {
		if strings.Contains(address, first.Token) {
			w.Errorf("the other one's page asked for %s", address)
		}
	}
	if a := w.test(other.Token).Sheet.Answers; a[0].Value != 2 || a[1].Value != 0 {
		w.Errorf("saved of the other one: %+v", a[:2])
	}
	if a := w.test(first.Token).Sheet.Answers; a[0].Value != 3 || a[1].Value != 0 {
		w.Errorf("saved of the first one: %+v", a[:2])
	}
	one.Offline(false)
	one.sent()
	if a := w.test(first.Token).Sheet.Answers; a[0].Value != 5 || a[1].Value != 6 {
		w.Errorf("saved of the first one in the end: %+v", a[:2])
	}
	one.silent(cutOff)
	two.silent()
}

// translator does to each page what the translator of a browser does, now and whenever
// something changes: each text is wrapped in two elements that nobody expects, with other
// words.
const translator = `addEventListener("load", () => {
	const wrap = () => {
		const texts = [];
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) texts.push(walker.currentNode);
		for (const text of texts) {
			if (text.data.trim() === "" || text.parentElement.closest("font, script")) continue;
			const outer = document.createElement("font");
			const inner = document.createElement("font");
			inner.append("~" + text.data);
			outer.append(inner);
			text.replaceWith(outer);
		}
		if (!document.title.startsWith("~")) document.title = "~" + document.title;
	};
	wrap();
	document.documentElement.lang = "fr";
	document.documentElement.classList.add("translated-ltr");
	new MutationObserver(wrap).observe(document.documentElement, { childList: true, characterData: true, subtree: true });
})`

// translated goes through a section, by clicks on the words, without a connection for a while.
func translated(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.Before(translator)
	h.visit(out.Token, "/frage/1")
	h.WaitFor("document.querySelector('h1 font font') !== null")
	word := func(of string) { h.Click(of + " font font") }
	word(".choice:nth-child(3)")
	h.sent()
	h.wait("~Gespeichert")
	word("[value=weiter]")
	h.arrive("/frage/2")
	browsertest.Await(h.Tab, heading, "~"+shown(w.Instrument.Text("de", w.Instrument.Items()[1].ID)))
	word("[value=weiter]")
	h.WaitFor("document.activeElement.role == 'alert' && document.title.includes('Fehler: Aussage 2 von 97')")
	word("[value=auslassen]")
	h.arrive("/frage/3")
	h.WaitFor("document.querySelector('[role=alert]').hidden")
	word(".choice:nth-child(6)")
	word("[value=zurueck]")
	h.arrive("/frage/2")
	h.WaitFor("!document.getElementById('ausgelassen').hidden")
	word("[value=weiter]")
	h.sent()
	h.Offline(true)
	browsertest.Eval[any](h.Tab, `{
		window.said = 0;
		new MutationObserver((list) => {
			for (const change of list) for (const node of change.addedNodes) said += node.nodeType === Node.TEXT_NODE;
		}).observe(document.querySelector("[role=status]"), { childList: true });
	}`)
	word(".choice:nth-child(1)")
	h.wait("~Keine Verbindung")
	for range 2 {
		browsertest.Eval[any](h.Tab, `new Promise((tried) => {
			const ask = window.fetch;
			window.fetch = (...request) => ask(...request).finally(() => setTimeout(tried));
			dispatchEvent(new Event("online"));
		})`)
	}
	if said := browsertest.Eval[int](h.Tab, "said"); said != 1 {
		w.Errorf("that there is no connection is said %d times", said)
	}
	h.Offline(false)
	h.sent()
	h.wait("~Gespeichert")
	h.WaitFor("document.title.includes('Aussage 3 von 97 · Muster Software GmbH') && !document.title.includes('Aussage 1')")
	answers := w.test(out.Token).Sheet.Answers
	if answers[0].Value != 3 || !answers[1].Skipped || answers[2].Value != 1 || answers[2].Changes != 1 {
		w.Errorf("saved %+v", answers[:3])
	}
	w.answer(out.Token, 3, len(w.Instrument.Items()))
	h.visit(out.Token, "/abgabe")
	h.WaitFor("document.querySelector('form[data-last] .button font font') !== null")
	h.Follow("form[data-last] .button font font")
	on(w.T, h.Tab, "/fertig")
	if got := w.test(out.Token).Candidate.Status; got != typus.StatusFinished {
		w.Errorf("the test is %s", got)
	}
	h.silent(cutOff)
}

// closedStorage opens pages in browsers that keep nothing, each in its own way of saying so.
func closedStorage(w *world, b *browsertest.Browser) {
	const refuse = `{ get() { throw new DOMException("closed", "SecurityError") } }`
	for name, closed := range map[string]string{
		"off":     `Object.defineProperty(window, "localStorage", ` + refuse + `); Object.defineProperty(window, "sessionStorage", ` + refuse + `)`,
		"nothing": `Object.defineProperty(window, "localStorage", { value: null }); Object.defineProperty(window, "sessionStorage", { value: null })`,
		"full":    `Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError") }`,
		"alone":   `window.BroadcastChannel = class { constructor() { throw new DOMException("closed", "SecurityError") } }; Object.defineProperty(window, "localStorage", ` + refuse + `)`,
	} {
		out, h := w.begun("de"), w.hand(b, phone)
		h.Before(closed)
		h.visit(out.Token, "")
		h.Follow("form .button")
		h.shows(1)
		h.choose(2)
		h.wait("Gespeichert")
		h.press("weiter")
		h.shows(2)
		h.Offline(true)
		h.choose(3)
		h.wait("Keine Verbindung. Bitte lassen Sie diese Seite offen")
		h.press("weiter")
		h.shows(3)
		h.choose(4)
		h.wait("Keine Verbindung. Bitte lassen Sie diese Seite offen")
		h.Offline(false)
		h.wait("Gespeichert")
		if a := w.test(out.Token).Sheet.Answers; a[0].Value != 2 || a[1].Value != 3 || a[2].Value != 4 {
			w.Errorf("%s: saved %+v", name, a[:3])
		}
		h.silent(cutOff)
	}
}

// fromMemory lets each kind of page come out of the browser's memory after the test has gone on
// elsewhere: it shows the test as it is now.
func fromMemory(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	const comeBack = `dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`
	h.visit(out.Token, "/frage/1")
	w.put(out.Token, 1, 5)
	browsertest.Eval[any](h.Tab, comeBack)
	h.WaitFor("document.querySelector('input:checked')?.value == '5'")
	w.answer(out.Token, 1, 9)
	h.visit(out.Token, "/pause/1")
	w.answer(out.Token, 9, 12)
	browsertest.Eval[any](h.Tab, comeBack)
	h.WaitFor("document.querySelector('progress')?.value == 12")
	w.answer(out.Token, 12, len(w.Instrument.Items()))
	h.visit(out.Token, "/abgabe")
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
	browsertest.Eval[any](h.Tab, comeBack)
	h.arrive("/fertig")
	h.silent()
}
