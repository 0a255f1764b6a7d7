package docs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// text is a parsed page: a title, a lead, and sections.
//
// Its source is a strict part of Markdown, each paragraph and each item on a line
// of its own, with directives for what is not written by hand. What does not fit
// is an error and never guessed at:
//
//	# Title                       first; the paragraph after it is the lead
//	## Heading {#id}              begins a section
//	### Heading {#id}
//	- item                        or 1. step
//	| cell | cell |               a table; its second line is |---|---|
//	> note
//	```language                   code up to the next ```
//	@samples verify               the files samples/verify.*
//	@retries head | head | head   the waits between the attempts of a webhook
//	@pages                        the other pages
//
// Within a line: `code`, **strong**, [words](address).
type text struct {
	Title    string
	Lead     []span
	Intro    []block // before the first section
	Sections []section
}

type section struct {
	ID      string
	Heading []span
	Blocks  []block
}

// block is one piece of a page. Its kind names the part of the template that
// shows it and the fields that are filled.
type block struct {
	Kind    string // heading, paragraph, note, list, steps, table, code, samples, pages
	ID      string // heading
	Spans   []span // heading, paragraph, note
	Items   [][]span
	First   int // the number of the first step
	Head    [][]span
	Rows    [][][]span
	Samples []sample // code, samples
	Pages   []entry
}

// longRow is how many letters a row has that is hard to read side by side on a phone.
const longRow = 40

// Wide reports whether a table is too wide for a phone, where the cells of a row then stand
// below each other, with the heads of the columns in them if there are more than two.
func (b block) Wide() bool {
	return len(b.Head) > 3 || slices.ContainsFunc(b.Rows, func(row [][]span) bool {
		letters := 0
		for _, cell := range row {
			for _, s := range cell {
				letters += utf8.RuneCountInString(s.Text)
			}
		}
		return letters > longRow
	})
}

// parser reads a source line by line.
type parser struct {
	lines   []string
	samples samples
	text    text
}

func parse(source string, s samples) (text, error) {
	all := strings.Split(source, "\n")
	p := &parser{lines: all, samples: s}
	for len(p.lines) > 0 {
		n := len(all) - len(p.lines) + 1
		if err := p.next(); err != nil {
			return text{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if p.text.Title == "" || p.text.Lead == nil {
		return text{}, errors.New("a page begins with a title and a lead")
	}
	return p.text, nil
}

// next takes the block that begins at the first line.
func (p *parser) next() error {
	line := p.lines[0]
	mark, rest, _ := strings.Cut(line, " ")
	switch {
	case mark == "|":
		return p.table()
	case mark == "-":
		return p.add(block{Kind: "list", Items: p.items("- ")})
	case stepForm.MatchString(line):
		return p.steps()
	case strings.HasPrefix(mark, "```"):
		return p.code(strings.TrimPrefix(line, "```"))
	}
	p.lines = p.lines[1:]
	switch {
	case line == "":
		return nil
	case mark == "":
		return fmt.Errorf("the line is indented, which nothing is: %s", line)
	case mark == "#":
		p.text.Title = rest
		return nil
	case mark == "##" || mark == "###":
		return p.heading(mark, rest)
	case mark == ">":
		return p.add(block{Kind: "note", Spans: inline(rest)})
	case strings.HasPrefix(mark, "@"):
		return p.directive(mark, rest)
	case p.text.Lead == nil:
		p.text.Lead = inline(line)
		return nil
	}
	return p.add(block{Kind: "paragraph", Spans: inline(line)})
}

func (p *parser) add(b block) error {
	into := &p.text.Intro
	if n := len(p.text.Sections); n > 0 {
		into = &p.text.Sections[n-1].Blocks
	}
	*into = append(*into, b)
	return nil
}

var (
	headingForm = regexp.MustCompile(`^(.+) \{#([a-z][a-z0-9_-]*)\}$`)
	stepForm    = regexp.MustCompile(`^([0-9]+)\. `)
)

func (p *parser) heading(mark, rest string) error {
	m := headingForm.FindStringSubmatch(rest)
	if m == nil {
		return fmt.Errorf("a heading needs an id at its end, such as {#status}: %s", rest)
	}
	if mark == "###" {
		return p.add(block{Kind: "heading", ID: m[2], Spans: inline(m[1])})
	}
	p.text.Sections = append(p.text.Sections, section{ID: m[2], Heading: inline(m[1])})
	return nil
}

// items takes the lines that begin with a mark.
func (p *parser) items(mark string) [][]span {
	var items [][]span
	for len(p.lines) > 0 && strings.HasPrefix(p.lines[0], mark) {
		items = append(items, inline(strings.TrimPrefix(p.lines[0], mark)))
		p.lines = p.lines[1:]
	}
	return items
}

func (p *parser) steps() error {
	first, err := strconv.Atoi(stepForm.FindStringSubmatch(p.lines[0])[1])
	if err != nil {
		return err
	}
	b := block{Kind: "steps", First: first}
	for next := first; ; next++ {
		item := p.items(strconv.Itoa(next) + ". ")
		if len(item) == 0 {
			return p.add(b)
		}
		b.Items = append(b.Items, item...)
	}
}

// table takes the lines that begin with a bar; the second is the rule.
func (p *parser) table() error {
	var rows [][][]span
	for ; len(p.lines) > 0 && strings.HasPrefix(p.lines[0], "|"); p.lines = p.lines[1:] {
		rows = append(rows, cells(strings.TrimSuffix(strings.TrimPrefix(p.lines[0], "|"), "|")))
	}
	for _, row := range rows {
		if len(row) != len(rows[0]) {
			return fmt.Errorf("the rows of the table have %d and %d cells", len(rows[0]), len(row))
		}
	}
	if len(rows) < 3 {
		return errors.New("a table has a head, a rule and a row")
	}
	return p.add(block{Kind: "table", Head: rows[0], Rows: rows[2:]})
}

func cells(row string) [][]span {
	var list [][]span
	for cell := range strings.SplitSeq(row, "|") {
		list = append(list, inline(strings.TrimSpace(cell)))
	}
	return list
}

// code takes the lines up to the closing fence.
func (p *parser) code(language string) error {
	if _, known := languages()[language]; !known {
		return fmt.Errorf("code of the kind %q is not known", language)
	}
	for i, line := range p.lines[1:] {
		if line == "```" {
			s := newSample("", language, strings.Join(p.lines[1:1+i], "\n"))
			p.lines = p.lines[i+2:]
			return p.add(block{Kind: "code", Samples: []sample{s}})
		}
	}
	return errors.New("the code has no end")
}
