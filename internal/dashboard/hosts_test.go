package dashboard

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/courier"
	"typus/internal/mail"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/waittest"
	"typus/internal/webhook"
)

var linkForm = regexp.MustCompile(`https?://[^\s"<>]+`)

// Links come from the settings, whatever a request claims to have been sent to:
// each form that succeeds is sent to another host, and neither an answer nor a letter
// that follows from it names that host.
func TestNoLinkComesFromTheRequest(t *testing.T) {
	w := newWorld(t)
	w.face.SignUp = true
	sink := smtptest.Start(t, nil)
	w.trials(sink, "")
	n := 0
	for _, r := range w.face.routes() {
		for _, d := range deeds[r.pattern] {
			if r.method != "POST" || d.file != "" {
				continue
			}
			n++
			w.Set(time.Now()) // links are good for minutes, and letters are due by the clock of the wall
			s, c := w.set(d, n)
			if a := c.postTo("evil.test", s.address(t, r.pattern), s.form); strings.Contains(a.Header.Get("Location")+a.body, "evil") {
				t.Errorf("%s answers %v with the host of the request: %s", r.pattern, a.Header, a.body)
			}
		}
	}

	w.face.Mail = false // the link of an invitation is shown
	c := w.as(owner)
	c.postTo("evil.test", teamPath+"/einladen", fields("email", "by-hand@example.com", "role", "member")).want(t, http.StatusSeeOther)
	c.get(teamPath).want(t, http.StatusOK, w.server.URL+"/passwort/")

	kinds := w.sendAll(sink)
	for _, kind := range []typus.LetterKind{typus.LetterInvitation, typus.LetterReminder, typus.LetterTeamInvitation, typus.LetterPasswordReset, typus.LetterEmailChange, typus.LetterSignUp} {
		if kinds[kind] == 0 {
			t.Errorf("no letter of the kind %s went out: %v", kind, kinds)
		}
	}
	for _, e := range sink.Envelopes() {
		body, err := e.Text()
		w.Must(err)
		links := linkForm.FindAllString(body, -1)
		for _, link := range links {
			if !strings.HasPrefix(link, w.server.URL+"/") && link != w.server.URL {
				t.Errorf("a letter to %s leads to %s", e.To, link)
			}
		}
		if strings.Contains(body, "evil") {
			t.Errorf("a letter to %s names the host of a request:\n%s", e.To, body)
		}
	}
}

// postTo sends a form as if it had been sent to a host.
func (c *client) postTo(host, path string, fields url.Values) answer {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Ctx, "POST", c.server.URL+path, strings.NewReader(fields.Encode()))
	c.Must(err)
	for _, cookie := range c.http.Jar.Cookies(r.URL) { // the jar keeps to the host
		r.AddCookie(cookie)
	}
	r.Host = host
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, name := range []string{"X-Forwarded-Host", "X-Host", "X-Original-Host"} {
		r.Header.Set(name, host)
	}
	r.Header.Set("X-Forwarded-Proto", "https")
	r.Header.Set("Forwarded", "host="+host)
	a := c.send(r)
	for _, cookie := range a.Cookies() {
		c.with(cookie.Name, cookie.Value)
	}
	return a
}

// sendAll hands all letters that are due to the mail server, and counts them.
func (w *world) sendAll(sink *smtptest.Server) map[typus.LetterKind]int {
	w.Helper()
	smtp, err := mail.NewSMTP(mail.SMTPOptions{URL: sink.URL(), From: "typus@mail.example.com"})
	w.Must(err)
	client, err := webhook.NewClient(webhook.ClientOptions{Guard: w.face.Guard, BaseURL: w.server.URL})
	w.Must(err)
	defer client.Close()
	c := courier.New(courier.Options{Store: w.Store, Client: client, Box: w.face.Box, Mailer: smtp, BaseURL: w.server.URL, Clock: w.Clock.Now, Log: slog.New(slog.NewJSONHandler(&w.logs, nil))})
	ctx, cancel := context.WithCancel(w.Ctx)
	done := make(chan struct{})
	go func() { c.Run(ctx); close(done) }()
	defer func() { cancel(); <-done }()
	waittest.Until(w, "no letter is due", func() bool {
		wait, waiting, err := w.Store.NextLetter(w.Ctx)
		w.Must(err)
		return (!waiting || wait > 0) && len(w.letterKinds(typus.LetterSending)) == 0
	})
	return w.letterKinds(typus.LetterSent)
}

// letterKinds counts the letters of all accounts that are in a state.
func (w *world) letterKinds(state typus.LetterState) map[typus.LetterKind]int {
	w.Helper()
	kinds := map[typus.LetterKind]int{}
	accounts, err := w.Store.Accounts(w.Ctx)
	w.Must(err)
	for _, account := range append(accounts, typus.Account{ID: 0}) {
		letters, err := w.Store.LetterLog(w.Ctx, store.WholeAccount(account.ID), "", 0, 1000)
		w.Must(err)
		for _, l := range letters {
			if l.State == state {
				kinds[l.Kind]++
			}
		}
	}
	return kinds
}
