package typus

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// LetterTemplate is an account's own text of a letter to its candidates. It
// stands in place of ours; the small print under it stays ours.
type LetterTemplate struct {
	AccountID int64
	Kind      LetterKind // one of TemplateKinds
	Language  string     // "de" or "en"
	Subject   string
	Body      string // paragraphs between blank lines; lines beginning with "- " are a list, {link} alone is a button
	ChangedBy string
	ChangedAt time.Time
}

// The placeholders of a letter's text.
const (
	PlaceholderName    = "{name}"    // of the candidate
	PlaceholderAccount = "{account}" // the account's name
	PlaceholderLink    = "{link}"    // to the test
	PlaceholderExpires = "{expires}" // the end of the invitation
)

// The limits of an own text, in characters.
const (
	MaxTemplateSubject = 150
	MaxTemplateBody    = 5000
)

// The codes of faults that only a template has.
const (
	CodeUnknownPlaceholder = "unknown_placeholder"
	CodeMissingLink        = "missing_link"
	CodeUnknownKind        = "unknown_kind"
)

// TemplateKinds are the letters that an account may write itself. What a candidate has asked
// for, and what they have a right to, is said in our words.
func TemplateKinds() []LetterKind {
	return []LetterKind{LetterInvitation, LetterReminder, LetterReceipt}
}

// Placeholders are those that a letter of this kind can fill; after the test
// there is no link any more.
func (k LetterKind) Placeholders() []string {
	if k == LetterReceipt {
		return []string{PlaceholderName, PlaceholderAccount}
	}
	return []string{PlaceholderName, PlaceholderAccount, PlaceholderLink, PlaceholderExpires}
}

var placeholder = regexp.MustCompile(`\{[^{}\n]*\}`)

// StrayPlaceholder is the first thing in braces that a letter of this kind
// cannot fill, "" when there is none.
func (k LetterKind) StrayPlaceholder(text string) string {
	for _, found := range placeholder.FindAllString(text, -1) {
		if !slices.Contains(k.Placeholders(), found) {
			return found
		}
	}
	return ""
}

// Check returns the text as it will be stored (trimmed, lines ending in "\n")
// and every fault, "subject" before "body".
func (t LetterTemplate) Check() (LetterTemplate, []Field) {
	t.Subject = strings.TrimSpace(t.Subject)
	t.Body = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(t.Body))
	var faults []Field
	add := func(name, code, msg string) { faults = append(faults, Field{Name: name, Code: code, Msg: msg}) }
	if !slices.Contains(TemplateKinds(), t.Kind) {
		add("kind", CodeUnknownKind, "must be one of the letters that can be changed")
	}
	if code, msg := t.fault(t.Subject, MaxTemplateSubject); code != "" {
		add("subject", code, msg)
	} else if strings.Contains(t.Subject, PlaceholderLink) {
		add("subject", CodeUnknownPlaceholder, "may not hold {link}: mail programs show subjects to others")
	}
	if code, msg := t.fault(strings.ReplaceAll(t.Body, "\n", " "), MaxTemplateBody); code != "" {
		add("body", code, msg)
	} else if slices.Contains(t.Kind.Placeholders(), PlaceholderLink) && !strings.Contains(t.Body, PlaceholderLink) {
		add("body", CodeMissingLink, "must hold {link}, or nobody can begin the test")
	}
	return t, faults
}

func (t LetterTemplate) fault(text string, most int) (string, string) {
	if strings.TrimSpace(text) == "" {
		return CodeRequired, "is required"
	}
	if utf8.RuneCountInString(text) > most {
		return CodeTooLong, "is too long"
	}
	if _, bad := UnsafeRune(text); bad {
		return CodeInvalid, "holds invisible characters such as control characters, byte order marks or direction overrides"
	}
	if stray := t.Kind.StrayPlaceholder(text); stray != "" {
		return CodeUnknownPlaceholder, "holds " + stray + "; allowed are " + strings.Join(t.Kind.Placeholders(), ", ")
	}
	return "", ""
}
