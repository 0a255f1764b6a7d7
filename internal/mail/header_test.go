package mail_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/mail/smtptest"
)

// Every letter there is, in both languages, with the longest of names and links,
// as its bytes go over the wire.
func TestTheHeaderOfEveryLetterIsCleanOnTheWire(t *testing.T) {
	sink := smtptest.Start(t, nil)
	plain, signed := sender(t, sink), signing(t, sink)
	for _, s := range []*mail.SMTP{plain, signed} {
		accepted(t, s, everyLetter(t)...)
	}
	got := sink.Envelopes()
	if files, _ := fs.Glob(os.DirFS("letters"), "*.de.txt"); len(got) < 2*2*3*len(files) {
		t.Fatalf("%d letters of %d kinds", len(got), len(files))
	}
	stops := 0
	for _, e := range got {
		checkHeader(t, e.Raw)
		if bytes.Contains(e.Raw, []byte("\r\nList-Unsubscribe: <https://")) {
			stops++
		}
	}
	if stops != 2*2*3 {
		t.Errorf("%d letters carry their way out on one line, want %d", stops, 2*2*3)
	}
}

// The words of names and subjects are what they were once a reader has put the
// folded lines together.
func TestFoldingChangesNoWord(t *testing.T) {
	sink := smtptest.Start(t, nil)
	s := sender(t, sink)
	for _, words := range []string{
		"Kurz", "Zwei  Leerzeichen   drei", strings.Repeat("x", 90), strings.Repeat("x", 70) + " y", strings.Repeat("größer ", 30) + "Ende",
		strings.Repeat("Ä", 200), "🦊" + strings.Repeat("👩‍🔬", 30), strings.Repeat("lang ", 45) + "Ende", "a, b; c: \"d\" <e>",
	} {
		m := letter("anna@example.com")
		m.Subject, m.FromName, m.ToName = words, words, words
		accepted(t, s, m)
		got := sink.Envelopes()
		e := got[len(got)-1]
		checkHeader(t, e.Raw)
		p := parse(t, e)
		if subject := p.header("Subject"); subject != words {
			t.Errorf("the subject %q became %q", words, subject)
		}
		for name, want := range map[string]string{"From": fmt.Sprintf("%q <typus@mail.example.com>", words), "To": fmt.Sprintf("%q <anna@example.com>", words)} {
			if got := p.header(name); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
}

var fieldBegins = regexp.MustCompile(`^([!-9;-~]+): [!-~]`)

// checkHeader holds what RFC 5322 (2.2, 3.6) and RFC 2047 (2) ask of a header.
func checkHeader(t *testing.T, raw []byte) {
	t.Helper()
	head, _, _ := strings.Cut(string(raw), "\r\n\r\n")
	fields := map[string]int{}
	for line := range strings.SplitSeq(head, "\r\n") {
		name := fieldBegins.FindStringSubmatch(line)
		switch {
		case name != nil:
			fields[name[1]]++
		case !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t"), strings.TrimSpace(line) == "":
			t.Errorf("the header line %q in\n%s", line, head)
		}
		if strings.HasSuffix(line, " ") || strings.ContainsFunc(line, func(r rune) bool { return r > '~' || r < ' ' && r != '\t' }) {
			t.Errorf("the header line %q in\n%s", line, head)
		}
		if len(line) > 998 || len(line) > 76 && strings.Contains(line, "=?") {
			t.Errorf("a header line of %d bytes: %q", len(line), line)
		}
	}
	for _, name := range []string{"Date", "From", "To", "Subject", "Message-ID", "MIME-Version", "Content-Type"} {
		if fields[name] != 1 {
			t.Errorf("the field %s is there %d times in\n%s", name, fields[name], head)
		}
	}
	for _, line := range regexp.MustCompile(`(?m)^(Content-[A-Za-z-]+):\r?$`).FindAllString(string(raw), -1) {
		t.Errorf("a part begins its field %q with nothing", line)
	}
}

// everyLetter writes each kind in both languages: as usual, with names as long as
// they may be, and with names that have to be encoded.
func everyLetter(t *testing.T) []mail.Message {
	t.Helper()
	var list []mail.Message
	for _, language := range []string{"de", "en"} {
		for _, name := range []string{"Muster", strings.Repeat("Muster", 33), strings.Repeat("Größe", 40)} {
			link := "https://" + strings.Repeat("typus.", 30) + "example.com/t/" + strings.Repeat("4fzyo82m", 4)
			add := func(m mail.Message, err error) {
				if err != nil {
					t.Fatal(err)
				}
				m.ID, m.To = "letter-7.1@"+strings.Repeat("typus.", 30)+"example.com", strings.Repeat("a", 60)+"@"+strings.Repeat("mail.", 30)+"example.com"
				list = append(list, m)
			}
			i := mail.Invitation{Language: language, CandidateName: name, AccountName: name, Link: link, Expires: time.Now(), Contact: "chef@example.com"}
			own := i
			own.Own = &typus.LetterTemplate{Subject: strings.Repeat("Einladung", 20) + " {name}", Body: "{link}"}
			add(i.Message())
			add(own.Message())
			add(mail.Reminder{Invitation: i, Stop: link + "/erinnerungen"}.Message())
			add(mail.Receipt{Language: language, CandidateName: name, AccountName: name}.Message())
			add(mail.Trial{Language: language, AccountName: name}.Message())
			for _, kind := range kindsOfLetters(t) {
				if m, err := messageOf(kind, language, name, link); err == nil {
					add(m, nil)
				}
			}
		}
	}
	return list
}

// messageOf tries who writes letters of a kind.
func messageOf(kind typus.LetterKind, language, name, link string) (mail.Message, error) {
	switch kind {
	case typus.LetterInvitation, typus.LetterReminder, typus.LetterReceipt, "trial":
		return mail.Message{}, fs.ErrNotExist // written above
	case typus.LetterOwnCode, typus.LetterOwnReleased, typus.LetterOwnAnswered:
		return mail.OwnLetter{Language: language, Kind: kind, CandidateName: name, AccountName: name, Link: link, Code: "012345"}.Message()
	case typus.LetterEnrolment:
		return mail.Enrolment{Language: language, AccountName: name, Link: link, Expires: time.Now()}.Message()
	case typus.LetterCompleted, typus.LetterLinkRequested, typus.LetterOwnAsked:
		return mail.TeamNotice{Language: language, Kind: kind, AccountName: name, CandidateName: name, Link: link}.Message()
	case typus.LetterDigest, typus.LetterWebhookFailing, typus.LetterWebhookGivenUp, typus.LetterWebhookOff:
		return mail.TeamList{Language: language, Kind: kind, AccountName: name, People: []string{name}, Link: link}.Message()
	case typus.LetterCreditsLow, typus.LetterCreditsEmpty, typus.LetterCreditsRefused:
		return mail.CreditNotice{Language: language, Kind: kind, AccountName: name, DashboardURL: link}.Message()
	}
	return mail.UserLetter{Language: language, Kind: kind, AccountName: name, Name: name, By: name, Link: link, Expires: time.Now()}.Message()
}

func kindsOfLetters(t *testing.T) []typus.LetterKind {
	t.Helper()
	files, err := fs.Glob(os.DirFS("letters"), "*.de.txt")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []typus.LetterKind
	for _, file := range files {
		kinds = append(kinds, typus.LetterKind(strings.TrimSuffix(file, ".de.txt")))
	}
	return kinds
}

// signing is a sender with a DKIM key.
func signing(t *testing.T, sink *smtptest.Server) *mail.SMTP {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: sink.URL(), From: operator, DKIM: mail.DKIM{
		Domain: "mail.example.com", Selector: "typus2026", Key: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
