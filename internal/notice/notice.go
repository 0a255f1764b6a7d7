// Package notice writes what a candidate must have read before the test (privacy notice).
//
// It is the information of Article 13 of the General Data Protection Regulation (GDPR).
package notice

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"typus"
)

//go:embed texts
var files embed.FS

// texts are texts/<language>.json, by language and key.
var texts = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, lang := range []string{"de", "en"} {
		text, err := files.ReadFile("texts/" + lang + ".json")
		if err != nil {
			panic(err) // embedded
		}
		said := map[string]string{}
		if err := json.Unmarshal(text, &said); err != nil {
			panic(err) // the tests read it too: no build with this fault is released
		}
		all[lang] = said
	}
	return all
})

// Notice is the text in one language. It names the account and what the account has
// told, but never the candidate.
type Notice struct {
	Language string
	Version  string // the SHA-256 of Stored: another text, another version
	Stored   string // the text as it is kept for evidence; Read reads it
	Content
}

// Content is what the notice says.
type Content struct {
	Heading  string    `json:"heading"`
	Sections []Section `json:"sections"`
}

// Section is a heading and what stands below it.
type Section struct {
	Heading    string      `json:"heading"`
	Paragraphs []Paragraph `json:"paragraphs"`
}

// Paragraph is pieces of text, one after the other.
type Paragraph []Piece

// Piece is text in one language.
type Piece struct {
	Text string `json:"text"`
	Lang string `json:"lang,omitempty"` // "" for the language of the notice
}

// For writes the notice of an account in a language ("de" or "en"; German for any other).
// The same account with the same settings always gets the same text.
func For(language string, account typus.Account) Notice {
	if _, speaks := texts()[language]; !speaks {
		language = "de"
	}
	w := writer{language: language, account: account, facts: account.Notice}
	c := Content{Heading: w.text("heading"), Sections: w.sections()}
	stored, err := json.Marshal(c, jsontext.AllowInvalidUTF8(true)) // an operator's command line can write any bytes into a name
	if err != nil {
		panic(err) // strings in lists
	}
	sum := sha256.Sum256(stored)
	return Notice{Language: language, Version: hex.EncodeToString(sum[:]), Stored: string(stored), Content: c}
}

// ForWhom says to a reader of a language for whom an account looks for people; nil for
// itself.
func ForWhom(language string, account typus.Account) Paragraph {
	if _, speaks := texts()[language]; !speaks {
		language = "de"
	}
	w := writer{language: language, account: account, facts: account.Notice}
	switch {
	case w.facts.Client != "":
		return w.say("whom.client")
	case w.facts.ClientKind.Any():
		return w.say("whom.kind")
	}
	return nil
}

// Read is the content of a notice as it was stored. Texts of early versions, which were
// stored as plain paragraphs, become one section without a heading.
func Read(stored string) Content {
	var c Content
	if err := json.Unmarshal([]byte(stored), &c); err == nil {
		return c
	}
	var s Section
	for paragraph := range strings.SplitSeq(stored, "\n\n") {
		s.Paragraphs = append(s.Paragraphs, Paragraph{{Text: paragraph}})
	}
	return Content{Sections: []Section{s}}
}

// Plain is the text without its structure: headings and paragraphs between blank lines.
func (c Content) Plain() string {
	lines := []string{c.Heading}
	for _, s := range c.Sections {
		lines = append(lines, s.Heading)
		for _, p := range s.Paragraphs {
			lines = append(lines, p.Plain())
		}
	}
	return strings.Join(lines, "\n\n")
}

// Plain is the text of the paragraph.
func (p Paragraph) Plain() string {
	var b strings.Builder
	for _, piece := range p {
		b.WriteString(piece.Text)
	}
	return b.String()
}
