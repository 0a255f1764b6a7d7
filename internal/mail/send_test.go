package mail_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"typus"
	"typus/internal/mail"
	"typus/internal/mail/smtptest"
)

const operator = "Typus <typus@mail.example.com>"

func TestALetterArrivesAsItWasWritten(t *testing.T) {
	sink := smtptest.Start(t, nil)
	m := letter("anna@example.com")
	m.FromName, m.ToName, m.ReplyTo = "Müller & Söhne", "Anna Beispiel", "chef@example.com"
	accepted(t, sender(t, sink), m)

	got := sink.Envelopes()[0]
	if got.From != "typus@mail.example.com" || len(got.To) != 1 || got.To[0] != "anna@example.com" {
		t.Errorf("envelope from %q to %q", got.From, got.To)
	}
	p := parse(t, got)
	for name, want := range map[string]string{
		"From":           `"Müller & Söhne" <typus@mail.example.com>`,
		"To":             `"Anna Beispiel" <anna@example.com>`,
		"Reply-To":       "<chef@example.com>",
		"Subject":        "Einladung für Anna – Test",
		"Message-Id":     "<letter-7.1@example.com>",
		"Auto-Submitted": "auto-generated",
		"Mime-Version":   "1.0",
	} {
		if got := p.header(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if at, err := p.Header.Date(); err != nil || time.Since(at).Abs() > time.Hour {
		t.Errorf("Date: %v, %v", at, err)
	}
	if p.parts["text/plain"] != m.Text || p.parts["text/html"] != m.HTML {
		t.Errorf("the parts changed on the way: %q", p.parts)
	}
	if p.Header.Get("User-Agent") != "" || p.Header.Get("X-Mailer") != "" {
		t.Error("the letter tells which program wrote it")
	}
}

func TestADomainBeyondASCIIGoesOutInPunycode(t *testing.T) {
	sink := smtptest.Start(t, nil)
	accepted(t, sender(t, sink), letter("anna@bücher.example"))
	if to := sink.Envelopes()[0].To[0]; to != "anna@xn--bcher-kva.example" {
		t.Errorf("RCPT TO %q", to)
	}
}

// ASVS 1.3.11: nothing that people type can add a header, a recipient, a
// command or a message.
func TestNobodyCanInjectHeadersRecipientsOrCommands(t *testing.T) {
	sink := smtptest.Start(t, nil)
	s := sender(t, sink)
	for _, evil := range []string{
		"X\r\nBcc: otto@example.org", "X\nBcc: otto@example.org", "X\rBcc: otto@example.org",
		"X\r\n\r\nEvil body", "X\r\n.\r\nMAIL FROM:<a@example.org>\r\n", "=?utf-8?q?=0D=0ABcc:otto=40example.org?=",
		"X\x00Y", `X" <otto@example.org>, "Y`, strings.Repeat("ü", 3000), strings.Repeat("x", 3000), "{{.Link}}",
	} {
		m := invitation(t, mail.Invitation{CandidateName: evil, AccountName: evil, Contact: evil, Link: "https://typus.example.com/t/abc"})
		m.ID, m.To = "letter-7.1@example.com", "anna@example.com"
		accepted(t, s, m)

		raw := m // as if some caller had not cleaned the names
		raw.FromName, raw.ToName, raw.Subject, raw.ReplyTo = evil, evil, evil, evil
		raw.Text, raw.HTML = evil+"\n.\n.\r\n..\n"+evil, evil
		accepted(t, s, raw)
	}
	for n, e := range sink.Envelopes() {
		if len(e.To) != 1 || e.To[0] != "anna@example.com" || e.From != "typus@mail.example.com" {
			t.Errorf("message %d went from %q to %q", n, e.From, e.To)
		}
		head, _, _ := bytes.Cut(e.Data, []byte("\n\n"))
		if strings.Contains(strings.ToLower(string(head)), "\nbcc") {
			t.Errorf("message %d has a Bcc header:\n%s", n, head)
		}
		p := parse(t, e)
		if len(p.Header["To"]) != 1 || len(p.Header["From"]) != 1 || len(p.parts) != 2 {
			t.Errorf("message %d has %d parts and the headers %v", n, len(p.parts), p.Header)
		}
	}
	if n := len(sink.Envelopes()); n != 22 {
		t.Errorf("%d messages arrived, want 22", n)
	}
}

func TestALoneDotAndLongLinesSurviveTheTransport(t *testing.T) {
	sink := smtptest.Start(t, nil)
	m := letter("anna@example.com")
	m.Text = "before\n.\n..\n.QUIT\nafter " + strings.Repeat("lang ", 600) + strings.Repeat("ß", 3000) + "\n"
	accepted(t, sender(t, sink), m)
	if got := parse(t, sink.Envelopes()[0]).parts["text/plain"]; got != m.Text {
		t.Errorf("got %.200q…", got)
	}
}

func TestAnImpossibleRecipientIsRefusedForGoodBeforeTheServerHears(t *testing.T) {
	sink := smtptest.Start(t, nil)
	for _, to := range []string{"a@b>\r\nDATA", "änna@example.com", "anna", "Anna <anna@example.com>"} {
		err := refused(t, sender(t, sink), letter(to))
		if err.Temporary || err.Code != 0 {
			t.Errorf("%q: %+v, want a permanent refusal without a code", to, err)
		}
	}
	if sink.Connections() != 0 {
		t.Error("the server was called")
	}
}

func TestTwoHundredLettersShareOneConnection(t *testing.T) {
	sink := smtptest.Start(t, nil)
	msgs := make([]mail.Message, 200)
	for i := range msgs {
		msgs[i] = letter(fmt.Sprintf("person-%d@example.com", i))
	}
	accepted(t, sender(t, sink), msgs...)
	if n := sink.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	for i, e := range sink.Envelopes() {
		if e.To[0] != msgs[i].To {
			t.Fatalf("message %d went to %s, want %s", i, e.To[0], msgs[i].To)
		}
	}
	if n := len(sink.Envelopes()); n != 200 {
		t.Errorf("%d messages arrived, want 200", n)
	}
}

func TestEachMessageHasItsOwnOutcome(t *testing.T) {
	sink := smtptest.Start(t, func(s *smtptest.Server) {
		s.Reply = func(to string) string {
			return map[string]string{
				"later@example.com": "451 4.7.1 greylisted, come back",
				"gone@example.com":  "550 5.1.1 <gone@example.com>: no such mailbox",
			}[to]
		}
	})
	errs := outcomes(t, sender(t, sink),
		letter("a@example.com"), letter("later@example.com"), letter("b@example.com"), letter("gone@example.com"), letter("c@example.com"))
	if errs[0] != nil || errs[2] != nil || errs[4] != nil {
		t.Errorf("good recipients failed: %v", errs)
	}
	later, gone := sendError(t, errs[1]), sendError(t, errs[3])
	if want := (mail.SendError{Code: 451, Temporary: true, Reason: "the mail server refused the recipient: 451 4.7.1 greylisted, come back"}); *later != want {
		t.Errorf("451: %+v, want %+v", later, want)
	}
	if want := (mail.SendError{Code: 550, Reason: "the mail server refused the recipient: 550 5.1.1 … no such mailbox"}); *gone != want {
		t.Errorf("550: %+v, want %+v", gone, want)
	}
	if n := len(sink.Envelopes()); n != 3 || sink.Connections() != 1 {
		t.Errorf("%d messages over %d connections, want 3 over 1", n, sink.Connections())
	}
}

func TestAServerThatLimitsMessagesPerConnectionGetsANewOne(t *testing.T) {
	sink := smtptest.Start(t, func(s *smtptest.Server) { s.MaxPerConnection = 2 })
	accepted(t, sender(t, sink), letter("a@example.com"), letter("b@example.com"), letter("c@example.com"), letter("d@example.com"), letter("e@example.com"))
	if n := len(sink.Envelopes()); n != 5 || sink.Connections() != 3 {
		t.Errorf("%d messages over %d connections, want 5 over 3", n, sink.Connections())
	}
}

// After the final dot only the server knows whether it has the message: what it does
// not say clearly is unclear, of that message alone, and no copy goes at once.
func TestAMissingReplyIsUnclearForThatMessageOnly(t *testing.T) {
	for reply, want := range map[string]mail.SendError{
		"":                 {Reason: "the mail server broke the connection off"},
		"Hello?":           {Reason: "the mail server gave no answer that can be understood"},
		"354 3.0.0 go on":  {Code: 354, Reason: "the mail server gave no answer that can be understood"},
		"699 what is this": {Code: 699, Reason: "the mail server gave no answer that can be understood"},
	} {
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Confirm = func(n int) string {
				if n == 2 {
					return reply
				}
				return "250 2.0.0 kept"
			}
		})
		errs := outcomes(t, sender(t, sink), letter("a@example.com"), letter("b@example.com"), letter("c@example.com"))
		if errs[0] != nil || errs[2] != nil {
			t.Errorf("%q: the others failed: %v", reply, errs)
		}
		got := *sendError(t, errs[1])
		want.Temporary, want.Session, want.Unclear, want.Cause = true, true, true, got.Cause
		if got != want {
			t.Errorf("%q: %+v, want %+v", reply, got, want)
		}
		if n := len(sink.Envelopes()); n != 3 {
			t.Errorf("%q: %d messages reached the server, want 3: none twice", reply, n)
		}
	}
}

// RFC 5321, 4.2.1: the first digit says whether the message was taken.
func TestTheFirstDigitOfTheReplyDecides(t *testing.T) {
	for reply, want := range map[string]string{
		"250 2.0.0 kept": "", "200 ok": "", "251 2.1.5 forwarded": "",
		"451 4.3.0 later": "temporary", "421 4.3.2 going down": "temporary", "554 5.7.1 spam": "for good",
	} {
		sink := smtptest.Start(t, func(s *smtptest.Server) { s.Confirm = func(int) string { return reply } })
		got := ""
		if err := outcomes(t, sender(t, sink), letter("a@example.com"))[0]; err != nil {
			e := sendError(t, err)
			got = map[bool]string{true: "temporary", false: "for good"}[e.Temporary]
			if e.Unclear || e.Session {
				t.Errorf("%q: %+v, want it clear", reply, e)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", reply, got, want)
		}
	}
}

// Before the final dot nothing has happened at the server.
func TestAServerThatHangsUpBeforeTheEndOfTheTextHasNothing(t *testing.T) {
	sink := smtptest.Start(t, func(s *smtptest.Server) { s.HangUpAfter = 100 })
	m := letter("a@example.com")
	m.Text = strings.Repeat("Guten Tag\n", 1<<20)
	if e := refused(t, sender(t, sink), m); !e.Temporary || e.Unclear {
		t.Errorf("%+v, want it temporary and clear", e)
	}
}

// Whoever sends can note that a message goes, once its recipient was taken, and keep
// it back.
func TestTheSenderIsAskedBeforeTheTextGoes(t *testing.T) {
	sink := smtptest.Start(t, func(s *smtptest.Server) {
		s.Reply = func(to string) string { return map[string]string{"gone@example.com": "550 5.1.1 unknown"}[to] }
	})
	keep := errors.New("kept back")
	var (
		asked []int
		errs  []error
		msgs  = []mail.Message{letter("gone@example.com"), letter("a@example.com"), letter("kept@example.com"), letter("b@example.com")}
	)
	for _, err := range sender(t, sink).Send(t.Context(), msgs, func(i int) error {
		if asked = append(asked, i); len(sink.Envelopes()) != len(asked)-1 && i != 3 {
			t.Errorf("message %d had gone when it was asked for", i)
		}
		if i == 2 {
			return keep
		}
		return nil
	}) {
		errs = append(errs, err)
	}
	if !slices.Equal(asked, []int{1, 2, 3}) || errs[1] != nil || !errors.Is(errs[2], keep) || errs[3] != nil {
		t.Errorf("asked for %v, outcomes %v", asked, errs)
	}
	if got := sink.Envelopes(); len(got) != 2 || got[1].To[0] != "b@example.com" || sink.Connections() != 1 {
		t.Errorf("%d arrived over %d connections", len(got), sink.Connections())
	}
}

func TestALetterThatIsRefusedForItsContentDoesNotStopTheOthers(t *testing.T) {
	sink := smtptest.Start(t, func(s *smtptest.Server) {
		s.Verdict = func(data []byte) string {
			if bytes.Contains(data, []byte("Spam")) {
				return "554 5.7.1 looks like spam"
			}
			return ""
		}
	})
	spam := letter("b@example.com")
	spam.Text = "Spam\n"
	errs := outcomes(t, sender(t, sink), letter("a@example.com"), spam, letter("c@example.com"))
	if errs[0] != nil || errs[2] != nil || sink.Connections() != 1 {
		t.Errorf("the others: %v over %d connections", errs, sink.Connections())
	}
	want := mail.SendError{Code: 554, Reason: "the mail server refused the letter: 554 5.7.1 looks like spam"}
	if got := sendError(t, errs[1]); *got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What a server says is a stranger's text: it is stored (PostgreSQL takes no
// invalid UTF-8 and no NUL) and shown to people.
func TestTheWordsOfAServerAreBoundedAndClean(t *testing.T) {
	sink := smtptest.Start(t, func(s *smtptest.Server) {
		s.Reply = func(string) string {
			return "550 5.1.1 Postfach gel\xf6scht,\x00 \x1b[31mred\x1b[0m\u202e\u0085\u2028 <a@example.com> " + strings.Repeat("x", 900)
		}
	})
	got := refused(t, sender(t, sink), letter("a@example.com")).Reason
	start := "the mail server refused the recipient: 550 5.1.1 Postfach gel\ufffdscht, [31mred [0m … xxx"
	if _, unsafe := typus.UnsafeRune(got); unsafe || !strings.HasPrefix(got, start) || utf8.RuneCountInString(got) != 300 {
		t.Errorf("%q, want 300 clean characters that begin with %q", got, start)
	}
}

func TestEachOutcomeIsKnownBeforeTheNextMessageIsSent(t *testing.T) {
	sink := smtptest.Start(t, nil)
	msgs := []mail.Message{letter("a@example.com"), letter("b@example.com"), letter("c@example.com")}
	for i, err := range sender(t, sink).Send(t.Context(), msgs, nil) {
		if err != nil || len(sink.Envelopes()) != i+1 {
			t.Errorf("message %d: %v, and %d have arrived", i, err, len(sink.Envelopes()))
		}
		if i == 1 {
			break
		}
	}
	if n := len(sink.Envelopes()); n != 2 || sink.Connections() != 1 {
		t.Errorf("%d messages over %d connections, want 2 over 1", n, sink.Connections())
	}
}

// The words of the network name hosts and addresses: they are for the log.
func TestAServerThatCannotBeReachedIsTemporaryForAllAndSaidInFixedWords(t *testing.T) {
	dials := 0
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://mail.example.com", From: operator, Dial: func(context.Context, string, string) (net.Conn, error) {
		dials++
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "mail.example.com", Server: "192.0.2.53:53", IsNotFound: true}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range outcomes(t, s, letter("a@example.com"), letter("b@example.com")) {
		e := sendError(t, err)
		if !e.Temporary || !e.Session || e.Code != 0 || e.Reason != "the mail server cannot be reached" {
			t.Errorf("%+v", e)
		}
		if want := "the mail server cannot be reached: dial tcp: lookup mail.example.com on 192.0.2.53:53: no such host"; e.Error() != want {
			t.Errorf("for the log: %q, want %q", e, want)
		}
	}
	if dials != 1 {
		t.Errorf("%d dials for one conversation, want 1", dials)
	}
}

func TestAServerThatFallsSilentIsSaidInFixedWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://127.0.0.1", From: operator, Dial: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			t.Cleanup(func() { far.Close() })
			return near, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		e := refused(t, s, letter("a@example.com"))
		if !e.Temporary || !e.Session || e.Reason != "the mail server did not answer in time" || time.Since(began) != mail.Timeout {
			t.Errorf("%+v after %v, want a time-out after %v", e, time.Since(began), mail.Timeout)
		}
	})
}

func TestTheEndOfTheContextCutsAHangingConversation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reached := make(chan struct{})
	release := make(chan struct{})
	sink := smtptest.Start(t, func(s *smtptest.Server) {
		s.Reply = func(string) string { close(reached); <-release; return "" }
	})
	t.Cleanup(func() { close(release) })
	go func() { <-reached; cancel() }()
	for _, err := range sender(t, sink).Send(ctx, []mail.Message{letter("a@example.com"), letter("b@example.com")}, nil) {
		if e := sendError(t, err); !e.Temporary || !errors.Is(e, context.Canceled) {
			t.Errorf("%+v, want temporary for the context's sake", e)
		}
	}
}

func TestTheLoginTravelsOverSTARTTLS(t *testing.T) {
	certificate, caFile := certificate(t)
	sink := smtptest.Start(t, func(s *smtptest.Server) { s.TLS, s.Login = certificate, "anna geheim/1" })
	s := remote(t, sink, "smtp://anna:geheim%2F1@example.com:587", caFile)
	accepted(t, s, letter("a@example.com"))
	if len(sink.Envelopes()) != 1 {
		t.Error("nothing arrived")
	}
}

func TestTheLoginTravelsOverImplicitTLS(t *testing.T) {
	certificate, caFile := certificate(t)
	sink := smtptest.Start(t, func(s *smtptest.Server) { s.TLS, s.Implicit, s.Login = certificate, true, "anna geheim" })
	accepted(t, remote(t, sink, "smtps://anna:geheim@example.com", caFile), letter("a@example.com"))
	if len(sink.Envelopes()) != 1 {
		t.Error("nothing arrived")
	}
}

func TestALoopbackServerMayTakeTheLoginUnencrypted(t *testing.T) {
	sink := smtptest.Start(t, func(s *smtptest.Server) { s.Login = "anna geheim" })
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://anna:geheim@" + sink.Addr, From: operator})
	if err != nil {
		t.Fatal(err)
	}
	accepted(t, s, letter("a@example.com"))
}

// What the operator has set wrong must not brand recipients as undeliverable.
func TestFaultsOfTheSettingsAreTemporaryAndAboutNoRecipient(t *testing.T) {
	certificate, caFile := certificate(t)
	needsLogin := func(s *smtptest.Server) { s.TLS, s.Login = certificate, "anna geheim" }
	for name, c := range map[string]struct {
		change func(*smtptest.Server)
		url    string
		ca     string
		code   int
		reason string
	}{
		"wrong password":  {needsLogin, "smtp://anna:falsch@example.com", caFile, 535, "the mail server refused the login: 535 5.7.8 authentication failed"},
		"login needed":    {needsLogin, "smtp://example.com", caFile, 530, "the mail server refused the sender: 530 5.7.0 log in first"},
		"no login known":  {func(s *smtptest.Server) { s.TLS = certificate }, "smtp://anna:falsch@example.com", caFile, 0, "the login at the mail server failed"},
		"turned away":     {func(s *smtptest.Server) { s.Greeting = "554 5.7.1 no service for you" }, "smtp://127.0.0.1", "", 554, "the mail server turned the connection away: 554 5.7.1 no service for you"},
		"no SMTP":         {func(s *smtptest.Server) { s.Greeting = "HTTP/1.1 400 Bad Request by anna@example.com" }, "smtp://127.0.0.1", "", 0, "the mail server broke the connection off"},
		"no TLS on offer": {nil, "smtp://example.com", caFile, 0, "there is no encrypted connection to the mail server"},
		"unknown issuer":  {func(s *smtptest.Server) { s.TLS = certificate }, "smtp://example.com", "", 0, "there is no encrypted connection to the mail server"},
		"another host's":  {func(s *smtptest.Server) { s.TLS = certificate }, "smtp://mail.example.net", caFile, 0, "there is no encrypted connection to the mail server"},
		"implicit TLS":    {func(s *smtptest.Server) { s.TLS, s.Implicit = certificate, true }, "smtps://example.com", "", 0, "there is no encrypted connection to the mail server"},
	} {
		t.Run(name, func(t *testing.T) {
			sink := smtptest.Start(t, c.change)
			err := refused(t, remote(t, sink, c.url, c.ca), letter("a@example.com"))
			if !err.Temporary || !err.Session || err.Code != c.code || err.Reason != c.reason {
				t.Errorf("%+v, want temporary with code %d: %s", err, c.code, c.reason)
			}
			if (err.Cause == nil) != (c.code != 0) || strings.Contains(err.Error(), "falsch") || strings.Contains(err.Error(), "anna@") {
				t.Errorf("the log gets %q", err)
			}
			if len(sink.Envelopes()) != 0 {
				t.Error("the letter went out all the same")
			}
		})
	}
}

func TestOneRuleSaysToWhichHostNothingNeedsToBeEncrypted(t *testing.T) {
	for host, plain := range map[string]bool{"LOCALHOST": true, "localhost.": true, "[::ffff:127.0.0.1]": true, "localhost.example.com": false, "[::ffff:10.0.0.1]": false} {
		sink := smtptest.Start(t, nil)
		err := outcomes(t, remote(t, sink, "smtp://"+host, ""), letter("a@example.com"))[0]
		if (err == nil) != plain {
			t.Errorf("%s: %v, want it plain: %t", host, err, plain)
		}
	}
}

func TestWrongSettingsAreRefusedInWords(t *testing.T) {
	for _, o := range []mail.SMTPOptions{
		{URL: "", From: operator},
		{URL: "mail.example.com:587", From: operator},
		{URL: "http://mail.example.com", From: operator},
		{URL: "smtp://", From: operator},
		{URL: "smtp://anna:ge%heim@mail.example.com", From: operator},
		{URL: "smtp://mail.example.com:0", From: operator},
		{URL: "smtp://mail.example.com:99999", From: operator},
		{URL: "smtp://mail.example.com/path", From: operator},
		{URL: "smtp://mail.example.com?tls=no", From: operator},
		{URL: "smtp://mail.example.com", From: ""},
		{URL: "smtp://mail.example.com", From: "Typus"},
		{URL: "smtp://mail.example.com", From: "typus@localhost"},
		{URL: "smtp://mail.example.com", From: "typus@example.com\r\nBcc: a@example.com"},
		{URL: "smtp://mail.example.com", From: operator, CAFile: "testdata/missing.pem"},
		{URL: "smtp://mail.example.com", From: operator, CAFile: "send_test.go"},
	} {
		_, err := mail.NewSMTP(o)
		if err == nil || typus.KindOf(err) != typus.Invalid || strings.Contains(err.Error(), "heim") {
			t.Errorf("%+v: %v, want kind invalid in words", o, err)
		}
	}
}

func sender(t *testing.T, sink *smtptest.Server) *mail.SMTP {
	t.Helper()
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: sink.URL(), From: operator})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// remote reaches the sink under a name that is not loopback.
func remote(t *testing.T, sink *smtptest.Server, url, caFile string) *mail.SMTP {
	t.Helper()
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: url, From: operator, CAFile: caFile,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, sink.Addr)
		}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// certificate borrows the one of httptest, which is made out to example.com.
func certificate(t *testing.T) (*tls.Config, string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: server.TLS.Certificates}, file
}

func letter(to string) mail.Message {
	return mail.Message{ID: "letter-7.1@example.com", To: to, Language: "de", Subject: "Einladung für Anna – Test", Text: "Guten Tag\n", HTML: "<p>Guten Tag</p>\n"}
}

func invitation(t *testing.T, i mail.Invitation) mail.Message {
	t.Helper()
	m, err := i.Message()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func accepted(t *testing.T, s *mail.SMTP, msgs ...mail.Message) {
	t.Helper()
	for i, err := range s.Send(t.Context(), msgs, nil) {
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
}

// outcomes are those of all messages, in order.
func outcomes(t *testing.T, s *mail.SMTP, msgs ...mail.Message) []error {
	t.Helper()
	var errs []error
	for i, err := range s.Send(t.Context(), msgs, nil) {
		if i != len(errs) {
			t.Fatalf("the outcome of message %d comes in place %d", i, len(errs))
		}
		errs = append(errs, err)
	}
	if len(errs) != len(msgs) {
		t.Fatalf("%d outcomes of %d messages", len(errs), len(msgs))
	}
	return errs
}

func refused(t *testing.T, s *mail.SMTP, m mail.Message) *mail.SendError {
	t.Helper()
	return sendError(t, outcomes(t, s, m)[0])
}

func sendError(t *testing.T, err error) *mail.SendError {
	t.Helper()
	e, ok := errors.AsType[*mail.SendError](err)
	if !ok {
		t.Fatalf("got %v, want a SendError", err)
	}
	return e
}

type parsed struct {
	*netmail.Message
	parts map[string]string
}

func (p parsed) header(name string) string {
	value := p.Header.Get(name)
	if list, err := p.Header.AddressList(name); err == nil && strings.Contains(value, "<typus@") || name == "To" {
		return fmt.Sprintf("%q <%s>", list[0].Name, list[0].Address)
	}
	decoded, err := new(mime.WordDecoder).DecodeHeader(value)
	if err != nil {
		return value
	}
	return decoded
}

func parse(t *testing.T, e smtptest.Envelope) parsed {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(e.Data))
	if err != nil {
		t.Fatalf("%v in\n%s", err, e.Data)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("Content-Type %q: %v", m.Header.Get("Content-Type"), err)
	}
	p := parsed{m, map[string]string{}}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return p
		}
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		p.parts[kind] = strings.ReplaceAll(string(body), "\r\n", "\n")
	}
}
