package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"typus"
	"typus/internal/bounce"
	"typus/internal/mail/smtptest"
	"typus/internal/seal"
	"typus/internal/waittest"
)

// deliveryReport is what a mail server says of a letter, to the address that it was sent with.
func deliveryReport(to, action, status, said string) string {
	return fmt.Sprintf("From MAILER-DAEMON  Mon Nov 30 06:00:00 2026\nReturn-Path: <>\nTo: %s\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"+
		"--b\nContent-Type: text/plain\n\nYour letter came back.\n\n--b\nContent-Type: message/delivery-status\n\n"+
		"Reporting-MTA: dns; mail.example.com\n\nFinal-Recipient: rfc822; zoe@example.com\nAction: %s\nStatus: %s\nDiagnostic-Code: smtp; %s\n\n--b--\n", to, action, status, said)
}

// pipe gives a message to typus bounce as a mail server does.
func pipe(t *testing.T, environ []string, message string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = run(t.Context(), append([]string{"bounce"}, args...), environ, strings.NewReader(message), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// A letter is taken by one mail server and returned by the next: the API, the person's page,
// the list and the log of letters say so, with the words of that server.
func TestALetterThatCameBackLaterIsUndeliverable(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		sink := smtptest.Start(t, nil)
		environ = append(environ, "TYPUS_SMTP_URL="+sink.URL(), "TYPUS_MAIL_FROM=Typus <typus@example.com>", "TYPUS_BOUNCE_ADDRESS=bounces@example.com")
		p := serve(t, environ)
		must[id](t, environ, "account", "create", "--name", "Muster GmbH", "--contact-email", "hr@example.com")
		const password = "a long and unusual sentence"
		if code := run(t.Context(), []string{"user", "create", "--account", "1", "--email", "ada@example.com", "--password-stdin"}, environ, strings.NewReader(password+"\n"), discard(), discard()); code != 0 {
			t.Fatal("no user")
		}
		key := must[newKey](t, environ, "key", "create", "--account", "1", "--name", "CRM").Key
		w := &walk{base: p.base, key: key, out: discard(), client: &http.Client{}, externalID: "crm-42"}
		var invited any
		header, err := w.call(t.Context(), http.MethodPost, "/api/v1/invites", `{"name":"Zoë Größe","email":"zoe@example.com","external_id":"crm-42"}`, &invited)
		if err != nil {
			t.Fatal(err)
		}
		location := header.Get("Location")
		waittest.Until(t, "a letter is sent", func() bool { return len(sink.Envelopes()) > 0 })
		to := sink.Envelopes()[0].From

		tries := 0
		waittest.Until(t, "the letter counts as undeliverable", func() bool { // the server may not have noted yet that the letter is sent
			tries++
			code, out, errOut := pipe(t, environ, deliveryReport(to, "failed", "5.1.1", "550 5.1.1 <zoe@example.com> no such <b>user</b>"))
			if code != 0 && code != exitTryAgain {
				t.Fatalf("exit %d: %s", code, errOut)
			}
			return code == 0 && (strings.Contains(out, "is undeliverable") || tries > 1)
		})
		if code, out, _ := pipe(t, environ, deliveryReport(to, "failed", "5.1.1", "550 again")); code != 0 || !strings.HasPrefix(out, "nothing changed") {
			t.Errorf("the second report: exit %d, %s", code, out)
		}
		var answer any
		if _, err := w.call(t.Context(), http.MethodGet, "/api/v1/candidates?include=extra", "", &answer); err != nil || !strings.Contains(fmt.Sprint(answer), "mail:failed") {
			t.Errorf("the API says %v, %v", answer, err)
		}
		b, err := newBrowser()
		if err != nil {
			t.Fatal(err)
		}
		b.client.Transport = inGerman{}
		if err := b.open(t.Context(), p.base+"/dashboard"); err != nil {
			t.Fatal(err)
		}
		if err := b.submit(t.Context(), "/anmelden", url.Values{"email": {"ada@example.com"}, "password": {password}}); err != nil {
			t.Fatal(err)
		}
		for path, wants := range map[string][]string{
			"/dashboard/kandidat/" + location[strings.LastIndexByte(location, '/')+1:]: {"Die letzte Einladung an zoe@example.com war unzustellbar.", "Die E-Mail kam zurück, nachdem sie verschickt war", "550 5.1.1 … no such <b>user</b>"},
			"/dashboard/kandidaten":                     {"E-Mail unzustellbar"},
			"/dashboard/einstellungen/briefe/protokoll": {"Unzustellbar", "Die E-Mail kam zurück, nachdem sie verschickt war", "550 5.1.1 … no such <b>user</b>"},
			"/dashboard/einstellungen/protokoll":        {"E-Mail als unzustellbar zurückgekommen"},
		} {
			if err := b.open(t.Context(), p.base+path); err != nil {
				t.Fatal(err)
			}
			page := shownText(b.root)
			for _, want := range wants {
				if !strings.Contains(page, want) {
					t.Errorf("%s does not show %q:\n%s", path, want, page)
				}
			}
		}
		p.stop(t)
		if log := p.log.String(); strings.Contains(log, "zoe@") || strings.Contains(log, "Zoë") || strings.Contains(log, to) {
			t.Errorf("the log names the person or the address:\n%s", log)
		}
	})
}

func TestAMailServerIsToldWhatToDoWithWhatItPiped(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)}
	must[id](t, environ, "account", "create", "--name", "Muster GmbH")
	to := addressOf(t, typus.Letter{AccountID: 1, ID: 1, Attempts: 1})
	ooo := "From: Zoë <zoe@example.com>\nTo: " + to + "\nSubject: Abwesend\nAuto-Submitted: auto-replied\n\nIch bin im Urlaub.\n"
	for name, c := range map[string]struct {
		message string
		environ []string
		args    []string
		code    int
		says    string
	}{
		"a letter that there is not": {message: deliveryReport(to, "failed", "5.1.1", "550 no"), says: "nothing changed: letter 1 "},
		"a delay":                    {message: deliveryReport(to, "delayed", "4.4.1", "421 later"), says: "letter 1 is delayed"},
		"given up after days":        {message: deliveryReport(to, "failed", "4.4.7", "421 later"), says: "nothing changed: letter 1 "},
		"a delivery":                 {message: deliveryReport(to, "delivered", "2.0.0", "250 ok"), says: "letter 1 is delivered"},
		"an automatic reply":         {message: ooo, says: "no report about a delivery"},
		"nobody's report":            {message: deliveryReport("bounces@example.com", "failed", "5.1.1", "550 no"), says: "no letter was sent"},
		"a forged tag":               {message: deliveryReport(strings.Replace(to, "+1-1-", "+1-2-", 1), "failed", "5.1.1", "550 no"), says: "no letter was sent"},
		"by argument":                {message: deliveryReport("x@example.com", "failed", "5.1.1", "550 no"), args: []string{"--recipient", to}, says: "letter 1 "},
		"by environment":             {message: deliveryReport("x@example.com", "failed", "5.1.1", "550 no"), environ: []string{"ORIGINAL_RECIPIENT=" + to}, says: "letter 1 "},
		"by Sieve's environment":     {message: deliveryReport("x@example.com", "failed", "5.1.1", "550 no"), environ: []string{"ORIGINAL_RECIPIENT=", "RECIPIENT=" + to}, says: "letter 1 "},
		"as JSON":                    {message: deliveryReport("x@example.com", "failed", "5.1.1", "550 no"), args: []string{"--json"}, says: `"changed":false,"says":"nothing changed: no letter was sent`},
		"the argument counts":        {message: deliveryReport(to, "failed", "5.1.1", "550 no"), args: []string{"--recipient", "x@example.com"}, says: "no letter was sent"},
		"nothing at all":             {code: exitNoReport, says: "is no message"},
		"an unknown flag":            {message: ooo, args: []string{"--recipent=x"}, code: exitUsage, says: "--recipient"},
		"a word too many":            {message: ooo, args: []string{"report.eml"}, code: exitUsage},
		"a wrong setting":            {message: ooo, environ: []string{"TYPUS_ADDR=x"}, code: exitTryAgain, says: "TYPUS_ADDR"},
		"no database":                {message: ooo, args: []string{"--database", filepath.Join(t.TempDir(), "none.db")}, code: exitTryAgain, says: "there is no database"},
		"another key":                {message: ooo, args: []string{"--secret-key", strings.Repeat("x", 40)}, code: exitTryAgain, says: "not the key"},
	} {
		code, out, errOut := pipe(t, append(c.environ, environ...), c.message, c.args...)
		if code != c.code || !strings.Contains(out+errOut, c.says) || strings.Contains(out+errOut, "@") {
			t.Errorf("%s: exit %d, %q, %q; want %d and %q", name, code, out, errOut, c.code, c.says)
		}
	}
	var out, errOut strings.Builder
	if code := run(t.Context(), []string{"bounce"}, environ, iotest.ErrReader(errors.New("broken")), &out, &errOut); code != exitNoReport {
		t.Errorf("a broken pipe: exit %d, %s", code, &errOut)
	}
}

// addressOf is the address with which a server with the key of 40 letters s sends a letter.
func addressOf(t *testing.T, l typus.Letter) string {
	t.Helper()
	box, err := seal.New([]byte(strings.Repeat("s", 40)))
	if err != nil {
		t.Fatal(err)
	}
	mailbox, err := bounce.NewMailbox(box, "bounces@example.com")
	if err != nil {
		t.Fatal(err)
	}
	return mailbox.For(l)
}

func TestAMailboxForReportsHasRoomForATag(t *testing.T) {
	for address, right := range map[string]bool{"bounces@example.com": true, "bounces": false, "bounces+x@example.com": false, strings.Repeat("b", 21) + "@example.com": false} {
		_, err := load(t, []string{"TYPUS_BOUNCE_ADDRESS=" + address})
		if (err == nil) != right || !right && !strings.Contains(message(err), "TYPUS_BOUNCE_ADDRESS is refused") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
