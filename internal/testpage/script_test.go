package testpage

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/page/browsertest"
	"typus/internal/page/pagetest"
)

func TestTheScriptMakesNoMarkupFromStrings(t *testing.T) {
	pagetest.CheckScripts(t, os.DirFS("."))
}

func TestTheScript(t *testing.T) {
	browser := browsertest.New(t)
	for name, test := range map[string]func(*world, *browsertest.Browser){
		"leads through the whole test":                     wholeTest,
		"can be used by keyboard alone":                    byKeyboard,
		"goes on without a connection and catches up":      withoutConnection,
		"keeps answers when the tab is lost":               lostTab,
		"promises nothing that the browser cannot keep":    keepsNothing,
		"keeps a changed answer when a reply is lost":      lostReply,
		"hands in only when everything is saved":           handedInLate,
		"shows the same in two tabs":                       twoTabs,
		"lets the later answer win on two devices":         twoDevices,
		"survives a reload and the browser's own buttons":  reloaded,
		"takes no for an answer":                           refused,
		"tries again while the server is busy":             busy,
		"says once that there is no connection":            hanging,
		"measures how long an item is looked at":           measured,
		"asks for an answer and lets items out":            unanswered,
		"looks good while it works":                        atWork,
		"comes back to the open items and to the language": detours,
	} {
		t.Run(name, func(t *testing.T) { test(newWorld(t), browser) })
	}
}

// walkSection answers every item of the section on the screen, as fast as the
// page allows, and leaves it. It returns what the progress bar counted last.
const walkSection = `(() => {
	let counted = 0;
	for (const item of JSON.parse(document.getElementById("abschnitt").textContent).items) {
		document.getElementById("antwort-" + (item.n % 6 + 1)).click();
		counted = document.querySelector("progress").value;
		document.querySelector("[value=weiter]").click();
	}
	return counted;
})()`

func wholeTest(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.visit(out.Token, "/probe")
	h.Click("#antwort-2")
	h.Follow("[value=weiter]")
	blocks, counted := w.Instrument.Blocks(), 0
	for block := 1; block <= blocks; block++ {
		h.shows(visit{Test: w.test(out.Token)}.firstOf(block) + 1)
		counted = browsertest.Eval[int](h.Tab, walkSection)
		if block < blocks {
			h.arrive(fmt.Sprintf("/pause/%d", block))
			h.Follow(".button")
		}
	}
	h.arrive("/abgabe")
	if counted != len(w.Instrument.Items()) {
		w.Errorf("the bar ends at %d", counted)
	}
	h.sent()
	looked := 0
	for i, a := range w.test(out.Token).Sheet.Answers {
		if a.Value != (i+1)%6+1 || a.Skipped || a.Changes != 0 {
			w.Errorf("item %d was saved as %+v", i+1, a)
		}
		looked += a.ActiveMS // of a single item less than half a millisecond is none
	}
	if looked == 0 {
		w.Error("no item was looked at")
	}
	h.Follow("form[data-last] .button")
	on(w.T, h.Tab, "/fertig")
	if got := w.test(out.Token).Candidate.Status; got != typus.StatusFinished {
		w.Errorf("the test is %s", got)
	}
	h.sent()
	h.silent()
	h.thrifty(blocks)
}

// thrifty fails if a section was more than one page, or an item more than a
// request and a half.
func (h hand) thrifty(blocks int) {
	h.w.Helper()
	pages, posts := 0, 0
	for _, address := range h.Requests() {
		if strings.Contains(address, "/frage/") {
			pages++
		}
		if strings.HasSuffix(address, "/antworten") {
			posts++
		}
	}
	if pages != blocks || posts > 3*len(h.w.Instrument.Items())/2 {
		h.w.Errorf("%d pages and %d requests for answers", pages, posts)
	}
}

func byKeyboard(w *world, b *browsertest.Browser) {
	out, h := w.invite("de"), w.hand(b, browsertest.Look{Width: 1280})
	h.visit(out.Token, "")
	h.Focus("#hinweise")
	h.Press(" ")
	h.PressThrough(kb.Enter)
	h.arrive("/probe")
	h.Press("3") // the focus is not in the question yet
	if got := h.chosen(); got != 0 {
		w.Errorf("a digit outside the question chose %d", got)
	}
	h.Focus("h1")
	h.Press("3")
	h.PressThrough(kb.Enter)
	for n := 1; n <= len(w.Instrument.Items()); n++ {
		h.arrive(fmt.Sprintf("/frage/%d", n))
		h.WaitFor("document.activeElement.tagName == 'H1'") // reading goes on there, and the keys work
		h.Press(fmt.Sprint(n%6 + 1))
		h.Press(kb.Enter)
		if n < len(w.Instrument.Items()) && w.Instrument.Items()[n].Block != w.Instrument.Items()[n-1].Block {
			h.arrive(fmt.Sprintf("/pause/%d", w.Instrument.Items()[n-1].Block))
			h.Focus(".button")
			h.PressThrough(kb.Enter)
		}
	}
	h.arrive("/abgabe")
	for i, a := range w.test(out.Token).Sheet.Answers {
		if a.Value != (i+1)%6+1 || a.Changes != 0 {
			w.Errorf("item %d was saved as %+v", i+1, a)
		}
	}
	h.Focus("form[data-last] .button")
	h.PressThrough(kb.Enter)
	on(w.T, h.Tab, "/fertig")
	h.silent()
}

func withoutConnection(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	h.choose(2)
	h.wait("Gespeichert")
	h.press("weiter")
	h.Offline(true)
	for n := 2; n <= 9; n++ {
		h.shows(n)
		h.choose(n%6 + 1)
		if n == 3 {
			h.wait("Keine Verbindung – wird gesendet")
		}
		h.press("weiter")
	}
	h.wait("Keine Verbindung. Es geht von selbst weiter")
	h.press("zurueck")
	h.shows(8)
	h.wait("Keine Verbindung – wird gesendet") // and nothing goes on by itself
	h.press("weiter")
	h.press("weiter")
	h.wait("Keine Verbindung. Es geht von selbst weiter")
	h.shows(9)
	if got := h.bar(); got != 9 {
		w.Errorf("the bar counts %d", got)
	}
	if got := w.test(out.Token).Position; got != 1 {
		w.Errorf("the server has %d answers", got)
	}
	if h.warns() {
		w.Error("somebody is kept back whose answers are kept")
	}
	kept := browsertest.Eval[string](h.Tab, "JSON.stringify(localStorage)")
	if !strings.Contains(kept, storageKey(out.Token)+".9") || strings.Contains(kept, out.Token) || strings.Contains(kept, "Kim") {
		w.Errorf("the browser keeps %s", kept)
	}
	for _, violation := range h.Axe() {
		w.Error(violation)
	}
	h.Offline(false)
	h.arrive("/pause/1") // by itself
	h.sent()
	for i, a := range w.test(out.Token).Sheet.Answers[:9] {
		if a.Value != (i+1)%6+1 {
			w.Errorf("item %d was saved as %+v", i+1, a)
		}
	}
	h.silent(cutOff, "axe")
}

func lostTab(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	h.Offline(true)
	h.choose(5)
	h.press("weiter")
	h.choose(6)
	h.wait("Keine Verbindung")
	again := h.beside() // the first one is never heard of again
	again.visit(out.Token, "")
	again.sent()
	answers := w.test(out.Token).Sheet.Answers
	if answers[0].Value != 5 || answers[1].Value != 6 {
		w.Errorf("saved %+v", answers[:2])
	}
	again.Follow("form .button")
	again.shows(3)
	again.silent()
}

// keepsNothing works in a browser whose storage is switched off, or full.
func keepsNothing(w *world, b *browsertest.Browser) {
	for name, closed := range map[string]string{
		"off":  `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("off", "SecurityError") } })`,
		"full": `Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError") }`,
	} {
		out, h := w.begun("de"), w.hand(b, phone)
		h.visit(out.Token, "/frage/1")
		browsertest.Eval[any](h.Tab, closed+"; null")
		h.Offline(true)
		h.choose(2)
		h.wait("Keine Verbindung. Bitte lassen Sie diese Seite offen")
		if !h.warns() {
			w.Errorf("%s: a reload loses answers, and nothing asks before it", name)
		}
		h.press("weiter")
		h.choose(3)
		h.press("auslassen") // of the next one
		h.wait("Keine Verbindung. Bitte lassen Sie diese Seite offen")
		h.look("unkept-" + name)
		h.Offline(false)
		h.wait("Gespeichert")
		if h.warns() {
			w.Errorf("%s: somebody is kept back who can lose nothing", name)
		}
		if a := w.test(out.Token).Sheet.Answers; a[0].Value != 2 || !a[1].Skipped {
			w.Errorf("%s: saved %+v", name, a[:2])
		}
		h.silent(cutOff, "axe")
	}
}

// warns reports whether the browser asks before the page is left.
func (h hand) warns() bool {
	h.w.Helper()
	return browsertest.Eval[bool](h.Tab, `!dispatchEvent(new Event("beforeunload", { cancelable: true }))`)
}

// loseReply lets the next request of the script arrive, and its reply only as far as
// lose(), which loses it. Those after it are lost too, until back().
const loseReply = `{
	const arrive = window.fetch;
	window.fetch = async (...request) => {
		window.fetch = () => Promise.reject(new TypeError("gone"));
		await arrive(...request);
		await new Promise((lose) => { window.lose = lose });
		throw new TypeError("gone");
	};
	window.back = () => {
		window.fetch = arrive;
		dispatchEvent(new Event("online"));
	};
}`

func lostReply(w *world, b *browsertest.Browser) {
	for name, goOn := range map[string]func(h hand){
		"with another try": func(h hand) {
			browsertest.Eval[any](h.Tab, "lose()")
			h.wait("Keine Verbindung")
			browsertest.Eval[any](h.Tab, "back()")
		},
		"after a reload": func(h hand) { h.Reload() },
	} {
		out, h := w.begun("de"), w.hand(b, phone)
		h.visit(out.Token, "/frage/1")
		browsertest.Eval[any](h.Tab, loseReply)
		h.choose(3)
		h.WaitFor("'lose' in window")
		if got := w.test(out.Token).Sheet.Answers[0].Value; got != 3 {
			w.Errorf("%s: the first answer was saved as %d", name, got)
		}
		h.choose(4)
		goOn(h)
		h.sent()
		if got := w.test(out.Token).Sheet.Answers[0].Value; got != 4 || h.chosen() != 4 {
			w.Errorf("%s: saved %d, shown %d", name, got, h.chosen())
		}
		h.silent()
	}
}

// handedInLate changes an answer without a connection and goes straight to the end
// and hands in: neither happens before the answer is saved.
func handedInLate(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	w.answer(out.Token, 0, len(w.Instrument.Items()))
	h.visit(out.Token, "/frage/5")
	h.Offline(true)
	h.choose(2)
	browsertest.Eval[any](h.Tab, "document.querySelector('.actions-else a').click()")
	h.wait("Keine Verbindung. Es geht von selbst weiter")
	h.shows(5)
	h.Offline(false)
	h.arrive("/abgabe") // by itself
	h.sent()
	if got := w.test(out.Token).Sheet.Answers[4].Value; got != 2 {
		w.Errorf("saved %d", got)
	}
	browsertest.Eval[any](h.Tab, fmt.Sprintf(`{
		localStorage.setItem("typus.%s.5", JSON.stringify({n: 5, value: 6, was: [2], ms: 5, changes: 1, at: Date.now()}));
	}`, storageKey(out.Token)))
	browsertest.Eval[any](h.Tab, `HTMLFormElement.prototype.submit = () => { window.handsIn = true }`)
	h.Offline(true)
	browsertest.Eval[any](h.Tab, "document.querySelector('form[data-last] .button').click()")
	h.wait("Keine Verbindung. Es geht von selbst weiter")
	for _, violation := range h.Axe() {
		w.Error(violation)
	}
	if at := h.Location(); !strings.HasSuffix(at, "/abgabe") || browsertest.Eval[bool](h.Tab, "'handsIn' in window") {
		w.Errorf("hands in with an answer on its way, at %s", at)
	}
	h.Offline(false)
	h.WaitFor("window.handsIn") // by itself
	if got := w.test(out.Token).Sheet.Answers[4].Value; got != 6 {
		w.Errorf("hands in with %d", got)
	}
	h.Follow("form[data-last] .button") // with nothing on its way the form is a form
	on(w.T, h.Tab, "/fertig")
	h.silent(cutOff, "axe")
}

func twoTabs(w *world, b *browsertest.Browser) {
	out, one := w.begun("de"), w.hand(b, phone)
	one.visit(out.Token, "/frage/1")
	two := one.beside()
	two.visit(out.Token, "/frage/1")
	one.choose(2)
	two.WaitFor("document.querySelector('input:checked')?.value == '2'")
	two.choose(5)
	one.WaitFor("document.querySelector('input:checked')?.value == '5'")
	two.press("weiter")
	two.choose(1)
	one.WaitFor("document.querySelector('progress').value == 2")
	one.press("weiter")
	one.shows(2)
	if got := one.chosen(); got != 1 {
		w.Errorf("the other tab's answer is shown as %d", got)
	}
	one.sent()
	if a := w.test(out.Token).Sheet.Answers; a[0].Value != 5 || a[0].Changes != 1 || a[1].Value != 1 {
		w.Errorf("saved %+v", a[:2])
	}
	w.answer(out.Token, 2, len(w.Instrument.Items()))
	two.visit(out.Token, "/abgabe")
	two.Follow("form[data-last] .button")
	on(w.T, two.Tab, "/fertig")
	one.arrive("/fertig") // by itself
	one.sent()
	one.silent()
	two.silent()
}

func twoDevices(w *world, b *browsertest.Browser) {
	out := w.begun("de")
	w.answer(out.Token, 0, 2)
	one, two := w.hand(b, phone), w.hand(b, phone)
	one.visit(out.Token, "/frage/1")
	two.visit(out.Token, "/frage/1")
	one.Offline(true)
	one.choose(1)
	one.wait("Keine Verbindung")
	w.Later(time.Minute)
	two.choose(6)
	two.sent()
	two.wait("Gespeichert")
	one.Offline(false)
	one.sent()
	one.WaitFor("document.querySelector('input:checked').value == '6'") // the server is the truth
	one.wait("Gespeichert. Bei Nr. 1 gilt, was Sie später")
	one.look("outdated")
	if got := w.test(out.Token).Sheet.Answers[0].Value; got != 6 {
		w.Errorf("saved %d", got)
	}
	w.Later(time.Minute)
	one.choose(3)
	one.sent()
	one.WaitFor("document.querySelector('[role=status]').dataset.state == 'saved'") // of something else now
	if got := w.test(out.Token).Sheet.Answers[0].Value; got != 3 {
		w.Errorf("saved %d", got)
	}
	// Chosen here after the answer elsewhere, although something else is saved there meanwhile.
	w.Later(time.Minute)
	two.choose(5)
	two.wait("Gespeichert")
	two.sent()
	w.Later(time.Hour) // the server's clock stands otherwise, and the browser's goes on
	one.Offline(true)
	one.choose(2)
	one.wait("Keine Verbindung")
	two.press("weiter")
	two.choose(3)
	two.sent()
	one.Offline(false)
	one.sent()
	one.WaitFor("document.querySelector('[role=status]').dataset.state == 'saved'")
	if got := w.test(out.Token).Sheet.Answers[0].Value; got != 2 || one.chosen() != 2 {
		w.Errorf("saved %d, shown %d", got, one.chosen())
	}
	one.silent(cutOff, "axe")
	two.silent()
}

func reloaded(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	for n := 1; n <= 3; n++ {
		h.choose(n)
		h.press("weiter")
	}
	h.choose(4)
	h.sent()
	h.Reload()
	h.shows(4)
	if h.chosen() != 4 || h.bar() != 4 {
		w.Errorf("after the reload %d is chosen, the bar counts %d", h.chosen(), h.bar())
	}
	h.press("zurueck")
	h.shows(3)
	h.Go(-1)
	h.arrive("/frage/4")
	h.shows(4)
	h.Go(-1) // to a page of before the reload
	h.arrive("/frage/3")
	h.WaitFor("document.querySelector('input:checked')?.value == '3'")
	h.shows(3)
	h.Go(2)
	h.arrive("/frage/3")
	h.press("weiter")
	h.shows(4)
	fresh := w.hand(b, phone) // another device
	fresh.visit(out.Token, "")
	fresh.Follow("form .button")
	fresh.shows(5)
	h.silent()
	fresh.silent()
}

// refused puts nonsense into the browser's storage, and then ends the test elsewhere.
func refused(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	name := "typus." + storageKey(out.Token)
	browsertest.Eval[any](h.Tab, fmt.Sprintf(`
		localStorage.setItem("%[1]s.1", JSON.stringify({n: 1, value: 3, was: [0], ms: 5, changes: 0, at: Date.now()}));
		localStorage.setItem("%[1]s.2", JSON.stringify({n: 2, value: 99, was: [0], ms: 5, changes: 0, at: Date.now()}));
		localStorage.setItem("%[1]s.70", JSON.stringify({n: 70, value: 3, was: [0], ms: 5, changes: 0, at: Date.now()}));
		localStorage.setItem("%[1]s.3", "nonsense");
		window.before = true;
		document.dispatchEvent(new Event("visibilitychange"))`, name))
	// After a refusal the page loads itself again. What is nobody's answer is never sent.
	h.WaitFor(`!window.before && document.readyState == "complete" && localStorage.length == 1`)
	if a := w.test(out.Token).Sheet.Answers; a[0].Value != 3 || a[1].Value != 0 || a[69].Value != 0 {
		w.Errorf("saved %+v", a[:2])
	}
	w.answer(out.Token, 1, len(w.Instrument.Items()))
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
	h.choose(6)
	h.arrive("/fertig") // to see what the server says
	h.sent()
	h.silent("status of 400", "status of 409")
}

// busy lets the requests of the script end in what a browser may get from a server
// that is busy, from the sign-on page or a filter of a network, or from no server at
// all. None arrives: on a slow machine there are more tries than are asked for.
func busy(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	browsertest.Eval[any](h.Tab, `{
		const answers = [
			() => new Response("busy", {status: 503}), () => new Response("<h1>Sign on</h1>"), () => Response.json({}),
			() => new Response("", {status: 429}), () => Promise.reject(new TypeError("gone")),
			() => new Response("<h1>Blocked</h1>", {status: 403, headers: {"Content-Type": "text/html"}}),
			() => new Response("<h1>Not found</h1>", {status: 404, headers: {"Content-Type": "text/html"}}),
			() => Response.json({error: "Forbidden"}, {status: 403}), () => Response.json({}, {status: 404}),
		];
		const began = Date.now();
		Date.now = () => began;
		window.tries = 0;
		window.fetch = async () => {
			window.tries++;
			return (answers.length > 1 ? answers.shift() : answers[0])();
		};
	}`)
	h.choose(3)
	h.wait("Keine Verbindung")
	h.WaitFor("tries >= 2") // by itself
	for try := 2; try < 9; try++ {
		h.WaitFor(fmt.Sprintf("tries >= %d", try))
		h.wait("Keine Verbindung")
		browsertest.Eval[any](h.Tab, "dispatchEvent(new Event('online'))")
	}
	h.wait("Keine Verbindung")
	if browsertest.Eval[int](h.Tab, "sessionStorage.length") != 0 {
		w.Error("gave up within seconds")
	}
	browsertest.Eval[any](h.Tab, `{
		const began = Date.now();
		Date.now = () => began + 61_000;
		window.fetch = () => Promise.reject(new TypeError("gone"));
		dispatchEvent(new Event("online"));
	}`)
	h.WaitFor("sessionStorage.length == 1") // who loads the page now gets it plain
	h.Reload()
	h.sent() // what was kept is sent all the same
	h.WaitFor("sessionStorage.length == 0")
	if got := w.test(out.Token).Sheet.Answers[0].Value; got != 3 {
		w.Errorf("saved %d", got)
	}
	h.choose(6)
	h.Follow("[value=weiter]") // a page of the server's
	h.shows(2)
	if got := w.test(out.Token).Sheet.Answers[0].Value; got != 6 {
		w.Errorf("saved %d", got)
	}
	h.silent("status of 503", "status of 429")
}

// hanging lets requests hang until lose() ends the one under way, and makes what is
// said after a second be said at once.
func hanging(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	browsertest.Eval[any](h.Tab, `{
		const later = setTimeout;
		window.setTimeout = (what, ms) => later(what, ms === 1_000 ? 0 : ms);
		window.tries = 0;
		window.fetch = () => { tries++; return new Promise((_, fail) => { window.lose = () => fail(new TypeError("gone")) }) };
		window.said = [];
		const line = document.querySelector("[role=status]");
		new MutationObserver(() => said.push(line.dataset.state)).observe(line, {childList: true});
		window.settled = () => new Promise((done) => later(done, 20));
	}`)
	h.choose(3)
	h.wait("Wird gespeichert")
	browsertest.Eval[any](h.Tab, "lose()")
	h.wait("Keine Verbindung")
	for try := 2; try <= 4; try++ {
		browsertest.Eval[any](h.Tab, "dispatchEvent(new Event('online'))")
		h.WaitFor(fmt.Sprintf("tries == %d", try))
		browsertest.Eval[any](h.Tab, "settled().then(lose).then(settled)")
	}
	if said := browsertest.Eval[[]string](h.Tab, "said"); !slices.Equal(said, []string{"saving", "offline"}) {
		w.Errorf("said %q", said)
	}
	h.silent()
}

// measured moves the page's own clock, as no test should wait.
func measured(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	browsertest.Eval[any](h.Tab, `{
		let now = performance.now();
		performance.now = () => now;
		window.pass = (ms) => { now += ms };
		window.away = (gone) => dispatchEvent(new Event(gone ? "blur" : "focus"));
	}`)
	h.choose(1)
	h.press("weiter")
	browsertest.Eval[any](h.Tab, "pass(3000); away(true); pass(60000); away(false); pass(2000)")
	h.choose(2)
	h.choose(4)
	browsertest.Eval[any](h.Tab, "pass(1000)") // until it goes on, not only until something is chosen
	h.press("weiter")
	browsertest.Eval[any](h.Tab, "pass(500)")
	h.press("zurueck")
	browsertest.Eval[any](h.Tab, "pass(4000)")
	h.choose(5)
	h.sent()
	h.wait("Gespeichert")
	want := instrument.Answer{Value: 5, ActiveMS: 10_000, Changes: 2}
	if got := w.test(out.Token).Sheet.Answers[1]; got != want {
		w.Errorf("saved %+v, not %+v", got, want)
	}
	h.silent()
}

func unanswered(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	h.press("weiter")
	h.WaitFor("document.activeElement.role == 'alert' && document.title.startsWith('Fehler: Aussage 1 von 97')")
	for _, violation := range h.Axe() {
		w.Error(violation)
	}
	h.choose(2)
	h.WaitFor("document.querySelector('[role=alert]').hidden && document.title.startsWith('Aussage')")
	h.press("weiter")
	h.press("auslassen")
	h.shows(3)
	h.press("zurueck")
	h.shows(2)
	h.WaitFor("!document.getElementById('ausgelassen').hidden")
	h.press("weiter") // passes what was left out
	h.shows(3)
	h.sent()
	h.wait("Gespeichert")
	if a := w.test(out.Token).Sheet.Answers[1]; !a.Skipped || a.Value != 0 {
		w.Errorf("saved %+v", a)
	}
	h.silent("axe")
}

// atWork looks at an item that the script has put on the page, saved, unanswered
// and without a connection, in each language and theme, at the widths of a small phone,
// a phone and a desk.
func atWork(w *world, b *browsertest.Browser) {
	for lang, look := range map[string][]browsertest.Look{
		"de": {{Width: 320, Height: 640}, {Width: 1280, Dark: true}},
		"en": {{Width: 390, Height: 844, Dark: true}, {Width: 1280}},
	} {
		first := visit{Test: assess.Test{Instrument: w.Instrument}}.firstOf(4)
		for _, l := range look {
			out, h := w.begun(lang), w.hand(b, l)
			w.answer(out.Token, 0, first)
			h.visit(out.Token, fmt.Sprintf("/frage/%d", first+1))
			if moved := browsertest.Eval[float64](h.Tab, shifts); moved != 0 {
				w.Errorf("%s: things move by %f", l, moved)
			}
			h.choose(3)
			h.sent()
			h.press("weiter")
			h.choose(5)
			h.sent()
			h.look(lang + "-saved")
			h.press("weiter")
			h.press("weiter")
			h.look(lang + "-missing")
			h.Offline(true)
			h.choose(4)
			h.WaitFor("document.querySelector('[role=status]').dataset.state == 'offline'")
			h.look(lang + "-offline")
			browsertest.Eval[int](h.Tab, walkSection)
			h.WaitFor("document.querySelector('[role=status]').dataset.state == 'waiting'")
			h.look(lang + "-waiting")
			h.silent(cutOff, "axe")
		}
	}
}

// shifts adds up by how much things have moved on the page without anybody
// having touched it.
const shifts = `new Promise((done) => {
	let sum = 0;
	new PerformanceObserver((list) => {
		for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
	}).observe({type: "layout-shift", buffered: true});
	requestAnimationFrame(() => setTimeout(() => done(sum)));
})`

// look holds the page against axe and the width of the screen, and leaves a
// picture where TYPUS_SHOTS says.
func (h hand) look(name string) {
	h.w.Helper()
	if shots := os.Getenv("TYPUS_SHOTS"); shots != "" {
		h.Screenshot(filepath.Join(shots, "script-"+name+"-"+h.Look().String()+".png"))
	}
	if wider := h.Overflow(); wider > 0 {
		h.w.Errorf("%s is %d px wider than the screen", name, wider)
	}
	for _, target := range browsertest.Eval[[]string](h.Tab, small) {
		h.w.Errorf("%s: %q is too small to hit", name, target)
	}
	for _, violation := range h.Axe() {
		h.w.Errorf("%s: %s", name, violation)
	}
}

// detours leaves the walk through a section by the list of open items, by the
// language switch and by the statement on accessibility.
func detours(w *world, b *browsertest.Browser) {
	out, h := w.begun("de"), w.hand(b, phone)
	of := w.ofDimension("integrity")
	w.answer(out.Token, 0, len(w.Instrument.Items()), of[0], of[1], of[2])
	h.visit(out.Token, "/abgabe")
	h.Follow(".link-row")
	h.shows(of[0] + 1)
	h.choose(4)
	h.press("weiter")
	h.arrive("/abgabe")
	h.Follow("a[href$='/barrierefreiheit']")
	on(w.T, h.Tab, "/barrierefreiheit")
	h.Follow(".panel .button")
	on(w.T, h.Tab, "/t/"+out.Token)
	h.visit(out.Token, "/frage/1")
	h.press("weiter")
	h.press("weiter")
	h.Follow("[name=sprache]")
	on(w.T, h.Tab, "/frage/3")
	browsertest.Await(h.Tab, heading, shown(w.Instrument.Text("en", w.Instrument.Items()[2].ID)))
	h.press("zurueck")
	h.press("zurueck")
	h.WaitFor("document.querySelector('[value=zurueck]').hidden && location.pathname.endsWith('/frage/1')")
	h.silent()
}
