package mail

import (
	"embed"
	"fmt"
	htmltemplate "html/template"
	"strings"
	"sync"
	"text/template"

	"typus"
)

// The text of each letter lies in letters/<kind>.<language>.txt. A file is a line
// "Subject: …" and paragraphs between blank lines; line breaks are kept. A paragraph of
// lines that begin with "- " is a list. "=> label address" is a button, with a hint in
// the next line for those who cannot press it. A paragraph that begins with "+ " is said
// under an account's own text, too. What follows a line "--" is small print.
// Fields stand in text/template syntax; a line that comes out empty is left out.
//
//go:embed letters
var files embed.FS

// textTrial is the text of a Trial.
const textTrial typus.LetterKind = "trial"

// library holds the texts of all letters and the two layouts.
type library struct {
	letters map[string]letterText // by textName
	plain   *template.Template
	html    *htmltemplate.Template
}

// letterText is the text of one kind in one language.
type letterText struct {
	subject *template.Template
	blocks  []textBlock
}

// textBlock is a block whose lines are still to be filled.
type textBlock struct {
	kind  string
	small bool
	said  bool
	lines []*template.Template
}

// texts parses everything, once. NewSMTP asks for it first, so that a text which cannot
// be read shows when a server starts and not when somebody waits for the letter.
var texts = sync.OnceValues(readTexts)

func readTexts() (library, error) {
	all := library{letters: map[string]letterText{}}
	var err error
	if all.plain, err = template.ParseFS(files, "letters/layout.txt"); err != nil {
		return all, err
	}
	if all.html, err = htmltemplate.ParseFS(files, "letters/layout.html"); err != nil {
		return all, err
	}
	for _, kind := range append(typus.LetterKinds(nil), textTrial) {
		for _, language := range []string{"de", "en"} {
			name := textName(kind, language)
			if all.letters[name], err = readText(name); err != nil {
				return all, fmt.Errorf("mail: read the letter %s: %w", name, err)
			}
		}
	}
	return all, nil
}

func textName(kind typus.LetterKind, language string) string { return string(kind) + "." + language }

func readText(name string) (letterText, error) {
	source, err := files.ReadFile("letters/" + name + ".txt")
	if err != nil {
		return letterText{}, err
	}
	head, body, _ := strings.Cut(string(source), "\n\n")
	t := letterText{}
	if t.subject, err = template.New("").Parse(strings.TrimPrefix(head, "Subject: ")); err != nil {
		return t, err
	}
	small := false
	for paragraph := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		if paragraph == "--" {
			small = true
			continue
		}
		b, err := readBlock(paragraph)
		if err != nil {
			return t, err
		}
		b.small = small
		t.blocks = append(t.blocks, b)
	}
	return t, nil
}

func readBlock(paragraph string) (textBlock, error) {
	b := textBlock{kind: "paragraph"}
	mark := ""
	switch {
	case strings.HasPrefix(paragraph, "- "):
		b.kind, mark = "list", "- "
	case strings.HasPrefix(paragraph, "=> "):
		b.kind, mark = "button", "=> "
	case strings.HasPrefix(paragraph, "+ "):
		b.said, mark = true, "+ "
	}
	for line := range strings.SplitSeq(paragraph, "\n") {
		t, err := template.New("").Parse(strings.TrimPrefix(line, mark))
		if err != nil {
			return b, err
		}
		b.lines = append(b.lines, t)
	}
	return b, nil
}
