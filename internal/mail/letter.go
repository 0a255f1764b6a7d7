package mail

import (
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"typus"
)

// block is one paragraph of a letter. The plain text and the HTML are made from the
// same blocks, so they say the same.
type block struct {
	Kind  string   // "paragraph", "list", "button"
	Small bool     // part of the small print
	Said  bool     // said under an account's own text, too
	Lines []string // of a button: its label and the hint
	URL   string   // of a button
}

// letter is what the two layouts are filled with.
type letter struct {
	Language string
	From     string // who writes
	Look     Look
	Palette  palette
	Subject  string
	Blocks   []block
	links    []string // addresses of ours that may stand inside a line
}

// part is a stretch of a line: text, or an address of ours to be clicked on, in a colour.
type part struct{ Text, URL, Colour string }

// Parts cuts a line at the addresses of ours in it.
func (l letter) Parts(line string) []part {
	var parts []part
	for line != "" {
		at, url := len(line), ""
		for _, link := range l.links {
			i := strings.Index(line, link)
			// Of two addresses that begin alike, the longer one is meant.
			if link != "" && i >= 0 && (i < at || i == at && len(link) > len(url)) {
				at, url = i, link
			}
		}
		if at > 0 {
			parts = append(parts, part{Text: line[:at]})
		}
		if url != "" {
			parts = append(parts, part{URL: url, Colour: l.Palette.Light.Link})
		}
		line = line[at+len(url):]
	}
	return parts
}

// maxPreview is how many characters of a letter the lists of mail programs show at most.
const maxPreview = 140

// Preview is what a mail program shows in its list beside the subject, "" for nothing: what
// follows the greeting. Without it that would be the subject again.
func (l letter) Preview() string {
	said := ""
	for n, b := range l.Blocks {
		if b.Kind == "paragraph" && !b.Small {
			said = strings.Join(b.Lines, " ")
			if n > 0 {
				break
			}
		}
	}
	if parts := l.Parts(said); len(parts) > 0 {
		said = strings.TrimSpace(parts[0].Text) // nobody can follow a link there
	}
	first, size := utf8.DecodeRuneInString(said)
	if size == 0 {
		return ""
	}
	return cut(string(unicode.ToUpper(first))+said[size:], maxPreview)
}

// render writes the text of a kind in a language with the given fields. links are those
// of the fields' addresses that may stand inside a line.
func render(kind typus.LetterKind, language string, fields any, links ...string) (Message, error) {
	l, err := compose(kind, language, fields)
	if err != nil {
		return Message{}, err
	}
	l.links = links
	return l.message()
}

// compose fills the text of a kind. The text was cut into blocks before the fields are
// filled in, so that no value can begin a block.
func compose(kind typus.LetterKind, language string, fields any) (letter, error) {
	l := letter{Language: known(language), From: product}
	if w, theirs := fields.(wearer); theirs {
		l.Look, l.From = w.wears()
	}
	all, err := texts()
	if err != nil {
		return l, err
	}
	t, there := all.letters[textName(kind, l.Language)]
	if !there {
		return l, typus.Errorf(typus.Internal, "there is no letter %q in %q", kind, l.Language)
	}
	if l.Subject, err = fill(t.subject, fields); err != nil {
		return l, err
	}
	for _, paragraph := range t.blocks {
		b, err := paragraph.fill(fields)
		if err != nil {
			return l, err
		}
		if len(b.Lines) > 0 {
			l.Blocks = append(l.Blocks, b)
		}
	}
	return l, nil
}

// known falls back to German, the product's first language.
func known(language string) string {
	if language == "en" {
		return language
	}
	return "de"
}

func (t textBlock) fill(fields any) (block, error) {
	b := block{Kind: t.kind, Small: t.small, Said: t.said}
	for _, line := range t.lines {
		text, err := fill(line, fields)
		if err != nil {
			return block{}, err
		}
		switch {
		case text == "":
		case b.Kind == "list":
			// A field may fill a whole list; no name holds a line break.
			b.Lines = append(b.Lines, strings.Split(text, "\n")...)
		default:
			b.Lines = append(b.Lines, text)
		}
	}
	if b.Kind == "button" {
		at := strings.LastIndexByte(b.Lines[0], ' ')
		b.Lines[0], b.URL = b.Lines[0][:at], b.Lines[0][at+1:]
	}
	return b, nil
}

func fill(line *template.Template, fields any) (string, error) {
	var out strings.Builder
	err := line.Execute(&out, fields)
	return strings.TrimSpace(out.String()), err
}

func (l letter) message() (Message, error) {
	all, err := texts()
	if err != nil {
		return Message{}, err
	}
	l.Palette = l.Look.palette()
	var text, html strings.Builder
	if err := all.plain.Execute(&text, l); err != nil {
		return Message{}, err
	}
	if err := all.html.Execute(&html, l); err != nil {
		return Message{}, err
	}
	return Message{Language: l.Language, Subject: l.Subject, Text: strings.TrimSpace(text.String()) + "\n", HTML: html.String(), Look: l.Look}, nil
}
