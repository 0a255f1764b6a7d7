package mail_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"typus"
	"typus/internal/mail"
)

var update = flag.Bool("update", false, "write the golden files anew")

const link = "https://typus.example.com/t/4fzyo82mvyr8hxsfYbcQ1pWk3nTa9LdE"

// letters are all letters in both languages, as people get them.
func letters(t *testing.T) map[string]mail.Message {
	t.Helper()
	out := map[string]mail.Message{}
	for _, language := range []string{"de", "en"} {
		out["invitation."+language] = invitation(t, mail.Invitation{
			Language: language, CandidateName: "Anna Beispiel", AccountName: "Müller & Söhne GmbH", Link: link,
			Expires: time.Date(2026, 12, 27, 10, 20, 0, 0, time.UTC), Contact: "bewerbung@example.com",
		})
		out["invitation_bare."+language] = invitation(t, mail.Invitation{Language: language, AccountName: "Demo GmbH", Link: link, Expires: time.Date(2027, 3, 1, 23, 5, 0, 0, time.UTC)})
		for name, n := range map[string]mail.CreditNotice{
			"credits_low":              {Kind: typus.LetterCreditsLow, Plan: typus.PlanStarter, Balance: 5},
			"credits_low_one_business": {Kind: typus.LetterCreditsLow, Plan: typus.PlanBusiness, Balance: 1},
			"credits_empty":            {Kind: typus.LetterCreditsEmpty, Plan: typus.PlanStarter},
			"credits_empty_business":   {Kind: typus.LetterCreditsEmpty, Plan: typus.PlanBusiness, Balance: -3},
			"credits_refused":          {Kind: typus.LetterCreditsRefused, Plan: typus.PlanStarter},
		} {
			n.Language, n.AccountName, n.DashboardURL = language, "Demo GmbH", "https://typus.example.com/dashboard/credits"
			out[name+"."+language] = written(t)(n.Message())
		}
		for name, l := range teamLetters(language) {
			out[name+"."+language] = written(t)(l.Message())
		}
	}
	return out
}

// teamLetters are the others, in a language.
func teamLetters(language string) map[string]interface{ Message() (mail.Message, error) } {
	const account, base = "Demo GmbH", "https://typus.example.com"
	tomorrow := time.Date(2026, 12, 5, 9, 30, 0, 0, time.UTC)
	i := mail.Invitation{Language: language, CandidateName: "Anna Beispiel", AccountName: account, Link: link, Expires: tomorrow, Contact: "bewerbung@example.com"}
	user := func(kind typus.LetterKind) mail.UserLetter {
		return mail.UserLetter{Language: language, Kind: kind, AccountName: account, Name: "Ada Probe", Link: base + "/passwort/abc", Expires: tomorrow}
	}
	change := func(kind typus.LetterKind, path string, until time.Time) mail.UserLetter {
		return mail.UserLetter{Language: language, Kind: kind, AccountName: account, Name: "Ada Probe", Link: base + path, Expires: until, At: tomorrow.AddDate(0, 0, -7)}
	}
	receipt := func(policy typus.OwnResultPolicy) mail.Receipt {
		return mail.Receipt{Language: language, CandidateName: "Anna Beispiel", AccountName: account, Contact: "bewerbung@example.com", Link: link + "/ergebnis", Policy: policy}
	}
	own := func(kind typus.LetterKind, link, code string) mail.OwnLetter {
		return mail.OwnLetter{Language: language, Kind: kind, CandidateName: "Anna Beispiel", AccountName: account, Contact: "bewerbung@example.com", Link: link, Code: code, Expires: tomorrow}
	}
	named, described := typus.NoticeFacts{Client: "Beispiel AG"}, typus.NoticeFacts{ClientKind: typus.OwnWords{DE: "Maschinenbau, Region Stuttgart", EN: "mechanical engineering, Stuttgart area"}}
	forClient, forSomebody, ended := i, i, receipt(typus.OwnResultReleased)
	forClient.Told, forSomebody.Told, ended.Told = named, described, described
	invitation := user(typus.LetterTeamInvitation)
	invitation.By, invitation.Contact = "Petra Beispiel", "petra@example.com"
	list := func(kind typus.LetterKind, more int, people ...string) mail.TeamList {
		return mail.TeamList{Language: language, Kind: kind, AccountName: account, People: people, More: more, Link: base + "/dashboard"}
	}
	return map[string]interface{ Message() (mail.Message, error) }{
		"invitation_client":   forClient,
		"invitation_kind":     forSomebody,
		"reminder_client":     mail.Reminder{Invitation: forClient, Stop: link + "/erinnerungen"},
		"receipt_kind":        ended,
		"reminder":            mail.Reminder{Invitation: i, Stop: link + "/erinnerungen"},
		"reminder_begun":      mail.Reminder{Invitation: i, Begun: true, Stop: link + "/erinnerungen"},
		"receipt":             receipt(typus.OwnResultReleased),
		"receipt_at_once":     receipt(typus.OwnResultAtOnce),
		"receipt_none":        receipt(typus.OwnResultNone),
		"own_code":            own(typus.LetterOwnCode, "", "012345"),
		"own_code_before":     mail.OwnLetter{Language: language, Kind: typus.LetterOwnCode, CandidateName: "Anna Beispiel", AccountName: account, Contact: "bewerbung@example.com", Code: "012345", Expires: tomorrow, Before: true},
		"own_released":        own(typus.LetterOwnReleased, link+"/ergebnis", ""),
		"own_answered":        own(typus.LetterOwnAnswered, link+"/ergebnis", ""),
		"own_asked":           mail.TeamNotice{Language: language, Kind: typus.LetterOwnAsked, AccountName: account, CandidateName: "Anna Beispiel", Link: base + "/dashboard/kandidat/1"},
		"completed":           mail.TeamNotice{Language: language, Kind: typus.LetterCompleted, AccountName: account, CandidateName: "Anna Beispiel", Link: base + "/dashboard/kandidat/1"},
		"link_requested":      mail.TeamNotice{Language: language, Kind: typus.LetterLinkRequested, AccountName: account, CandidateName: "Anna Beispiel", Link: base + "/dashboard/kandidat/1"},
		"completed_daily":     list(typus.LetterDigest, 3, "Anna Beispiel", "Otto Muster"),
		"completed_daily_one": list(typus.LetterDigest, 0, "Anna Beispiel"),
		"webhook_failing":     list(typus.LetterWebhookFailing, 0, "Webhook 3 CRM"),
		"webhook_failing_two": list(typus.LetterWebhookFailing, 0, "Webhook 3 CRM", "Webhook 4 hooks.example.com"),
		"webhook_given_up":    list(typus.LetterWebhookGivenUp, 0, "Webhook 3 CRM"),
		"webhook_off":         list(typus.LetterWebhookOff, 0, "Webhook 3 CRM"),
		"team_invitation":     invitation,
		"team_invited":        user(typus.LetterTeamInvitation),
		"password_reset":      user(typus.LetterPasswordReset),
		"email_change":        user(typus.LetterEmailChange),
		"email_changed":       change(typus.LetterEmailChanged, "/zuruecknehmen/abc", tomorrow),
		"email_moved":         change(typus.LetterEmailMoved, "/passwort", time.Time{}),
		"email_restored":      change(typus.LetterEmailRestored, "/passwort", time.Time{}),
		"password_changed":    change(typus.LetterPasswordChanged, "/passwort", time.Time{}),
		"second_factor_on":    change(typus.LetterTOTPOn, "/passwort", time.Time{}),
		"second_factor_off":   change(typus.LetterTOTPOff, "/passwort", time.Time{}),
		"second_factor_reset": change(typus.LetterTOTPReset, "/dashboard/einstellungen/profil/zwei-faktor", time.Time{}),
		"recovery_codes":      change(typus.LetterRecoveryCodes, "/passwort", time.Time{}),
		"signup":              user(typus.LetterSignUp),
		"enrolment":           mail.Enrolment{Language: language, AccountName: account, Contact: "bewerbung@example.com", Link: base + "/p/bestaetigen/abc", Expires: tomorrow},
		"trial":               mail.Trial{Language: language, AccountName: account, Contact: "bewerbung@example.com"},
	}
}

func written(t *testing.T) func(mail.Message, error) mail.Message {
	return func(m mail.Message, err error) mail.Message {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func TestEveryLetterReadsAsAgreed(t *testing.T) {
	for name, m := range letters(t) {
		golden(t, name+".txt", "Subject: "+m.Subject+"\n\n"+m.Text)
		golden(t, name+".html", m.HTML)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update to accept):\n%s", name, got)
	}
}

func TestBothPartsOfALetterSayTheSame(t *testing.T) {
	for name, m := range letters(t) {
		page := strings.Join(strings.Fields(visibleText(t, m.HTML)), " ")
		for line := range strings.Lines(m.Text) {
			line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "- "), ":")
			if !strings.Contains(page, line) {
				t.Errorf("%s: the HTML lacks %q", name, line)
			}
		}
	}
}

func TestEveryLetterIsReadableWithoutPicturesScriptsOrSmallPrint(t *testing.T) {
	size := regexp.MustCompile(`font-size:\s*(\d+)px`)
	for name, m := range letters(t) {
		language := name[len(name)-2:]
		for _, must := range []string{`<html lang="` + language + `">`, `name="color-scheme" content="light dark"`, "prefers-color-scheme: dark", "<title>"} {
			if !strings.Contains(m.HTML, must) {
				t.Errorf("%s lacks %s", name, must)
			}
		}
		for _, not := range []string{"<script", "<img", "<link", "http://", "src=", "@import", "url(", "ZgotmplZ", "<no value>"} {
			if strings.Contains(m.HTML, not) {
				t.Errorf("%s holds %s", name, not)
			}
		}
		if strings.Count(m.HTML, "<table") != strings.Count(m.HTML, `<table role="presentation"`) {
			t.Errorf("%s has a table that a screen reader would announce", name)
		}
		for _, found := range size.FindAllStringSubmatch(m.HTML, -1) {
			if len(found[1]) < 2 || found[1] < "16" {
				t.Errorf("%s has text of %s px; 16 is the least", name, found[1])
			}
		}
		if strings.Count(m.HTML, "<h1") != 1 || m.Language != language {
			t.Errorf("%s: language %q, %d headings", name, m.Language, strings.Count(m.HTML, "<h1"))
		}
		if strings.Contains(m.Text, "\n\n\n") || strings.HasPrefix(m.Text, "\n") || strings.Contains(m.Text, "{{") {
			t.Errorf("%s: the text has holes:\n%s", name, m.Text)
		}
	}
}

// The list of a mail program shows the first words of a letter beside its subject.
func TestALetterBeginsWithWhatItIsAboutForTheListOfAMailProgram(t *testing.T) {
	first := func(m mail.Message) string {
		body := m.HTML[strings.Index(m.HTML, "<body"):]
		for line := range strings.Lines(visibleText(t, body)) {
			if line = strings.TrimSpace(line); line != "" {
				return line
			}
		}
		return ""
	}
	all := letters(t)
	for name, m := range all {
		said := first(m)
		if n := len([]rune(said)); n < 40 || n > 140 || said == m.Subject || strings.Contains(said, "://") || strings.Contains(said, "012") || strings.HasPrefix(said, "Guten Tag") || strings.HasPrefix(said, "Hello") {
			t.Errorf("%s begins with %q", name, said)
		}
		if r := []rune(said); unicode.IsLower(r[0]) {
			t.Errorf("%s begins with %q", name, said)
		}
		if !strings.Contains(m.HTML, `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">`) {
			t.Errorf("%s shows it twice", name)
		}
	}
	if said := first(all["own_code.de"]); said != "Mit diesem Code öffnen Sie die Seite mit Ihrem Ergebnis:" {
		t.Errorf("a code begins with %q", said)
	}
	for body, want := range map[string]string{
		"Hallo {name},\n\nlos geht es: {link} und mehr.\n\n- a\n- b": "Los geht es:",
		"Hallo {name}, los geht es:\n\n{link}":                       "Hallo Kim, los geht es:",
		"- nur eine Liste\n\n{link}":                                 "Hallo",
	} {
		m := invitation(t, mail.Invitation{Language: "de", CandidateName: "Kim", AccountName: "Hallo", Link: link, Own: &typus.LetterTemplate{Subject: "Ein Test", Body: body}})
		if said := first(m); said != want {
			t.Errorf("%q begins with %q, want %q", body, said, want)
		}
	}
}

func TestTheInvitationShowsItsLinkAsButtonAndInPlain(t *testing.T) {
	m := letters(t)["invitation.de"]
	if n := strings.Count(m.HTML, `href="`+link+`"`); n != 2 {
		t.Errorf("%d links in the HTML, want button and plain address", n)
	}
	if !strings.Contains(visibleText(t, m.HTML), link) || !strings.Contains(m.Text, "\n"+link+"\n") {
		t.Error("the address cannot be read and copied")
	}
}

func TestEveryKindHasItsTextInBothLanguagesAndNoTextIsLeftOver(t *testing.T) {
	want := map[string]bool{"layout.txt": true, "layout.html": true}
	for _, kind := range append(typus.LetterKinds(nil), "trial") {
		want[string(kind)+".de.txt"], want[string(kind)+".en.txt"] = true, true
	}
	got := map[string]bool{}
	files, err := os.ReadDir("letters")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		got[file.Name()] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnUnknownLanguageIsWrittenInGerman(t *testing.T) {
	if m := invitation(t, mail.Invitation{Language: "fr", AccountName: "Demo GmbH", Link: link}); m.Language != "de" || !strings.Contains(m.Text, "Guten Tag") {
		t.Errorf("%s: %s", m.Language, m.Text)
	}
}

func TestAnUnknownKindOfNoticeIsAnError(t *testing.T) {
	for _, kind := range []typus.LetterKind{"", "../layout", "newsletter"} {
		if _, err := (mail.CreditNotice{Kind: kind}).Message(); err == nil || typus.KindOf(err) != typus.Internal {
			t.Errorf("%q: %v, want kind internal", kind, err)
		}
	}
}

// ASVS 1.3.11 and OWASP content spoofing: what people type as a name is shown
// as text, and no mail program makes a link of it.
func TestHostileNamesStayHarmlessText(t *testing.T) {
	for _, evil := range []string{
		`</div><a href=https://evil.example>Klick</a>`, "evil.example/login", "www.evil.example", "https://evil.example",
		"\u202elmth.live", strings.Repeat("A & B ", 1700), `"><svg onload=alert(1)>`, "{{7*7}}", "{{.Link}}", "=> Weiter https://evil.example",
		"- x\n\n=> y https://evil.example\nz", "<b>fett</b>", "A & B", "{{define `x`}}",
	} {
		m := invitation(t, mail.Invitation{Language: "de", CandidateName: evil, AccountName: evil, Contact: evil, Link: link})
		for _, tag := range elements(t, m.HTML) {
			if tag.Data == "svg" || tag.Data == "b" || tag.Data == "script" {
				t.Errorf("%.40q made an element <%s>", evil, tag.Data)
			}
			for _, a := range tag.Attr {
				if a.Key == "href" && a.Val != link {
					t.Errorf("%.40q made a link to %s", evil, a.Val)
				}
			}
		}
		for part, text := range map[string]string{"text": m.Text, "html": visibleText(t, m.HTML), "subject": m.Subject, "sender": m.FromName} {
			text = strings.ReplaceAll(text, link, "")
			for _, mark := range []string{"://", "www.", "evil.example", "\u202e", "@"} {
				if strings.Contains(text, mark) {
					t.Errorf("%.40q: the %s holds %q", evil, part, mark)
				}
			}
		}
		if len([]rune(m.Subject)) > 250 || strings.Contains(m.Subject, "\n") {
			t.Errorf("subject %q", m.Subject)
		}
	}
}

func TestAnOrdinaryAmpersandIsShownAsOne(t *testing.T) {
	m := letters(t)["invitation.de"]
	if !strings.Contains(m.HTML, "Müller &amp; Söhne GmbH") || !strings.Contains(m.Text, "Müller & Söhne GmbH") || m.FromName != "Müller & Söhne GmbH" {
		t.Errorf("%s\n%s", m.FromName, m.Text)
	}
}

func TestANameOfNothingButLinksIsReplaced(t *testing.T) {
	m := invitation(t, mail.Invitation{Language: "de", CandidateName: "https://evil.example", AccountName: "https://evil.example", Link: link})
	if !strings.HasPrefix(m.Text, "Guten Tag,\n") || m.FromName != "Das einladende Unternehmen" || m.ToName != "" {
		t.Errorf("from %q to %q:\n%s", m.FromName, m.ToName, m.Text)
	}
}

func elements(t *testing.T, page string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			out = append(out, n)
		}
	}
	return out
}

func visibleText(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "title" {
			out.WriteString(n.Data)
		}
	}
	return out.String()
}
