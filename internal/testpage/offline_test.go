package testpage

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/page/browsertest"
	"typus/internal/page/pagetest"
	"typus/internal/porttest"
	"typus/internal/store"
)

// TestAReloadWithoutAConnection stops the server, and starts it again at the same address.
func TestAReloadWithoutAConnection(t *testing.T) {
	browser := browsertest.New(t)
	for name, test := range map[string]func(*machine, *browsertest.Browser){
		"shows what waits, and goes on":           offlineAndOn,
		"goes on by itself":                       onlineAgain,
		"shows nothing of another test":           twoLinks,
		"says what it knows of a closed storage":  storageThatTellsNothing,
		"stands before nothing the server says":   passesThrough,
		"is over with the test":                   workerGoes,
		"has a new worker in place of an old one": newWorker,
		"is of the tests alone":                   testsAlone,
		"looks good":                              offlineLook,
	} {
		t.Run(name, func(t *testing.T) { test(newMachine(t), browser) })
	}
}

// machine is a world whose server can be stopped.
type machine struct {
	*world
	addr    string
	handler http.Handler
	broken  atomic.Bool // answers 500 to everything under /t/
	next    atomic.Bool // has the next version of the worker
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{world: newWorld(t), addr: porttest.Free(t)}
	inner := m.server.Config.Handler
	m.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case m.broken.Load() && strings.HasPrefix(r.URL.Path, "/t/"):
			status := http.StatusInternalServerError
			if r.URL.Path == "/t/worker.js" {
				status = http.StatusNotFound
			}
			http.Error(w, "broken", status)
		case m.next.Load() && r.URL.Path == "/t/worker.js":
			answer := httptest.NewRecorder()
			inner.ServeHTTP(answer, httptest.NewRequest("GET", r.URL.Path, nil))
			w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
			fmt.Fprint(w, strings.Replace(answer.Body.String(), `const version = "`, `const version = "next`, 1))
		case r.URL.Path == "/dashboard" || r.URL.Path == "/docs":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!doctype html><html lang=de><title>x</title><h1>%s</h1>", r.URL.Path)
		default:
			inner.ServeHTTP(w, r)
		}
	})
	m.start()
	return m
}

func (m *machine) start() {
	m.Helper()
	l, err := net.Listen("tcp", m.addr)
	m.Must(err)
	s := httptest.NewUnstartedServer(m.handler)
	m.Must(s.Listener.Close())
	s.Listener = l
	s.Start()
	m.server = s
	m.Cleanup(s.Close)
}

// stop ends the server: nobody listens any more, and no connection is left.
func (m *machine) stop() {
	m.Helper()
	m.server.Close()
	if c, err := net.DialTimeout("tcp", m.addr, time.Second); err == nil {
		c.Close()
		m.Fatal("the server still listens")
	}
}

const offlineHeading = "Keine Verbindung"

// kept waits until the worker stands by and knows the language of this page.
func (h hand) kept(token string) {
	h.w.Helper()
	browsertest.Eval[any](h.Tab, fmt.Sprintf(`(async () => {
		await navigator.serviceWorker.ready;
		while (!await caches.match("/t/offline?key=%s", { cacheName: "typus-language" })) await new Promise((go) => setTimeout(go, 20));
	})()`, storageKey(token)))
}

// leaves does something that leads away from this page, and waits for the next one with a
// heading.
func (h hand) leaves(act, heading string) {
	h.w.Helper()
	browsertest.Eval[any](h.Tab, "window.left = true")
	browsertest.Eval[any](h.Tab, "setTimeout(() => {"+act+"}); null") // the answer comes before the page goes
	h.Arrive(fmt.Sprintf("!window.left && document.querySelector('h1')?.textContent === %q", heading))
}

// gone waits until nothing of the worker is left.
func (h hand) gone() {
	h.w.Helper()
	browsertest.Eval[any](h.Tab, `(async () => {
		while (await navigator.serviceWorker.getRegistration("/t/") || (await caches.keys()).length > 0) await new Promise((go) => setTimeout(go, 20));
	})()`)
}

// waits is what the page says of waiting answers.
func (h hand) waits(begins string) {
	h.w.Helper()
	h.WaitFor(fmt.Sprintf("document.getElementById('wartet').textContent.startsWith(%q)", begins))
}

func offlineAndOn(m *machine, b *browsertest.Browser) {
	out, h := m.begun("de"), m.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	h.kept(out.Token)
	m.stop()
	h.leaves("location.reload()", offlineHeading)
	h.waits("In diesem Browser wartet zu diesem Link keine Antwort")
	m.start()
	h.leaves("document.getElementById('erneut').click()", shown(m.Instrument.Text("de", m.Instrument.Items()[0].ID)))

	m.stop()
	h.choose(5)
	h.wait("Keine Verbindung")
	h.leaves("location.reload()", offlineHeading)
	h.waits("In diesem Browser wartet eine Antwort")
	m.start()
	h.leaves("document.getElementById('erneut').click()", shown(m.Instrument.Text("de", m.Instrument.Items()[0].ID)))
	h.sent()

	m.stop()
	for n := 2; n <= 4; n++ {
		h.press("weiter")
		h.shows(n)
		h.choose(n)
	}
	h.wait("Keine Verbindung")
	h.leaves("location.reload()", offlineHeading)
	h.waits("In diesem Browser warten 3 Antworten")
	h.leaves("document.getElementById('erneut').click()", offlineHeading) // still none
	h.waits("In diesem Browser warten 3 Antworten")
	if focus := browsertest.Eval[string](h.Tab, "document.activeElement.tagName + document.documentElement.lang"); focus != "H1de" {
		m.Errorf("reading begins at %s", focus)
	}
	if page := browsertest.Eval[string](h.Tab, "document.documentElement.outerHTML"); strings.Contains(page, out.Token) || strings.Contains(page, "Kim") || strings.Contains(page, "Muster") {
		m.Errorf("the page knows somebody: %s", page)
	}
	h.look("offline")
	m.start()
	h.leaves("document.getElementById('erneut').click()", shown(m.Instrument.Text("de", m.Instrument.Items()[3].ID)))
	h.shows(4)
	h.sent()
	for i, want := range []int{5, 2, 3, 4} {
		if got := m.test(out.Token).Sheet.Answers[i].Value; got != want {
			m.Errorf("item %d: saved %d, not %d", i+1, got, want)
		}
	}
	h.silent(refusedConnection, "axe")
}

const refusedConnection = "net::ERR_"

func onlineAgain(m *machine, b *browsertest.Browser) {
	out, h := m.begun("de"), m.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	h.kept(out.Token)
	m.stop()
	h.leaves("location.reload()", offlineHeading)
	h.waits("In diesem Browser")
	m.start()
	h.leaves("dispatchEvent(new Event('online'))", shown(m.Instrument.Text("de", m.Instrument.Items()[0].ID)))
	h.silent(refusedConnection)
}

func twoLinks(m *machine, b *browsertest.Browser) {
	mine, h := m.begun("de"), m.hand(b, phone)
	h.visit(mine.Token, "/frage/1")
	h.kept(mine.Token)
	yours, other := m.begun("en"), h.beside()
	other.visit(yours.Token, "/frage/1")
	other.kept(yours.Token)
	m.stop()
	h.choose(5)
	h.wait("Keine Verbindung")
	other.leaves("location.reload()", "No connection")
	other.waits("In this browser, no answer for this link")
	h.leaves("location.reload()", offlineHeading)
	h.waits("In diesem Browser wartet eine Antwort")
	names := browsertest.Eval[string](h.Tab, `(async () => {
		let all = JSON.stringify(localStorage);
		for (const name of await caches.keys()) {
			const cache = await caches.open(name);
			for (const request of await cache.keys()) all += " " + request.url + await (await cache.match(request)).text();
		}
		return all;
	})()`)
	for _, secret := range []string{mine.Token, yours.Token, "Kim", "Muster"} {
		if strings.Contains(names, secret) {
			m.Errorf("the browser keeps %q", secret)
		}
	}
	h.silent(refusedConnection)
	other.silent(refusedConnection)
}

func storageThatTellsNothing(m *machine, b *browsertest.Browser) {
	out, h := m.begun("de"), m.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	h.kept(out.Token)
	h.Before(`Object.defineProperty(window, "localStorage", { get() { throw new DOMException("off", "SecurityError") } })`)
	m.stop()
	h.leaves("location.reload()", offlineHeading)
	h.waits("Ihr Browser hat seinen Speicher geschlossen")
	// Where nothing of the worker can be kept, the test goes on as ever.
	m.start()
	for name, closed := range map[string]string{
		"no worker": "delete Navigator.prototype.serviceWorker",
		"no caches": `Object.defineProperty(window, "caches", { get() { throw new DOMException("off", "SecurityError") } })`,
		"refused":   `ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException("private", "SecurityError"))`,
	} {
		out, h := m.begun("de"), m.hand(b, phone)
		h.Before(closed)
		h.visit(out.Token, "/frage/1")
		h.choose(3)
		h.wait("Gespeichert")
		h.silent()
		if got := m.test(out.Token).Sheet.Answers[0].Value; got != 3 {
			m.Errorf("%s: saved %d", name, got)
		}
	}
}

func passesThrough(m *machine, b *browsertest.Browser) {
	out, h := m.begun("de"), m.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	h.kept(out.Token)
	h.visit(out.Token, "/frage/999")
	if got := browsertest.Eval[string](h.Tab, heading); got == offlineHeading || !browsertest.Eval[bool](h.Tab, "navigator.serviceWorker.controller !== null") {
		m.Errorf("the page of 404 is %q", got)
	}
	m.broken.Store(true)
	h.visit(out.Token, "/frage/1")
	if got := browsertest.Eval[string](h.Tab, "document.body.textContent"); got != "broken\n" {
		m.Errorf("the page of 500 is %q", got)
	}
	m.broken.Store(false)
	h.visit(out.Token, "/frage/40") // leads to the item that is next
	h.shows(1)
	h.silent("status of 404", "status of 500")
}

func workerGoes(m *machine, b *browsertest.Browser) {
	for name, end := range map[string]func(token string, id int64, h hand){
		"handed in": func(token string, _ int64, h hand) {
			m.answer(token, 0, len(m.Instrument.Items()))
			h.visit(token, "/abgabe")
			h.Follow("form[data-last] .button")
			on(m.T, h.Tab, "/fertig")
		},
		"declined": func(token string, _ int64, h hand) {
			h.visit(token, "/absage")
			h.Follow("form[action$='/absage'] .button")
			h.WaitFor("document.getElementById('skript').dataset.over === ''")
		},
		"withdrawn": func(token string, id int64, h hand) {
			m.Must(m.Assess.Cancel(m.Ctx, store.WholeAccount(m.Account), id, typus.Actor{Name: "owner@example.com"}))
			h.visit(token, "")
		},
		"another link": func(_ string, _ int64, h hand) { h.visit("nobody", "") },
	} {
		out, h := m.begun("de"), m.hand(b, phone)
		h.visit(out.Token, "/frage/1")
		h.kept(out.Token)
		end(out.Token, out.Candidate.ID, h)
		h.gone()
		h.Reload()
		if browsertest.Eval[bool](h.Tab, "navigator.serviceWorker.controller !== null") {
			m.Errorf("%s: the worker stands before the page", name)
		}
		h.silent("status of 410", "status of 404")
	}
}

func newWorker(m *machine, b *browsertest.Browser) {
	out, h := m.begun("de"), m.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	h.kept(out.Token)
	m.next.Store(true)
	names := browsertest.Eval[[]string](h.Tab, `(async () => {
		await (await navigator.serviceWorker.ready).update();
		for (;;) {
			const names = (await caches.keys()).filter((name) => name.startsWith("typus-offline-"));
			if (names.length === 1 && names[0].startsWith("typus-offline-next")) return names;
			await new Promise((go) => setTimeout(go, 20));
		}
	})()`)
	m.stop()
	h.leaves("location.reload()", offlineHeading) // in the language that the last one knew
	h.waits("In diesem Browser")
	m.start()
	// A server that has no such file leaves the worker where it is: browsers take it for a
	// fault.
	m.broken.Store(true)
	if still := browsertest.Eval[bool](h.Tab, `(async () => {
		const registration = await navigator.serviceWorker.ready;
		await registration.update().catch(() => {});
		return await navigator.serviceWorker.getRegistration("/t/") !== undefined;
	})()`); !still {
		m.Error("a fault of the server takes the worker away")
	}
	h.silent(refusedConnection, "status of 404", "bad HTTP response code")
	m.Logf("the caches are %q", names)
}

func testsAlone(m *machine, b *browsertest.Browser) {
	out, h := m.begun("de"), m.hand(b, phone)
	h.visit(out.Token, "/frage/1")
	h.kept(out.Token)
	if scope := browsertest.Eval[string](h.Tab, "navigator.serviceWorker.ready.then((registration) => registration.scope)"); scope != m.server.URL+"/t/" {
		m.Errorf("the scope is %s", scope)
	}
	for _, path := range []string{"/dashboard", "/docs"} {
		h.Open(m.server.URL + path)
		if browsertest.Eval[bool](h.Tab, "navigator.serviceWorker.controller !== null") {
			m.Errorf("the worker stands before %s", path)
		}
	}
	// No other address can be made a worker of, by nobody and under no name.
	h.visit(out.Token, "/frage/1")
	if refused := browsertest.Eval[int](h.Tab, `(async () => {
		let refused = 0;
		for (const attempt of [
			() => navigator.serviceWorker.register("/t/worker.js"),
			() => navigator.serviceWorker.register("/static/other.js"),
			async () => trustedTypes.createPolicy("typus-worker", { createScriptURL: (url) => url }),
			async () => trustedTypes.createPolicy("other", { createScriptURL: (url) => url }),
			async () => trustedTypes.createPolicy("default", { createScriptURL: (url) => url }),
		]) await attempt().catch(() => { refused++ });
		return refused;
	})()`); refused != 5 {
		m.Errorf("%d attempts of 5 are refused", refused)
	}
	h.visit(out.Token, "/absage")
	if made := browsertest.Eval[bool](h.Tab, `(() => { try { trustedTypes.createPolicy("typus-worker", {}); return true } catch { return false } })()`); made {
		m.Error("another page can make the policy")
	}
}

func offlineLook(m *machine, b *browsertest.Browser) {
	for _, lang := range []string{"de", "en"} {
		for _, look := range []browsertest.Look{{Width: 320, Height: 640}, {Width: 320, Height: 640, Dark: true}, {Width: 1280}, {Width: 1280, Dark: true}} {
			tab := b.Tab(m.T, look)
			tab.Open(m.server.URL + "/t/offline?lang=" + lang)
			tab.WaitFor("!document.getElementById('wartet').hidden")
			if shots := os.Getenv("TYPUS_SHOTS"); shots != "" {
				tab.Screenshot(filepath.Join(shots, "offline-"+lang+"-"+look.String()+".png"))
			}
			hand{tab, m.world}.look("offline-" + lang)
			if tab.Overflow() > 0 {
				m.Errorf("%s at %s is too wide", lang, look)
			}
		}
	}
}

// TestTheWorkerKeepsOnePageAlone reads what the worker is told to keep, and its version.
func TestTheWorkerKeepsOnePageAlone(t *testing.T) {
	f := newTestFace(t)
	pagetest.CheckScripts(t, os.DirFS("."))
	script, err := f.workerScript(files)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitN(string(script), "\n", 3)
	for _, address := range strings.Split(strings.Trim(strings.TrimPrefix(lines[1], "const kept = "), "[];"), ",") {
		address = strings.Trim(address, `"`)
		if address != "/t/offline?lang=de" && address != "/t/offline?lang=en" && !strings.HasPrefix(address, "/static/typus.") && !strings.HasPrefix(address, "/static/offline.") {
			t.Errorf("it keeps %s", address)
		}
	}
	again, err := f.workerScript(files)
	if err != nil || string(again) != string(script) {
		t.Errorf("it changes by itself: %v", err)
	}
	if n := strings.Count(lines[2], "\n"); n > 60 {
		t.Errorf("it has %d lines", n)
	}
}
