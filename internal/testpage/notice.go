package testpage

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"typus"
	"typus/internal/page"
)

// notice is what a candidate must have read before the first question (GDPR
// Art. 13): the page shows it, and the same words are stored as evidence.
//
// It names the account and its contact but never the candidate. The text is stored once
// for all who read it, and stays when one of them is erased.
type notice struct {
	Version  string // the beginning of the text's SHA-256: another text, another version
	Language string
	Heading  string
	Sections []noticeSection
	Text     string
}

type noticeSection struct {
	Heading    string
	Paragraphs []string
}

// noticeParts are the text keys of the sections: a heading and its paragraphs.
func noticeParts(account typus.Account) [][]string {
	questions, until := "notice.contact.person", []string{"notice.until.heading", "notice.until.text"}
	if account.ContactEmail != "" {
		questions = "notice.contact.address"
	}
	if account.KeepFinishedDays > 0 {
		until = []string{"notice.until.heading", "notice.until.days"}
	}
	return [][]string{
		{"notice.who.heading", "notice.who.purpose", "notice.who.basis"},
		{"notice.what.heading", "notice.what.measured", "notice.what.compared"},
		{"notice.data.heading", "notice.data.stored", "notice.data.times"},
		until,
		{"notice.seen.heading", "notice.seen.text"},
		{"notice.free.heading", "notice.free.text"},
		{"notice.rights.heading", "notice.rights.text"},
		{"notice.contact.heading", questions},
	}
}

// notice is the text in a language for the candidates of an account.
func (f *face) notice(lang string, account typus.Account) (notice, error) {
	say := func(key string) (string, error) {
		return f.pages.Text(lang, key, "Account", account.Name, "Contact", account.ContactEmail, "Days", account.KeepFinishedDays)
	}
	n := notice{Language: lang}
	var err error
	if n.Heading, err = say("notice.heading"); err != nil {
		return notice{}, err
	}
	lines := []string{n.Heading}
	for _, keys := range noticeParts(account) {
		var said []string
		for _, key := range keys {
			text, err := say(key)
			if err != nil {
				return notice{}, err
			}
			said = append(said, text)
		}
		n.Sections = append(n.Sections, noticeSection{Heading: said[0], Paragraphs: said[1:]})
		lines = append(lines, said...)
	}
	n.Text = strings.Join(lines, "\n\n")
	sum := sha256.Sum256([]byte(n.Text))
	n.Version = hex.EncodeToString(sum[:8])
	return n, nil
}

// acknowledged finds the notice of a version in any language. For an unknown version it
// returns the zero notice, because nobody can acknowledge a text that is not ours.
func (f *face) acknowledged(version string, account typus.Account) (notice, error) {
	for _, lang := range page.Languages() {
		n, err := f.notice(lang, account)
		if err != nil {
			return notice{}, err
		}
		if n.Version == version {
			return n, nil
		}
	}
	return notice{}, nil
}
