package testpage

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"typus"
)

func (w *world) suspend() {
	w.Helper()
	_, err := w.Accounts.Suspend(w.Ctx, w.Account, new("an invoice"), typus.Actor{Name: typus.ActorOperator})
	w.Must(err)
}

func (w *world) resume() {
	w.Helper()
	_, err := w.Accounts.Resume(w.Ctx, w.Account, typus.Actor{Name: typus.ActorOperator})
	w.Must(err)
}

// Whoever has not begun is told kindly to come back, whom to ask, and no reason; they can still
// decline. Then the same link works.
func TestATestOfASuspendedAccountWaitsForWhoHasNotBegun(t *testing.T) {
	w := newWorld(t)
	out := w.invite("de")
	r := w.reader("de")
	w.suspend()
	for _, path := range []string{"", "/start", "/frueher", "/frueher/code"} {
		r.open("/t/" + out.Token + path)
		if r.status != http.StatusForbidden || r.heading() != "Der Test kann im Moment nicht begonnen werden" || !r.says("owner@example.com") || r.says("invoice") || r.says("gesperrt") {
			t.Errorf("%s: %d %q\n%s", path, r.status, r.heading(), r.body)
		}
	}
	r.open("/t/" + out.Token + "/absage")
	if r.status != http.StatusOK {
		t.Errorf("declining: %d", r.status)
	}
	w.resume()
	r.open("/t/" + out.Token)
	if r.status != http.StatusOK {
		t.Errorf("%d %q", r.status, r.heading())
	}
}

// Whoever presses the button at the moment of the suspension has not begun, and is told so,
// also where they have forgotten the tick.
func TestABeginningBesideASuspensionIsRefusedKindly(t *testing.T) {
	w := newWorld(t)
	out := w.invite("de")
	r := w.reader("de")
	r.open("/t/" + out.Token)
	to, form := r.form("Test starten", "hinweise", r.tick())
	w.suspend()
	for _, form := range []url.Values{form, {}, {"hinweise": {"an old one"}}} {
		r.do("POST", to, form)
		if r.status != http.StatusForbidden || r.heading() != "Der Test kann im Moment nicht begonnen werden" {
			t.Errorf("%v: %d %q", form, r.status, r.heading())
		}
	}
	if c := w.test(out.Token).Candidate; c.Status != typus.StatusOpen {
		t.Errorf("the test is %s", c.Status)
	}
}

// Whoever has begun goes on to the end.
func TestWhoHasBegunFinishesForASuspendedAccount(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.suspend()
	r := w.reader("de")
	r.open("/t/" + out.Token)
	if r.status != http.StatusOK {
		t.Errorf("the start: %d", r.status)
	}
	w.answer(out.Token, 0, len(w.Instrument.Items()))
	r.open("/t/" + out.Token + "/abgabe")
	r.press("Abgeben")
	if c := w.test(out.Token).Candidate; c.Status != typus.StatusFinished {
		t.Errorf("the test is %s after %q", c.Status, r.heading())
	}
}

// A public link lets nobody in meanwhile, nor does the letter that it has sent before.
func TestAPublicLinkOfASuspendedAccountWaits(t *testing.T) {
	w := newWorld(t)
	link := w.published(5, time.Time{})
	r := w.reader("de")
	r.open(link)
	r.press("E-Mail anfordern", "name", "Kim", "email", "kim@example.com")
	letter := w.confirmation()
	r.open(link)
	to, form := r.form("E-Mail anfordern", "name", "Lou", "email", "lou@example.com")
	w.suspend()
	waits := func(what string) {
		t.Helper()
		if r.status != http.StatusGone || r.heading() != "Im Moment ist keine Anmeldung möglich" || !r.says("owner@example.com") {
			t.Errorf("%s: %d %q", what, r.status, r.heading())
		}
	}
	r.do("POST", to, form)
	waits("the form")
	r.open(link)
	waits("the link")
	r.open(letter)
	r.press("Ja, Adresse bestätigen")
	waits("the letter")
	w.resume()
	r.open(letter)
	r.press("Ja, Adresse bestätigen")
	if r.status != http.StatusOK || w.listed() != 1 {
		t.Errorf("%d %q, %d candidates", r.status, r.heading(), w.listed())
	}
}
