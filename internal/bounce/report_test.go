package bounce

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"typus"
	"typus/internal/seal"
)

// box is that of the server that sent the letter of testdata/reports.
func box(t testing.TB) *seal.Box {
	b, err := seal.New([]byte("a fictitious secret of 32+ bytes!!"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// theLetter is what the reports are about.
var theLetter = typus.Posting{AccountID: 1, LetterID: 42, Attempt: 1}

// wantReports are what the mail servers of testdata/reports say.
var wantReports = map[string]Report{
	"encoded-status":              {Outcome: Failed, Code: 550, Said: "550 5.1.1 no such user"},
	"exchange":                    {Outcome: Failed, Code: 550, Said: "550 5.1.1 RESOLVER.ADR.RecipNotFound; not found"},
	"exim-no-words":               {Outcome: Failed, Said: "5.0.0"},
	"exim-unrouteable":            {Outcome: Failed, Code: 550, Said: "550-5.7.1 This message was blocked 550 see https://example.net/policy for details"},
	"forwarded":                   {},
	"gmail":                       {Outcome: Failed, Code: 550, Said: "550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking the recipient's email address for typos or 550 5.1.1 unnecessary spaces. a640c23a - gsmtp"},
	"hostile-words":               {Outcome: Failed, Code: 550, Said: "550 <script>alert(1)</script> [31mevil Bcc: … <a href=\"https://phish.example\">klick</a> " + strings.Repeat("lang ", 42) + "l…"},
	"list-some-delivered":         {Outcome: Delivered, Said: "2.0.0"},
	"mailbox-full-no-report-type": {Outcome: Failed, Code: 552, Said: "552-Requested mail action aborted: exceeded storage allocation 552 For explanation visit https://freemail.example/senderguidelines"},
	"no-status-part":              {},
	"office365":                   {Outcome: Failed, Code: 550, Said: "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient … not found by SMTP address lookup"},
	"out-of-office":               {},
	"postfix-delayed":             {Outcome: Delayed, Said: "connect to mx.example.net[192.0.2.1]:25: Connection timed out"},
	"postfix-delivered":           {Outcome: Delivered, Code: 250, Said: "250 2.1.5 Ok"},
	"postfix-expired":             {Outcome: Failed, Said: "connect to mx.example.net[192.0.2.1]:25: Connection timed out"},
	"postfix-no-domain":           {Outcome: Failed, Said: "Host or domain name not found. Name service error for name=exmaple.example type=AAAA: Host not found"},
	"postfix-unknown":             {Outcome: Failed, Code: 550, Said: "550 5.1.1 … Recipient address rejected: User unknown"},
	"qmail":                       {}, // its own form, QSBMF, is not read
	"read-receipt":                {},
	"sendmail":                    {Outcome: Failed, Code: 550, Said: "550 5.1.1 … User unknown"},
	"smtputf8":                    {Outcome: Failed, Code: 550, Said: "550 5.1.1 Empfänger unbekannt: …"},
}

func TestReportsOfManyMailServersAreRead(t *testing.T) {
	files, err := filepath.Glob("testdata/reports/*.eml")
	if err != nil || len(files) != len(wantReports) {
		t.Fatalf("%d reports, want %d: %v", len(files), len(wantReports), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".eml")
		for form, text := range map[string][]byte{"as it is": text, "with CRLF": bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))} {
			got, err := Read(iotest.OneByteReader(bytes.NewReader(text)))
			if err != nil {
				t.Errorf("%s %s: %v", name, form, err)
				continue
			}
			if p, ours := Find(box(t), got.To); !ours || p != theLetter {
				t.Errorf("%s %s: the letter is %+v, %t, from %q", name, form, p, ours, got.To)
			}
			got.To = ""
			if got != wantReports[name] {
				t.Errorf("%s %s:\n got %+v\nwant %+v", name, form, got, wantReports[name])
			}
		}
	}
}

func TestWhatIsNoMessageIsRefused(t *testing.T) {
	for name, text := range map[string]string{"nothing": "", "an envelope only": "From nobody\n", "no field": "hello\n\nworld", "an empty header": "\nhello"} {
		if r, err := Read(strings.NewReader(text)); !typus.Is(err, typus.Invalid) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if _, err := Read(iotest.ErrReader(errors.New("the pipe broke"))); err == nil {
		t.Error("a broken pipe is taken for a message")
	}
}

// report is a report with a delivery status.
func report(status string) string {
	return "To: anna@example.com\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n" +
		"--b\nContent-Type: message/delivery-status\n\n" + status + "\n--b--\n"
}

func TestReportsMadeToKeepUsBusyEnd(t *testing.T) {
	failed := "Final-Recipient: rfc822; anna@example.com\nAction: failed\nStatus: 5.1.1\n\n"
	var deep strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&deep, "Content-Type: multipart/report; report-type=delivery-status; boundary=b%d\n\n--b%d\n", n, n)
	}
	for name, c := range map[string]struct {
		text string
		want Outcome
	}{
		"10,000 recipients":      {report("Reporting-MTA: dns; example.com\n\n" + strings.Repeat(failed, 10_000)), Failed},
		"deep parts":             {deep.String(), Nothing},
		"many parts":             {"Content-Type: multipart/report; boundary=b\n\n" + strings.Repeat("--b\n\n\n", 200_000), Nothing},
		"blank lines":            {report(strings.Repeat("\n", 500_000) + failed), Nothing},
		"one long field":         {report("Diagnostic-Code: smtp; " + strings.Repeat("x", 900_000) + "\n" + failed), Failed},
		"a long folded field":    {report("Diagnostic-Code: smtp; 550 " + strings.Repeat("\n a@b", 150_000) + "\n" + failed), Failed},
		"many fields":            {report(strings.Repeat("X-A: b\n", 120_000) + failed), Failed},
		"a header without end":   {"To: " + strings.Repeat("anna@example.com, ", 200_000), Nothing},
		"a long envelope":        {"From " + strings.Repeat("x", 500_000) + "\n" + report(failed), Failed},
		"more than is read":      {report(failed) + strings.Repeat("copy of the letter\n", 500_000), Failed},
		"a broken boundary":      {"Content-Type: multipart/report; boundary=\"\n\n" + failed, Nothing},
		"no boundary":            {"Content-Type: multipart/report; report-type=delivery-status\n\n" + failed, Nothing},
		"a line that is nothing": {report("Final-Recipient\nAction: failed\nStatus: 5.1.1\n"), Nothing},
		"a status of letters":    {report("Action: failed\nStatus: fünf\n"), Nothing},
		"a status of one digit":  {report("Action: failed\nStatus: 5\n"), Nothing},
		"an action in the words": {report("Action: delayed\nStatus: 4.4.1\nDiagnostic-Code: smtp; x\n Action: failed\n Status: 5.1.1\n"), Delayed},
	} {
		got, err := Read(strings.NewReader(c.text))
		if got.Outcome != c.want || err != nil && c.want != Nothing {
			t.Errorf("%s: %q, %v, want %q", name, got.Outcome, err, c.want)
		}
		checkSaid(t, got)
	}
}

// checkSaid fails unless the words are fit to be shown and stored.
func checkSaid(t *testing.T, r Report) {
	t.Helper()
	hidden := func(c rune) bool { return unicode.IsControl(c) || c >= '\u202a' && c <= '\u202e' }
	if !utf8.ValidString(r.Said) || utf8.RuneCountInString(r.Said) > 300 || strings.ContainsAny(r.Said, "@\r\n") || strings.ContainsFunc(r.Said, hidden) {
		t.Errorf("the words are %q", r.Said)
	}
	if r.Code != 0 && (r.Code < 200 || r.Code > 599) {
		t.Errorf("the code is %d", r.Code)
	}
}

// Whatever is piped, it is read or refused, and its words can be shown.
func FuzzReport(f *testing.F) {
	files, err := filepath.Glob("testdata/reports/*.eml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(report("Action: failed\nStatus: 5.1.1\nDiagnostic-Code: x; \xff@\xff\n")))
	b := box(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		checkSaid(t, r)
		if p, ours := Find(b, r.To); ours && p != theLetter {
			t.Errorf("a tag of %+v was found that nobody has made", p)
		}
	})
}
