package mail_test

import (
	"fmt"
	"io"
	"net"
	netmail "net/mail"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"typus/internal/mail"
	"typus/internal/mail/mailpittest"
)

func TestAForeignServerReadsWhatWasWritten(t *testing.T) {
	server := mailpittest.Start(t)
	s := foreign(t, server)
	m := invitation(t, mail.Invitation{
		CandidateName: "Zoë Größe-Łukasz 🦊👩‍🔬", AccountName: "Müller & Söhne 🏭 GmbH", Contact: "personal@bücher.example",
		Link: "https://typus.example.com/t/abc",
	})
	m.ID, m.To, m.ToName = "letter-7.1@typus.example.com", "anna@bücher.example", "Zoë Größe-Łukasz 🦊👩‍🔬"
	m.Subject = "Ihr Test bei Müller & Söhne 🏭: „Größe“ – " + strings.Repeat("sehr lang ", 15) + "Ende"
	accepted(t, s, m)
	notice := letter("owner@example.com") // of the operator's own: no name, no reply address
	notice.Text, notice.HTML = "Grüße 🦊\n", "<p>Grüße 🦊</p>\n"
	accepted(t, s, notice)

	got := server.Messages()
	if len(got) != 2 {
		t.Fatalf("%d letters arrived, want 2", len(got))
	}
	for n, want := range []struct {
		message           mail.Message
		from, to, replyTo string
	}{
		{m, "Müller & Söhne 🏭 GmbH <typus@mail.example.com>", "Zoë Größe-Łukasz 🦊👩‍🔬 <anna@xn--bcher-kva.example>", " <personal@xn--bcher-kva.example>"},
		{notice, "Typus <typus@mail.example.com>", " <owner@example.com>", ""},
	} {
		g := got[n]
		if from, to, reply := mailboxes(g.From), mailboxes(g.To...), mailboxes(g.ReplyTo...); from != want.from || to != want.to || reply != want.replyTo {
			t.Errorf("letter %d: From %q, To %q, Reply-To %q", n, from, to, reply)
		}
		if g.Subject != want.message.Subject {
			t.Errorf("letter %d: subject %q, want %q", n, g.Subject, want.message.Subject)
		}
		if g.Text = strings.ReplaceAll(g.Text, "\r\n", "\n"); g.Text != want.message.Text {
			t.Errorf("letter %d: text %q, want %q", n, g.Text, want.message.Text)
		}
		if g.HTML = strings.ReplaceAll(g.HTML, "\r\n", "\n"); g.HTML != want.message.HTML {
			t.Errorf("letter %d: HTML %q, want %q", n, g.HTML, want.message.HTML)
		}
		if auto := g.Header.Get("Auto-Submitted"); g.MessageID != want.message.ID || auto != "auto-generated" {
			t.Errorf("letter %d: Message-ID %q, Auto-Submitted %q", n, g.MessageID, auto)
		}
	}
	if !strings.Contains(got[0].HTML, "Müller &amp; Söhne 🏭 GmbH") || !strings.Contains(got[0].Text, "Guten Tag Zoë Größe-Łukasz 🦊👩‍🔬") {
		t.Errorf("the invitation does not name the company and the person:\n%s\n%s", got[0].Text, got[0].HTML)
	}
}

func TestAForeignServerFindsNothingInjected(t *testing.T) {
	server := mailpittest.Start(t)
	s := foreign(t, server)
	headers := ""
	for n, evil := range []string{
		"plain", // what the others are compared with
		"X\r\nBcc: otto@example.org", "X\nBcc: otto@example.org", "X\rBcc: otto@example.org", "X\r\n\r\nEvil body",
		"X\r\n.\r\nMAIL FROM:<a@example.org>\r\n", "=?utf-8?q?=0D=0ABcc:otto=40example.org?=", "X\x00Y", `X" <otto@example.org>, "Y`,
		`<script>alert(1)</script><img src=x onerror=alert(1)>`, `"><a href="https://evil.example">X</a>`, "</p></body><form action=//evil.example>",
	} {
		m := invitation(t, mail.Invitation{CandidateName: evil, AccountName: evil, Contact: evil, Link: "https://typus.example.com/t/abc"})
		m.ID, m.To, m.ToName = "letter-7.1@example.com", "anna@example.com", evil
		accepted(t, s, m)
		got := server.Messages()
		if len(got) != n+1 {
			t.Fatalf("%q: %d letters arrived, want %d", evil, len(got), n+1)
		}
		g := got[n]
		if len(g.To) != 1 || g.To[0].Address != "anna@example.com" || len(g.Cc)+len(g.Bcc)+len(g.ReplyTo) != 0 || g.From.Address != "typus@mail.example.com" {
			t.Errorf("%q: from %v to %v, %v, %v, reply to %v", evil, g.From, g.To, g.Cc, g.Bcc, g.ReplyTo)
		}
		names := headerNames(g)
		if headers == "" {
			headers = names
		}
		if names != headers {
			t.Errorf("%q: the headers are %s, want %s", evil, names, headers)
		}
		if page := strings.ToLower(g.HTML); strings.Contains(page, "<script") || strings.Contains(page, "<img") || strings.Contains(page, "<form") || strings.Contains(page, "evil.example\"") {
			t.Errorf("%q: in the HTML:\n%s", evil, g.HTML)
		}
	}
}

func TestAForeignServerTakesTwoHundredLettersOverOneConnection(t *testing.T) {
	server := mailpittest.Start(t)
	addr, connections := counted(t, server.Addr)
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://" + addr, From: operator})
	if err != nil {
		t.Fatal(err)
	}
	msgs := make([]mail.Message, 200)
	for i := range msgs {
		msgs[i] = letter(fmt.Sprintf("person-%d@example.com", i))
		msgs[i].ID = fmt.Sprintf("letter-%d.1@example.com", i)
	}
	accepted(t, s, msgs...)
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	if n := server.Count(); n != 200 {
		t.Errorf("%d letters arrived, want 200", n)
	}
}

func TestAForeignServersRefusalsAreUnderstood(t *testing.T) {
	server := mailpittest.Start(t)
	for code, temporary := range map[int]bool{451: true, 550: false} {
		server.RefuseRecipients(code)
		want := mail.SendError{Code: code, Temporary: temporary, Reason: fmt.Sprintf("the mail server refused the recipient: %d Chaos recipient error", code)}
		if got := refused(t, foreign(t, server), letter("anna@example.com")); *got != want {
			t.Errorf("%+v, want %+v", *got, want)
		}
	}
	server.AcceptRecipients()
	accepted(t, foreign(t, server), letter("anna@example.com"))
	if n := server.Count(); n != 1 {
		t.Errorf("%d letters arrived, want 1", n)
	}
}

func foreign(t *testing.T, server *mailpittest.Server) *mail.SMTP {
	t.Helper()
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: server.URL(), From: operator})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// counted puts a listener in front of addr that counts the connections.
func counted(t *testing.T, addr string) (string, *atomic.Int64) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	n := new(atomic.Int64)
	go func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			n.Add(1)
			far, err := net.Dial("tcp", addr)
			if err != nil {
				near.Close()
				continue
			}
			go func() { defer near.Close(); io.Copy(near, far) }()
			go func() { defer far.Close(); io.Copy(far, near) }()
		}
	}()
	return ln.Addr().String(), n
}

// mailboxes writes them out without the encoding of headers.
func mailboxes(list ...*netmail.Address) string {
	var out []string
	for _, a := range list {
		out = append(out, a.Name+" <"+a.Address+">")
	}
	return strings.Join(out, ", ")
}

func headerNames(m mailpittest.Message) string {
	var names []string
	for name, values := range m.Header {
		names = append(names, fmt.Sprintf("%s×%d", name, len(values)))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
