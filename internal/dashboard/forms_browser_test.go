package dashboard

import (
	"testing"

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
