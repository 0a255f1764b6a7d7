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
	"strings"
	"testing"
	"time"

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
	errs := sender(t, sink).Send(t.Context(), []mail.Message{
		letter("a@example.com"), letter("later@example.com"), letter("b@example.com"), letter("gone@example.com"), letter("c@example.com"),
	})
	if errs[0] != nil || errs[2] != nil || errs[4] != nil {
		t.Errorf("good recipients failed: %v", errs)
	}
	later, gone := sendError(t, errs[1]), sendError(t, errs[3])
	if later.Code != 451 || !later.Temporary || !strings.Contains(later.Reason, "greylisted") {
		t.Errorf("451: %+v", later)
	}
	if gone.Code != 550 || gone.Temporary || !strings.Contains(gone.Reason, "no such mailbox") {
		t.Errorf("550: %+v", gone)
	}
	if strings.Contains(gone.Reason, "gone@") {
		t.Errorf("the reason names the recipient: %s", gone.Reason)
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

// After the final dot nobody knows whether the server has the message. It is
// left to a later attempt, under the same Message-ID, and the others go on.
func TestAMissingReplyIsATemporaryFailureOfThatMessageOnly(t *testing.T) {
	sink := smtptest.Start(t, func(s *smtptest.Server) { s.DropBeforeReply = 2 })
	errs := sender(t, sink).Send(t.Context(), []mail.Message{letter("a@example.com"), letter("b@example.com"), letter("c@example.com")})
	if errs[0] != nil || errs[2] != nil {
		t.Errorf("the others failed: %v", errs)
	}
	if err := sendError(t, errs[1]); !err.Temporary || err.Code != 0 {
		t.Errorf("%+v, want temporary without a code", err)
	}
	if n := len(sink.Envelopes()); n != 3 {
		t.Errorf("%d messages reached the server, want 3: none twice", n)
	}
}

func TestNoConnectionIsTemporaryForAll(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://" + listener.Addr().String(), From: operator})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Send(t.Context(), []mail.Message{letter("a@example.com"), letter("b@example.com")}) {
		if e := sendError(t, err); !e.Temporary || e.Code != 0 {
			t.Errorf("%+v, want temporary without a code", e)
		}
	}
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
	for _, err := range sender(t, sink).Send(ctx, []mail.Message{letter("a@example.com"), letter("b@example.com")}) {
		if e := sendError(t, err); !e.Temporary {
			t.Errorf("%+v, want temporary", e)
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
func TestFaultsOfTheSettingsAreTemporary(t *testing.T) {
	certificate, caFile := certificate(t)
	for name, c := range map[string]struct {
		change func(*smtptest.Server)
		url    string
		ca     string
		code   int
	}{
		"wrong password":        {func(s *smtptest.Server) { s.TLS, s.Login = certificate, "anna geheim" }, "smtp://anna:falsch@example.com", caFile, 535},
		"login needed":          {func(s *smtptest.Server) { s.TLS, s.Login = certificate, "anna geheim" }, "smtp://example.com", caFile, 530},
		"no TLS on offer":       {nil, "smtp://example.com", caFile, 0},
		"unknown certificate":   {func(s *smtptest.Server) { s.TLS = certificate }, "smtp://example.com", "", 0},
		"another host's":        {func(s *smtptest.Server) { s.TLS = certificate }, "smtp://mail.example.net", caFile, 0},
		"unknown, implicit TLS": {func(s *smtptest.Server) { s.TLS, s.Implicit = certificate, true }, "smtps://example.com", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			sink := smtptest.Start(t, c.change)
			err := refused(t, remote(t, sink, c.url, c.ca), letter("a@example.com"))
			if !err.Temporary || err.Code != c.code {
				t.Errorf("%+v, want temporary with code %d", err, c.code)
			}
			if strings.Contains(err.Reason, "falsch") {
				t.Errorf("the reason shows the password: %s", err.Reason)
			}
			if len(sink.Envelopes()) != 0 {
				t.Error("the letter went out all the same")
			}
		})
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
	for i, err := range s.Send(t.Context(), msgs) {
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
}

func refused(t *testing.T, s *mail.SMTP, m mail.Message) *mail.SendError {
	t.Helper()
	return sendError(t, s.Send(t.Context(), []mail.Message{m})[0])
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
