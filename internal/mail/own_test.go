package mail_test

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
)

// own is an own text of an account with every placeholder its kind has.
func own(kind typus.LetterKind) *typus.LetterTemplate {
	t := typus.LetterTemplate{Kind: kind, Language: "de", Subject: "{account}: Post für {name}", Body: "Hallo {name},\n\n- erstens\n- zweitens bei {account}\n\nTschüs"}
	if kind != typus.LetterReceipt {
		t.Body += "\n\n{link}\n\nOder hier: {link} (bis {expires})"
	}
	return &t
}

func ownLetter(t *testing.T, kind typus.LetterKind, name string, own *typus.LetterTemplate) mail.Message {
	t.Helper()
	i := mail.Invitation{Language: "de", CandidateName: name, AccountName: "Demo GmbH", Link: link, Expires: time.Date(2026, 12, 27, 10, 20, 0, 0, time.UTC), Own: own}
	switch kind {
	case typus.LetterReminder:
		return written(t)(mail.Reminder{Invitation: i, Stop: link + "/erinnerungen"}.Message())
	case typus.LetterReceipt:
		return written(t)(mail.Receipt{Language: "de", CandidateName: name, AccountName: "Demo GmbH", Own: own}.Message())
	}
	return written(t)(i.Message())
}

func TestAnOwnTextFillsEveryPlaceholderInBothParts(t *testing.T) {
	for _, kind := range typus.TemplateKinds() {
		text, faults := own(kind).Check()
		if len(faults) > 0 {
			t.Fatalf("%s: %v", kind, faults)
		}
		m := ownLetter(t, kind, "Anna Beispiel", &text)
		page := visibleText(t, m.HTML)
		want := []string{"Hallo Anna Beispiel,", "zweitens bei Demo GmbH", "Tschüs", "Sie erhalten diese E-Mail"}
		if kind != typus.LetterReceipt {
			want = append(want, "Oder hier: "+link+" (bis 27. Dezember 2026, 10:20 Uhr (UTC))")
			if n := strings.Count(m.HTML, `href="`+link+`"`); n != 3 {
				t.Errorf("%s: %d links, want the button, its address and the one in the text", kind, n)
			}
		}
		if kind == typus.LetterReminder {
			want = append(want, "Keine weiteren Erinnerungen: "+link+"/erinnerungen")
		}
		for _, part := range want {
			if !strings.Contains(m.Text, part) || !strings.Contains(page, part) {
				t.Errorf("%s: %q is not in both parts:\n%s", kind, part, m.Text)
			}
		}
		if m.Subject != "Demo GmbH: Post für Anna Beispiel" {
			t.Errorf("%s: subject %q", kind, m.Subject)
		}
		if strings.ContainsAny(m.Text+page, "{}") {
			t.Errorf("%s: braces are left:\n%s", kind, m.Text)
		}
	}
}

func TestAHostileNameInAnOwnTextStaysText(t *testing.T) {
	for _, kind := range typus.TemplateKinds() {
		for _, evil := range []string{"{link}", "{{.Link}}", "<b>x</b>", "https://evil.example", "- x\n\n{link}", "evil.example/x"} {
			m := ownLetter(t, kind, evil, own(kind))
			for _, tag := range elements(t, m.HTML) {
				if tag.Data == "b" {
					t.Errorf("%s: %q made an element", kind, evil)
				}
			}
			if strings.Contains(m.Text, "evil.example") || strings.Contains(m.HTML, "evil.example") {
				t.Errorf("%s: %q made a link:\n%s", kind, evil, m.Text)
			}
			if evil == "{link}" && kind == typus.LetterReceipt && !strings.Contains(m.Text, "Hallo {link},") {
				t.Errorf("a name that looks like a placeholder was filled:\n%s", m.Text)
			}
		}
	}
}

func TestAGreetingWithoutANameLeavesNoHole(t *testing.T) {
	m := ownLetter(t, typus.LetterInvitation, "https://evil.example", own(typus.LetterInvitation))
	if !strings.Contains(m.Text, "Hallo,\n") {
		t.Errorf("the greeting is:\n%s", m.Text)
	}
}

func TestOurTextsPassAsOwnOnesAndReadTheSame(t *testing.T) {
	for _, kind := range typus.TemplateKinds() {
		for _, language := range []string{"de", "en"} {
			ours, err := mail.OurTemplate(kind, language)
			if err != nil {
				t.Fatal(err)
			}
			checked, faults := ours.Check()
			if len(faults) > 0 {
				t.Errorf("%s.%s: %v", kind, language, faults)
			}
			if checked != ours {
				t.Errorf("%s.%s is changed by the check", kind, language)
			}
		}
		ours, _ := mail.OurTemplate(kind, "de")
		plain, filled := ownLetter(t, kind, "Anna Beispiel", nil), ownLetter(t, kind, "Anna Beispiel", &ours)
		if plain.Text != filled.Text || plain.Subject != filled.Subject || plain.HTML != filled.HTML {
			t.Errorf("%s differs:\n%s\n%s", kind, plain.Text, filled.Text)
		}
	}
	if _, err := mail.OurTemplate("newsletter", "de"); err == nil {
		t.Error("there is a text of a letter that does not exist")
	}
}

func TestAReminderCanBeStoppedWithOneClick(t *testing.T) {
	m := ownLetter(t, typus.LetterReminder, "Anna", nil)
	if m.Stop != link+"/erinnerungen" {
		t.Errorf("stop at %q", m.Stop)
	}
	if n := strings.Count(m.HTML, `href="`+m.Stop+`"`); n != 1 {
		t.Errorf("%d links to stop in the HTML", n)
	}
}

// For whom an account looks for people is said under its own text, too, and nothing that
// looks like a link of anybody's choice.
func TestAnOwnTextIsFollowedByForWhomTheAccountLooks(t *testing.T) {
	for _, kind := range typus.TemplateKinds() {
		i := mail.Invitation{
			Language: "de", CandidateName: "Anna Beispiel", AccountName: "Demo GmbH", Link: link, Own: own(kind),
			Told: typus.NoticeFacts{Client: "https://evil.example Beispiel AG"},
		}
		m := written(t)(i.Message())
		switch kind {
		case typus.LetterReminder:
			m = written(t)(mail.Reminder{Invitation: i}.Message())
		case typus.LetterReceipt:
			m = written(t)(mail.Receipt{Language: "de", AccountName: "Demo GmbH", Own: i.Own, Told: i.Told}.Message())
		}
		const want = "Demo GmbH sucht im Auftrag von Beispiel AG Menschen für Aufgaben im Vertrieb."
		after, small := strings.Index(m.Text, want), strings.Index(m.Text, "Sie erhalten diese E-Mail")
		if after < strings.Index(m.Text, "Tschüs") || after > small || !strings.Contains(visibleText(t, m.HTML), want) {
			t.Errorf("%s:\n%s", kind, m.Text)
		}
	}
	i := mail.Invitation{Language: "en", AccountName: "Demo GmbH", Told: typus.NoticeFacts{ClientKind: typus.OwnWords{DE: strings.Repeat("eine Bank ", 19)}}}
	if m := written(t)(i.Message()); !strings.Contains(m.Text, "on behalf of a company ("+strings.TrimSpace(strings.Repeat("eine Bank ", 19))+")") {
		t.Errorf("a long description:\n%s", m.Text)
	}
}
