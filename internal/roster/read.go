// Package roster reads lists of people as spreadsheets write them (CSV), and writes
// tables that spreadsheets read (export).
package roster

import (
	"bytes"
	"strings"
)

// The bounds of a list (our choice).
const (
	MaxBytes   = 5 << 20 // bytes of a file
	MaxPeople  = 10_000
	maxColumns = 200
	// maxAbove records of a file may be titles above its headings.
	maxAbove = 30
)

// How says how a file is to be read. What is zero is guessed.
type How struct {
	Encoding  Encoding
	Delimiter byte // stands between the cells
	Heading   int  // the line whose cells are the headings, the first is 1; NoHeading for none
}

// NoHeading is How.Heading of a file whose first record is a person already.
const NoHeading = -1

// Why is a reason for what was guessed.
type Why string

// Why something was guessed.
const (
	Chosen Why = "chosen" // it was not: somebody said so

	// Of an encoding.
	ByMark      Why = "mark"      // the file begins with a byte order mark
	ByZeros     Why = "zeros"     // every other byte is zero
	ByASCII     Why = "ascii"     // there are only characters that are the same in all
	ByValid     Why = "valid"     // the bytes make sense in UTF-8
	ByMost      Why = "most"      // nearly all bytes make sense in UTF-8
	ByLetters   Why = "letters"   // this way the letters make words, such as Example
	ByFalseMark Why = "falseMark" // the same, against a mark of UTF-8

	// Of a delimiter.
	BySeparator Why = "separator" // a line "sep=;" names it
	ByHeadings  Why = "headings"  // it brings out headings that we know
	ByAddresses Why = "addresses" // it lets addresses stand alone
	ByAlike     Why = "alike"     // it cuts the lines alike
	ByNothing   Why = "nothing"   // none cuts anything

	// Of the line with the headings; ByHeadings as well.
	ByPeople Why = "people" // the line above the first address
	ByFirst  Why = "first"  // there is no address, and so it is the first
	ByPerson Why = "person" // there is none: the first line is a person
)

// Guessed says why a file was read as it was.
type Guessed struct {
	Encoding, Delimiter, Heading Why
	Example                      string // a word with the letters that tell the encodings apart
}

// Table is a list of people as it was read: which columns mean what is still open.
type Table struct {
	Records []Record // at least one, without blank lines, with what stands above the headings
	Blank   int      // lines without any text below the headings
	How     How      // nothing in it is zero
	Why     Guessed
	Ours    bool // Typus wrote the file

	first int // the record behind the headings
}

// Fault is what is wrong with a file as a whole, "" for nothing.
type Fault string

// Why a file is no list.
const (
	TooLarge       Fault = "size"    // more than MaxBytes
	Excel          Fault = "excel"   // a workbook, not the text that a spreadsheet exports
	Binary         Fault = "binary"  // holds what no text does
	Empty          Fault = "empty"   // no cell has a text
	TooManyColumns Fault = "columns" // in its headings, or its first line, more than 200
	TooManyPeople  Fault = "rows"    // more than MaxPeople
)

// Read reads a file as somebody says, and finds out what is not said. Whatever the file
// holds, the work grows with its size and not faster.
func Read(body []byte, how How) (Table, Fault) {
	switch {
	case len(body) > MaxBytes:
		return Table{}, TooLarge
	case bytes.HasPrefix(body, []byte("PK\x03\x04")), bytes.HasPrefix(body, []byte("\xd0\xcf\x11\xe0")):
		return Table{}, Excel
	}
	t := Table{How: how, Why: Guessed{Chosen, Chosen, Chosen, ""}}
	text, ok := t.decode(body)
	if !ok {
		return Table{}, Binary
	}
	t.split(text)
	if len(t.Records) == 0 {
		return Table{}, Empty
	}
	t.findHeading()
	switch {
	case len(t.Records[0].Cells) > maxColumns, len(t.Records[max(t.first-1, 0)].Cells) > maxColumns:
		return Table{}, TooManyColumns
	case len(t.people()) > MaxPeople:
		return Table{}, TooManyPeople
	}
	return t, ""
}

// split cuts a text into the records of the table. It stops once there are more than a
// list may have.
func (t *Table) split(text string) {
	text, line, named := separator(text)
	switch {
	case t.How.Delimiter != 0:
	case named != 0:
		t.How.Delimiter, t.Why.Delimiter = named, BySeparator
	default:
		t.How.Delimiter, t.Why.Delimiter = delimiterOf(text)
	}
	blank := 0
	for rec := range records(text, t.How.Delimiter, line) {
		if rec.empty() {
			blank++
			continue
		}
		rec.blank, blank = blank, 0
		t.Records = append(t.Records, rec)
		if len(t.Records) > MaxPeople+maxAbove+1 {
			break
		}
	}
	t.Blank = blank
}

// people are the records below the headings.
func (t Table) people() []Record { return t.Records[t.first:] }

// headings are the cells that name the columns, nil where there are none.
func (t Table) headings() []string {
	if t.How.Heading == NoHeading {
		return nil
	}
	return t.Records[t.first-1].Cells
}

// Width is how many columns the table has.
func (t Table) Width() int {
	width := len(t.headings())
	for _, rec := range t.people()[:min(len(t.people()), sampled)] {
		width = max(width, len(rec.Cells))
	}
	return min(width, maxColumns)
}

// Heading names a column, the first is 0: by its heading, or without one by its first
// text.
func (t Table) Heading(column int) string {
	if head := t.headings(); column < len(head) && strings.TrimSpace(head[column]) != "" {
		return Short(head[column])
	}
	for _, cell := range t.column(column) {
		return Short(cell)
	}
	return ""
}

// sampled records are looked at to find out what a column holds.
const sampled = 200

// column are the texts of a column in the first records.
func (t Table) column(at int) []string {
	var list []string
	for _, rec := range t.people()[:min(len(t.people()), sampled)] {
		if at < len(rec.Cells) && strings.TrimSpace(rec.Cells[at]) != "" {
			list = append(list, strings.TrimSpace(rec.Cells[at]))
		}
	}
	return list
}
