package testpage

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func (w *world) remindersOff(token string) bool {
	w.Helper()
	off, err := w.Assess.RemindersStopped(w.Ctx, w.test(token).Candidate)
	w.Must(err)
	return off
}

func TestRemindersAreStoppedWithAButtonAndWithOneClick(t *testing.T) {
	w := newWorld(t)
	out, r := w.invite("de"), w.reader("de")
	r.open("/t/" + out.Token + "/erinnerungen")
	r.on("/erinnerungen", 200)
	if w.remindersOff(out.Token) {
		t.Fatal("stopped by a look at the question")
	}
	r.press("Keine Erinnerungen mehr")
	r.on("/erinnerungen", 200)
	if !w.remindersOff(out.Token) || r.heading() != "Sie bekommen keine Erinnerungen mehr" {
		t.Errorf("%q, off %t", r.heading(), w.remindersOff(out.Token))
	}

	// As a mail program does it (RFC 8058): no cookies, no Origin, no
	// Sec-Fetch-Site, and it follows no redirect.
	other := w.invite("en")
	req, err := http.NewRequest("POST", w.server.URL+"/t/"+other.Token+"/erinnerungen", nil)
	w.Must(err)
	res, err := http.DefaultTransport.RoundTrip(post(req, "List-Unsubscribe=One-Click"))
	w.Must(err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK || !w.remindersOff(other.Token) {
		t.Errorf("answered %d, off %t", res.StatusCode, w.remindersOff(other.Token))
	}
	// Whoever is done may still press it.
	w.Later(60 * 24 * time.Hour)
	if got := w.ask("POST", "/t/"+other.Token+"/erinnerungen", nil); got.status != http.StatusSeeOther {
		t.Errorf("answered %d for an expired test", got.status)
	}
	if got := w.ask("POST", "/t/unknown/erinnerungen", nil); got.status != http.StatusNotFound {
		t.Errorf("answered %d for an unknown one", got.status)
	}
}

func TestAnExpiredLinkCanBeAskedForAnew(t *testing.T) {
	w := newWorld(t)
	out, r := w.invite("de"), w.reader("de")
	if got := w.ask("POST", "/t/"+out.Token+"/neuer-link", nil); got.status != http.StatusSeeOther {
		t.Errorf("answered %d while the link works", got.status)
	}
	w.Later(31 * 24 * time.Hour)
	told := func() int {
		letters, err := w.Store.Letters(w.Ctx, w.Account, 100)
		w.Must(err)
		n := 0
		for _, l := range letters {
			if l.Kind == "link_requested" && l.To == "owner@example.com" {
				n++
			}
		}
		return n
	}
	r.open("/t/" + out.Token)
	r.press("Neuen Link anfragen")
	if r.status != http.StatusGone || !r.says("Ihre Anfrage ist bei Muster Software GmbH angekommen.") || strings.Contains(string(r.body), "Neuen Link anfragen") {
		t.Errorf("answered %d:\n%s", r.status, r.body)
	}
	w.ask("POST", "/t/"+out.Token+"/neuer-link", nil)
	if told() != 1 {
		t.Errorf("%d letters, want 1", told())
	}
	w.Later(24 * time.Hour)
	r.open("/t/" + out.Token)
	r.press("Neuen Link anfragen")
	if told() != 2 {
		t.Errorf("%d letters on the second day, want 2", told())
	}
}
