package mail

import (
	"embed"
	htmltemplate "html/template"
	"strings"
	"text/template"

	"typus"
)

// The text of each letter lies in letters/<kind>.<language>.txt. A file is a line
// "Subject: …" and paragraphs between blank lines; line breaks are kept. A paragraph of
// lines that begin with "- " is a list. "=> label address" is a button, with a hint in
// the next line for those who cannot press it. What follows a line "--" is small print.
// Fields stand in text/template syntax; a line that comes out empty is left out.
//
//go:embed letters
var files embed.FS

// block is one paragraph of a letter. The plain text and the HTML are made from the
// same blocks, so they say the same.
type block struct {
	Kind  string   // "paragraph", "list", "button"
	Small bool     // part of the small print
	Lines []string // of a button: its label and the hint
	URL   string   // of a button
}

// letter is what the two layouts are filled with.
type letter struct {
	Language string
	Subject  string
	Blocks   []block
	links    []string // addresses of ours that may stand inside a line
}

// part is a stretch of a line: text, or an address of ours to be clicked on.
type part struct{ Text, URL string }

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
			parts = append(parts, part{URL: url})
		}
		line = line[at+len(url):]
	}
	return parts
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

// compose fills the text of a kind. The text is cut into blocks before the fields are
// filled in, so that no value can begin a block.
func compose(kind typus.LetterKind, language string, fields any) (letter, error) {
	l := letter{Language: known(language)}
	source, err := files.ReadFile("letters/" + string(kind) + "." + l.Language + ".txt")
	if err != nil {
		return l, typus.Errorf(typus.Internal, "there is no letter %q in %q", kind, l.Language).WithCause(err)
	}
	head, body, _ := strings.Cut(string(source), "\n\n")
	if l.Subject, err = fill(strings.TrimPrefix(head, "Subject: "), fields); err != nil {
		return l, err
	}
	l.Blocks, err = blocks(body, fields)
	return l, err
}

// known falls back to German, the product's first language.
func known(language string) string {
	if language == "en" {
		return language
	}
	return "de"
}

func blocks(body string, fields any) ([]block, error) {
	var out []block
	small := false
	for paragraph := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		if paragraph == "--" {
			small = true
			continue
		}
		b, err := newBlock(paragraph, fields)
		if err != nil {
			return nil, err
		}
		if len(b.Lines) > 0 {
			b.Small = small
			out = append(out, b)
		}
	}
	return out, nil
}

func newBlock(paragraph string, fields any) (block, error) {
	b := block{Kind: "paragraph"}
	mark := ""
	switch {
	case strings.HasPrefix(paragraph, "- "):
		b.Kind, mark = "list", "- "
	case strings.HasPrefix(paragraph, "=> "):
		b.Kind, mark = "button", "=> "
	}
	for line := range strings.SplitSeq(paragraph, "\n") {
		text, err := fill(strings.TrimPrefix(line, mark), fields)
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

func fill(line string, fields any) (string, error) {
	t, err := template.New("").Parse(line)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, fields)
	return strings.TrimSpace(out.String()), err
}

func (l letter) message() (Message, error) {
	var text, html strings.Builder
	t, err := template.ParseFS(files, "letters/layout.txt")
	if err != nil {
		return Message{}, err
	}
	if err := t.Execute(&text, l); err != nil {
		return Message{}, err
	}
	h, err := htmltemplate.ParseFS(files, "letters/layout.html")
	if err != nil {
		return Message{}, err
	}
	if err := h.Execute(&html, l); err != nil {
		return Message{}, err
	}
	return Message{Language: l.Language, Subject: l.Subject, Text: strings.TrimSpace(text.String()) + "\n", HTML: html.String()}, nil
}
