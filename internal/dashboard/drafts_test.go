package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus/internal/clerk"
	"typus/internal/page/browsertest"
	"typus/internal/store"
)

// types sends a draft as the script of the page does, and returns the new stand.
func (c *client) types(path string, form url.Values, status int) string {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Ctx, "POST", c.server.URL+path+"/leitfaden/entwurf", strings.NewReader(form.Encode()))
	c.Must(err)
	for name, value := range map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": c.server.URL, "Accept": "application/json"} {
		r.Header.Set(name, value)
	}
	a := c.send(r).want(c, status)
	var said keptDraft
	if err := json.Unmarshal([]byte(a.body), &said); err != nil || (said.Stand == "") != (status != 200) {
		c.Errorf("the script hears %q", a.body)
	}
	return said.Stand
}

// A draft that is kept by itself is what the button keeps: only its author reads it, it opens
// nothing and is no rating, and an old window replaces nothing.
func TestADraftThatKeepsItselfIsNoRating(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.blindTo(false)
		out := w.finished("Fertig Muster")
		path := "/dashboard/kandidat/" + id(out)
		c, colleague := w.as(interviewer), w.as(interviewer)
		if a := c.get(path + "/leitfaden"); !strings.Contains(a.body, `data-drawn hidden`) {
			t.Error("a draft is shown that nobody has typed")
		}
		form := c.marks("", "Am Telefon ruhig")
		first := c.types(path, form, 200)
		c.get(path+"/leitfaden").want(t, 200, "Entwurf vom", "Am Telefon ruhig", `name="stand" value="`+first+`"`)
		form.Set("stand", "0123456789abcdef01234567")
		if again := c.types(path, form, 200); again != first {
			t.Error("what arrives once more is something else")
		}
		form.Set("notiz-co2", "Nachgefragt")
		c.types(path, form, 409)
		form.Set("stand", first)
		c.types(path, form, 200)
		if a := c.get(path); strings.Contains(a.body, `<article class="report`) {
			t.Error("a draft opens the result")
		}
		for _, at := range []string{path, path + "/leitfaden"} {
			if a := colleague.get(at); strings.Contains(a.body, "Nachgefragt") {
				t.Errorf("a colleague reads a draft at %s", at)
			}
		}
		if said := w.actions(); strings.Contains(said, "interview") {
			t.Errorf("a draft is noted: %s", said)
		}

		colleague.types(path, form, 403)
		w.as(viewer).types(path, form, 403)
		long := c.marks("", strings.Repeat("x", clerk.MaxNote+1))
		c.types(path, long, 422)
		c.post(path+"/leitfaden", c.marks("3", "")).want(t, 303)
		c.types(path, form, 409)
		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, by))
		if a := c.get(path + "/leitfaden"); a.StatusCode != 404 || strings.Contains(a.body, "Nachgefragt") {
			t.Errorf("%s for the draft of somebody who is erased", a.Status)
		}
	})
}

func TestADraftIsDroppedAsItWasSeenAndByItsAuthorOnly(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster"))
		drop := path + "/leitfaden/entwurf/verwerfen"
		c, colleague := w.as(member), w.as(member)
		old := c.types(path, c.marks("", "Zuerst"), 200)
		now := c.types(path, c.marks("2", "Später gehört"), 200)
		sent := fields("von", strconv.FormatInt(c.user.ID, 10), "stand", old)
		c.follow(c.post(drop, sent)).want(t, 200, "gelöscht wurde nichts", "Später gehört")
		colleague.follow(colleague.post(drop, sent)).want(t, 200, "gehört jemand anderem")
		w.as(viewer).post(drop, sent).want(t, 403)
		sent.Set("stand", now)
		gone := c.post(drop, sent)
		if to := gone.Header.Get("Location"); !strings.HasSuffix(to, "/leitfaden"+draftOver) {
			t.Errorf("the browser is not told to forget: %s", to)
		}
		if a := c.follow(gone).want(t, 200, "Der Entwurf ist gelöscht."); strings.Contains(a.body, "Später gehört") || !strings.Contains(a.body, "data-drawn hidden") {
			t.Errorf("the draft is still there:\n%s", a.body)
		}
		saved := c.post(path+"/leitfaden", c.marks("4", "Gespeichert"))
		if to := saved.Header.Get("Location"); to != path+draftOver {
			t.Errorf("the browser is not told to forget: %s", to)
		}
		sent.Del("stand")
		c.follow(c.post(drop, sent)).want(t, 200, "Es wurde nichts geändert", "Gespeichert")
	})
}

// writer is a browser in which somebody fills in a guide.
type writer struct {
	*browsertest.Tab
	w    *world
	path string
}

const (
	draftNote  = `document.querySelector("#notiz-co2")`
	draftState = `document.querySelector(".draft-state").dataset.state`
	draftsHere = `Object.keys(localStorage).filter(name => name.startsWith("typus-draft.")).length`
)

func (b writer) logIn(c *client) {
	b.Cookie(b.w.server.URL, b.w.face.sessionCookie(), c.cookie(b.w.face.sessionCookie()))
	b.guide()
}

func (b writer) guide() { b.Open(b.w.server.URL + b.path + "/leitfaden") }

func (b writer) types(text string) {
	b.Focus("#notiz-co2")
	browsertest.Eval[any](b.Tab, draftNote+`.setSelectionRange(9999, 9999)`)
	b.Press(text)
}

// has fails unless the note, and how many drafts this browser keeps, are those.
func (b writer) has(text string, kept int) {
	b.w.Helper()
	if got := browsertest.Eval[string](b.Tab, draftNote+".value"); got != text {
		b.w.Errorf("the note is %q, want %q", got, text)
	}
	if n := browsertest.Eval[int](b.Tab, draftsHere); n != kept {
		b.w.Errorf("this browser keeps %d drafts, want %d", n, kept)
	}
}

func TestADraftOutlivesTheConnectionAndThePageButNotTheUser(t *testing.T) {
	w := newWorld(t)
	out := w.finished("Fertig Muster")
	b := writer{browsertest.New(t).Tab(t, browsertest.Look{Width: 390, Height: 844}), w, "/dashboard/kandidat/" + id(out)}
	first, second := w.as(member), w.as(member)
	b.logIn(first)

	b.types("Online. ")
	browsertest.Await(b.Tab, draftState, "kept")
	b.has("Online. ", 0)
	b.Click(`input[name="bewertung-co2"][value="4"]`)
	b.Offline(true)
	b.types("Im Keller.")
	b.WaitFor(draftsHere + ` === 1`)
	browsertest.Eval[any](b.Tab, `window.fetch = () => new Promise(() => {}), 0`) // the next page is to send it, not this one on its way out
	b.Offline(false)
	b.guide()
	b.WaitFor(`!document.querySelector("[data-drawn]").hidden && ` + draftsHere + ` === 0`)
	b.has("Online. Im Keller.", 0)
	b.guide()
	b.has("Online. Im Keller.", 0)
	if !browsertest.Eval[bool](b.Tab, `document.querySelector("[data-drawn]").innerText.includes("Entwurf vom") && document.querySelector('input[name="bewertung-co2"][value="4"]').checked`) {
		t.Error("the page does not say that this is a draft, or has lost the mark")
	}

	// Somebody else in the same browser, while the first has something unsent.
	b.Offline(true)
	b.types(" Unverschickt.")
	browsertest.Await(b.Tab, draftState, "local")
	b.Offline(false)
	browsertest.Await(b.Tab, draftState, "kept") // it catches up by itself
	b.Cookie(w.server.URL, w.face.sessionCookie(), "abgelaufen")
	b.types(" Abgemeldet.")
	browsertest.Await(b.Tab, draftState, "login")
	b.logIn(first)
	b.WaitFor(`!document.querySelector("[data-drawn]").hidden && ` + draftsHere + ` === 0`)
	b.has("Online. Im Keller. Unverschickt. Abgemeldet.", 0)
	b.Offline(true)
	b.types(" Geheim.")
	b.WaitFor(draftsHere + ` === 1`)
	b.Offline(false)
	b.logIn(second)
	b.has("", 0)
	if browsertest.Eval[bool](b.Tab, `JSON.stringify(localStorage).includes("Geheim") || document.body.innerHTML.includes("Keller")`) {
		t.Error("somebody else finds the draft")
	}

	if first.marks("", "").Has("notiz-in1") {
		t.Fatal("everybody is asked what the next lines take for an old question")
	}
	// What was typed for a question that is no longer asked is not lost.
	b.logIn(first)
	browsertest.Eval[any](b.Tab, fmt.Sprintf(`localStorage.setItem("typus-draft.%d.%s", JSON.stringify({
		at: Date.now(), stand: document.querySelector(".guide-form").elements.stand.value, values: {"notiz-co2": "Kurz", "notiz-in1": "Zur alten Frage"}}))`, first.user.ID, id(out)))
	b.guide()
	b.WaitFor(draftsHere + ` === 0`)
	first.get(b.path+"/leitfaden").want(t, 200, "Zur alten Frage")

	// Two devices: what came in between is not replaced, and both stand on the page.
	b.logIn(first)
	b.Offline(true)
	b.types(" Zu Fuß.")
	b.WaitFor(draftsHere + ` === 1`)
	first.types(b.path, first.marks("", "Am Schreibtisch"), 200)
	b.Offline(false)
	browsertest.Await(b.Tab, draftState, "stale")
	b.Follow(`button[formaction$="/entwurf"]`)
	if said := browsertest.Eval[string](b.Tab, `document.querySelector("main").innerText`); !strings.Contains(said, "Am Schreibtisch") {
		t.Errorf("the other version is not shown:\n%.400s", said)
	}
	b.types(" Nachher.")
	b.guide() // without a decision
	browsertest.Await(b.Tab, draftState, "stale")
	b.has("Kurz Zu Fuß. Nachher.", 1)
	first.get(b.path+"/leitfaden").want(t, 200, "Am Schreibtisch")
	b.Follow(`button[formaction$="/entwurf"]`)
	b.Follow(`button[formaction$="/entwurf"]`)
	b.has("Kurz Zu Fuß. Nachher.", 0)

	// Saved, the draft is gone; logged out, so is what was unsent.
	rated := first.marks("3", "")
	rated.Set("notiz-co2", "Geprüft")
	first.post(b.path+"/leitfaden", rated).want(t, 303)
	b.guide()
	b.types("!")
	browsertest.Await(b.Tab, draftState, "device")
	b.Follow(`.form-actions .button:not([formaction])`)
	if n := browsertest.Eval[int](b.Tab, draftsHere); n != 0 {
		t.Errorf("%d drafts are kept of what is saved", n)
	}

	// What this browser has beyond final ratings is shown there until somebody deletes it.
	for n, values := range []string{`"notiz-co2": "Gepru\u0308ft!", "bewertung-co2": "3"`, `"notiz-co2": "Geprüft!", "notiz-in1": "Erst"`, `"bewertung-lo2": "5", "notiz-lo2": "Zu spät"`} {
		browsertest.Eval[any](b.Tab, fmt.Sprintf(`localStorage.setItem("typus-draft.%d.%s.%d", JSON.stringify({at: Date.now() + %[3]d, stand: "", values: {%s}}))`, first.user.ID, id(out), n, values))
	}
	w.Later(time.Hour)
	b.guide()
	const left = `document.querySelector("[data-found]").innerText`
	if said := browsertest.Eval[string](b.Tab, left); !strings.Contains(said, "Zu spät\nBewertung 5 von 5") {
		t.Errorf("shown is %q", said)
	}
	b.Click("[data-found] summary")
	b.Click("[data-found] button")
	if said := browsertest.Eval[string](b.Tab, left); !strings.Contains(said, "Fragen, die nicht mehr im Leitfaden stehen\nErst") || strings.Contains(said, "Geprüft!") {
		t.Errorf("shown is %q", said)
	}
	if n := browsertest.Eval[int](b.Tab, draftsHere); n != 1 {
		t.Errorf("%d drafts are kept, want the one that the server does not have", n)
	}
	b.Click(".menu summary")
	b.Follow(`form[action="/abmelden"] button`)
	if n := browsertest.Eval[int](b.Tab, draftsHere); n != 0 {
		t.Errorf("%d drafts are kept of who has logged out", n)
	}
	for _, said := range b.Messages() {
		if !strings.HasPrefix(said, "network: Failed to load resource") { // what the test has made fail
			t.Errorf("the browser complains: %s", said)
		}
	}
}

// Two tabs of one guide are typed into without a connection: neither writes over what the
// other keeps, and what the server does not take from one is still there when it is opened
// again.
func TestTwoTabsOfAGuideKeepWhatIsTypedIntoEach(t *testing.T) {
	w := newWorld(t)
	path := "/dashboard/kandidat/" + id(w.finished("Fertig Muster"))
	first := writer{browsertest.New(t).Tab(t, browsertest.Look{Width: 390, Height: 844}), w, path}
	c := w.as(member)
	first.logIn(c)
	second := writer{first.Beside(), w, path}
	second.guide()
	for i, tab := range []writer{first, second} {
		tab.Offline(true)
		tab.types([]string{"Aus dem ersten.", "Aus dem zweiten."}[i])
		browsertest.Await(tab.Tab, draftState, "local")
	}
	first.has("Aus dem ersten.", 2)
	first.Offline(false)
	browsertest.Await(first.Tab, draftState, "kept")
	second.has("Aus dem zweiten.", 1)
	second.Offline(false)
	browsertest.Await(second.Tab, draftState, "stale")
	first.types(" Weiter.")
	browsertest.Await(first.Tab, draftsHere, 1)
	first.has("Aus dem ersten. Weiter.", 1)

	first.guide()
	browsertest.Await(first.Tab, draftState, "stale")
	first.has("Aus dem zweiten.", 1)
	c.get(path+"/leitfaden").want(t, 200, "Aus dem ersten. Weiter.")
	first.Follow(`button[formaction$="/entwurf"]`)
	if said := browsertest.Eval[string](first.Tab, `document.querySelector("main").innerText`); !strings.Contains(said, "Aus dem ersten. Weiter.") {
		t.Errorf("the other version is not shown:\n%.400s", said)
	}
	first.has("Aus dem zweiten.", 1)
	first.Follow(`button[formaction$="/entwurf"]`)
	first.has("Aus dem zweiten.", 0)
}

// What is typed after a draft was dropped outlives a form that does not arrive, although the
// address of the page once said that nothing is needed any more.
func TestADroppedDraftTakesNothingWithItThatIsTypedLater(t *testing.T) {
	w := newWorld(t)
	b := writer{browsertest.New(t).Tab(t, browsertest.Look{Width: 390, Height: 844}), w, "/dashboard/kandidat/" + id(w.finished("Fertig Muster"))}
	c := w.as(member)
	c.types(b.path, c.marks("", "Überholt"), 200)
	b.logIn(c)
	b.Click("[data-drawn] summary")
	b.Follow("[data-drawn] button")
	b.has("", 0)
	b.Offline(true)
	b.types("Neu.")
	browsertest.Await(b.Tab, draftState, "local")
	browsertest.Eval[any](b.Tab, `window.fetch = () => new Promise(() => {}), addEventListener("submit", event => event.preventDefault()), 0`) // somebody stops it
	b.Click(`button[formaction$="/entwurf"]`)
	b.Offline(false)
	b.Reload()
	browsertest.Await(b.Tab, draftState, "kept")
	b.has("Neu.", 0)
	c.get(b.path+"/leitfaden").want(t, 200, "Neu.")

	guide := w.server.URL + b.path + "/leitfaden"
	b.Open(guide + draftOver + "&von=hier#alle")
	if at := b.Location(); at != guide+"?von=hier#alle" {
		t.Errorf("the address becomes %s", at)
	}
}

// The server stores a note in another form than it was typed in: that is no other note, and
// the page goes on keeping what is typed.
func TestANoteThatIsStoredInAnotherFormIsStillTheSame(t *testing.T) {
	w := newWorld(t)
	b := writer{browsertest.New(t).Tab(t, browsertest.Look{Width: 390, Height: 844}), w, "/dashboard/kandidat/" + id(w.finished("Fertig Muster"))}
	b.logIn(w.as(member))
	browsertest.Eval[any](b.Tab, `window.fetch = () => Promise.reject(), 0`) // only the button sends it
	browsertest.Eval[any](b.Tab, draftNote+`.value = "\u00a0Fu\u0308r\r\nzwei\ud83d \u0085"`)
	b.types(" ")
	b.Follow(`button[formaction$="/entwurf"]`)
	browsertest.Await(b.Tab, draftsHere, 0)
	b.has("Für\nzwei\ufffd", 0)
	b.types(" Weiter.")
	browsertest.Await(b.Tab, draftState, "kept")
	b.has("Für\nzwei\ufffd Weiter.", 0)
}
