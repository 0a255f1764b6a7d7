package typus_test

import (
	"slices"
	"strings"
	"testing"

	"typus"
)

func TestATemplateNamesEveryFault(t *testing.T) {
	fine := typus.LetterTemplate{Kind: typus.LetterInvitation, Subject: "Einladung", Body: "Hallo {name}: {link}"}
	for name, c := range map[string]struct {
		change func(*typus.LetterTemplate)
		want   []string
	}{
		"fine":                     {func(*typus.LetterTemplate) {}, nil},
		"every placeholder":        {func(l *typus.LetterTemplate) { l.Body = "{name} {account} {link} {expires}" }, nil},
		"a lone brace":             {func(l *typus.LetterTemplate) { l.Body += " { }{ :-}" }, []string{"body unknown_placeholder"}},
		"braces that never close":  {func(l *typus.LetterTemplate) { l.Body += " {" }, nil},
		"another case":             {func(l *typus.LetterTemplate) { l.Body += " {Name}" }, []string{"body unknown_placeholder"}},
		"unknown in the subject":   {func(l *typus.LetterTemplate) { l.Subject = "{firma}" }, []string{"subject unknown_placeholder"}},
		"a link in the subject":    {func(l *typus.LetterTemplate) { l.Subject = "{link}" }, []string{"subject unknown_placeholder"}},
		"no link":                  {func(l *typus.LetterTemplate) { l.Body = "Hallo" }, []string{"body missing_link"}},
		"no link in a reminder":    {func(l *typus.LetterTemplate) { l.Kind, l.Body = typus.LetterReminder, "Hallo" }, []string{"body missing_link"}},
		"a receipt needs none":     {func(l *typus.LetterTemplate) { l.Kind, l.Body = typus.LetterReceipt, "Danke, {name}" }, nil},
		"a receipt has none":       {func(l *typus.LetterTemplate) { l.Kind = typus.LetterReceipt }, []string{"body unknown_placeholder"}},
		"nothing":                  {func(l *typus.LetterTemplate) { l.Subject, l.Body = " ", "\n" }, []string{"subject required", "body required"}},
		"two lines in the subject": {func(l *typus.LetterTemplate) { l.Subject = "a\r\nBcc: b@example.com" }, []string{"subject invalid"}},
		"an override":              {func(l *typus.LetterTemplate) { l.Body += "\u202e" }, []string{"body invalid"}},
		"too long": {func(l *typus.LetterTemplate) {
			l.Subject, l.Body = strings.Repeat("ä", typus.MaxTemplateSubject+1), strings.Repeat("ä", typus.MaxTemplateBody)+"{link}"
		}, []string{"subject too_long", "body too_long"}},
		"not a letter to change": {func(l *typus.LetterTemplate) { l.Kind = typus.LetterCompleted }, []string{"kind unknown_kind"}},
	} {
		l := fine
		c.change(&l)
		var got []string
		_, faults := l.Check()
		for _, f := range faults {
			got = append(got, f.Name+" "+f.Code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestATemplateIsStoredTrimmedWithPlainLineEnds(t *testing.T) {
	l := typus.LetterTemplate{Kind: typus.LetterInvitation, Subject: " Einladung ", Body: "Hallo\r\n\r\n{link}\r\n"}
	if got, faults := l.Check(); got.Subject != "Einladung" || got.Body != "Hallo\n\n{link}" || faults != nil {
		t.Errorf("%q, %q, %v", got.Subject, got.Body, faults)
	}
}

func TestAStrayPlaceholderIsNamed(t *testing.T) {
	if got := typus.LetterInvitation.StrayPlaceholder("{name} {Datum} {link}"); got != "{Datum}" {
		t.Errorf("named %q", got)
	}
}
