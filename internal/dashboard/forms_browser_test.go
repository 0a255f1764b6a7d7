package dashboard

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"typus/internal/page/browsertest"
)

// What was typed outlives the session in which it was sent too late, is put back by a click,
// and is gone once it is saved, and at log-out.
func TestWhatWasTypedOutlivesAnEndedSession(t *testing.T) {
	w, tab := newWorld(t), browsertest.New(t).Tab(t, browsertest.Look{Width: 1280})
	c, path := w.as(member), candidatePath(w.invited("Kim Muster", "").Candidate.ID)
	const (
		note  = `document.querySelector("#notiz").value.trim()`
		send  = `form[action$="/notizen"] .button`
		offer = `[data-form-draft]:not([hidden])`
		kept  = `Object.keys(localStorage).filter((name) => name.includes(".form.")).length`
	)
	w.enter(tab, c)
	tab.Open(w.server.URL + path)
	tab.Focus("#notiz")
	tab.Press("Am Montag anrufen")
	tab.Cookie(w.server.URL, w.face.sessionCookie(), "abgelaufen")
	tab.Follow(send)
	if at := browsertest.Eval[string](tab, `location.pathname`); at != loginPath {
		t.Fatalf("the form leads to %s", at)
	}
	w.enter(tab, c)
	tab.Open(w.server.URL + path)
	if said := browsertest.Eval[string](tab, note); said != "" {
		t.Errorf("%q is put in unasked", said)
	}
	tab.Click(offer + " button")
	if said := browsertest.Eval[string](tab, note); said != "Am Montag anrufen" {
		t.Errorf("put back is %q", said)
	}
	quiet(t, tab, w.server.URL)
	tab.Follow(send)
	if n := browsertest.Eval[int](tab, kept); n != 0 {
		t.Errorf("%d drafts are left of what was saved", n)
	}
	tab.Focus("#notiz")
	tab.Press("Noch etwas")
	tab.WaitFor(kept + ` === 1`)
	tab.Click("summary.avatar")
	tab.Follow(`form[action="/abmelden"] button`)
	if n := browsertest.Eval[int](tab, kept); n != 0 {
		t.Errorf("%d drafts outlive the log-out", n)
	}

	w.enter(tab, w.as(admin))
	tab.Open(w.server.URL + profilePath + "/passwort")
	tab.Focus("input[type=password]")
	tab.Press("geheim")
	tab.Open(w.server.URL + profilePath)
	if n := browsertest.Eval[int](tab, kept); n != 0 {
		t.Error("a form with a password is kept")
	}
}

// Whoever is asked about a mistyped address answers with a click, or corrects it and goes on
// with Enter: both invite whom they say.
func TestAMistypedAddressIsMendedByAClickOrByHand(t *testing.T) {
	w, tab := newWorld(t), browsertest.New(t).Tab(t, browsertest.Look{Width: 390, Height: 844})
	w.enter(tab, w.as(member))
	for name, mend := range map[string]func() string{
		"click": func() string {
			tab.Follow(`button[name="gemeint"]`)
			return "jana@gmail.com"
		},
		"hand": func() string {
			browsertest.Eval[bool](tab, `(document.querySelector("#email").value = "jana@example.com") !== ""`)
			tab.Focus("#email")
			tab.PressThrough(kb.Enter)
			return "jana@example.com"
		},
	} {
		tab.Open(w.server.URL + invitePath)
		tab.Focus("#name")
		tab.Press("Jana")
		tab.Focus("#email")
		tab.Press("jana@gmial.com")
		tab.PressThrough(kb.Enter)
		want := mend()
		if said := browsertest.Eval[string](tab, `document.querySelector("main").textContent`); !strings.Contains(said, want) || strings.Contains(said, "gmial") {
			t.Errorf("%s: the page says %s", name, said)
		}
	}
	if w.invitedCount() != 2 {
		t.Errorf("%d are invited", w.invitedCount())
	}
}
