// Package roster reads lists of people as spreadsheets write them (CSV), and writes
// tables that spreadsheets read.
package roster

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// The bounds of a list (our choice).
const (
	MaxBytes   = 5 << 20 // bytes of a file
	MaxPeople  = 10_000
	maxColumns = 200
)

// Table is a list of people as it was read: which columns mean what is still open.
type Table struct {
	Records []Record // at least one, without blank lines
	Blank   int      // lines without any text
}

// Record is a line of the file, or several where a cell holds line breaks.
type Record struct {
	Line  int // where it begins, the first line is 1
	Cells []string
	Open  bool // a quotation mark has no counterpart
}

// Fault is what is wrong with a file as a whole, "" for nothing.
type Fault string

// Why a file is no list.
const (
	TooLarge       Fault = "size"    // more than MaxBytes
	Excel          Fault = "excel"   // a workbook, not the text that a spreadsheet exports
	Binary         Fault = "binary"  // holds what no text does
	Empty          Fault = "empty"   // no cell has a text
	TooManyColumns Fault = "columns" // in its first line, more than 200
	TooManyPeople  Fault = "rows"    // more than MaxPeople
)

// Read finds out how a file is encoded and what stands between its cells. Whatever
// the file holds, the work grows with its size and not faster.
func Read(body []byte) (Table, Fault) {
	switch {
	case len(body) > MaxBytes:
		return Table{}, TooLarge
	case bytes.HasPrefix(body, []byte("PK\x03\x04")), bytes.HasPrefix(body, []byte("\xd0\xcf\x11\xe0")):
		return Table{}, Excel
	}
	text, ok := decodeTable(body)
	if !ok {
		return Table{}, Binary
	}
	text, delimiter := delimiterOf(text)
	var t Table
	for rec := range records(text, delimiter) {
		if rec.blank() {
			t.Blank++
			continue
		}
		t.Records = append(t.Records, rec)
		if len(t.Records) > MaxPeople+1 {
			break
		}
	}
	switch {
	case len(t.Records) == 0:
		return Table{}, Empty
	case len(t.Records[0].Cells) > maxColumns:
		return Table{}, TooManyColumns
	case len(t.Records) > MaxPeople+1:
		return Table{}, TooManyPeople
	}
	return t, ""
}

func (r Record) blank() bool {
	for _, c := range r.Cells {
		if strings.TrimSpace(c) != "" {
			return false
		}
	}
	return true
}

// decodeTable returns the file as text. A byte order mark decides; without one it is
// UTF-16 if every other byte tends to be zero, UTF-8 if it can be, and else what
// Excel writes in western Europe. False: it holds what no text does.
func decodeTable(body []byte) (string, bool) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return textOnly(body[3:])
	case bytes.HasPrefix(body, []byte("\xff\xfe")), utf16Zeros(body, 1):
		return wide(body, unicode.LittleEndian)
	case bytes.HasPrefix(body, []byte("\xfe\xff")), utf16Zeros(body, 0):
		return wide(body, unicode.BigEndian)
	case utf8.Valid(body):
		return textOnly(body)
	}
	western, err := charmap.Windows1252.NewDecoder().Bytes(body)
	if err != nil {
		return "", false
	}
	return textOnly(western)
}

// textOnly refuses a text with NUL, which only something other than text has.
func textOnly(body []byte) (string, bool) {
	return strings.ToValidUTF8(string(body), string(utf8.RuneError)), bytes.IndexByte(body, 0) < 0
}

func wide(body []byte, order unicode.Endianness) (string, bool) {
	text, err := unicode.UTF16(order, unicode.UseBOM).NewDecoder().Bytes(body)
	if err != nil {
		return "", false
	}
	return textOnly(text)
}

// utf16Zeros reports whether the bytes at even (0) or odd (1) places are mostly
// zero and the others are not: letters of our languages in UTF-16.
func utf16Zeros(body []byte, at int) bool {
	head := body[:min(len(body), 4096)]
	zeros := [2]int{}
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	return len(head) >= 4 && zeros[at] > len(head)/4 && zeros[1-at] == 0
}

// delimiterOf finds what stands between the cells and returns the text without
// the line "sep=;" that some programs begin with.
func delimiterOf(text string) (string, byte) {
	if first, rest, _ := strings.Cut(text, "\n"); len(first) <= 7 && strings.HasPrefix(strings.ToLower(first), "sep=") && len(strings.TrimSpace(first)) >= 5 {
		return "\n" + rest, first[4] // the empty line keeps the count of lines right
	}
	head := text[:min(len(text), 64<<10)]
	if end := strings.LastIndexAny(head, "\r\n"); end > 0 && len(head) < len(text) {
		head = head[:end]
	}
	best, bestScore := byte(';'), 0
	for _, delimiter := range []byte{';', ',', '\t'} {
		if score := fits(head, delimiter); score > bestScore {
			best, bestScore = delimiter, score
		}
	}
	return text, best
}

// fits says how well a delimiter explains the beginning of a file: by the
// headings it brings out that we know, then by how many lines it cuts alike.
func fits(head string, delimiter byte) int {
	score, columns, n := 0, 0, -1
	for rec := range records(head, delimiter) {
		n++
		switch {
		case n == 0:
			columns = len(rec.Cells)
			for _, c := range rec.Cells {
				if meaning(c) != "" {
					score += 1000
				}
			}
		case columns > 1 && len(rec.Cells) == columns:
			score++
		}
		if n == 100 {
			break
		}
	}
	if columns < 2 {
		return 0
	}
	return score + 1
}

// records cuts a text into its records after RFC 4180, and goes on where a file
// keeps to it loosely: whatever line a mistake is in, the next line is read again
// as a line. A lone carriage return ends a line too. The work grows with the text
// and not faster, whatever is in it.
func records(text string, delimiter byte) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		s := splitter{text: text, delimiter: delimiter, line: 1}
		for s.at < len(s.text) && yield(s.record()) {
		}
	}
}

type splitter struct {
	text      string
	delimiter byte
	at        int
	line      int
	oneLine   bool // a quotation mark was left open to the end: from then on none reaches beyond its line
	vain      int  // bytes looked through for counterparts that were not there
}

// maxVain bounds the bytes looked through in vain, as a multiple of the text. A
// file with a mistake in each line needs about two; what needs more is made to
// keep us busy, and its quotation marks mean nothing from there on.
const maxVain = 8

func (s *splitter) record() Record {
	rec := Record{Line: s.line}
	for {
		cell, closed := s.cell()
		rec.Open = rec.Open || !closed
		// Of too many cells one with text is kept as proof that there was one.
		switch {
		case len(rec.Cells) <= maxColumns:
			rec.Cells = append(rec.Cells, cell)
		case strings.TrimSpace(cell) != "":
			rec.Cells[maxColumns] = cell
		}
		if s.at < len(s.text) && s.text[s.at] == s.delimiter {
			s.at++
			continue
		}
		s.newline()
		return rec
	}
}

// newline passes over the end of a line.
func (s *splitter) newline() {
	if s.at >= len(s.text) {
		return
	}
	if strings.HasPrefix(s.text[s.at:], "\r\n") {
		s.at++
	}
	s.at++
	s.line++
}

// cell reads up to a delimiter or the end of a line; false when it begins with
// a quotation mark that has no counterpart.
func (s *splitter) cell() (string, bool) {
	closed := true
	if s.at < len(s.text) && s.text[s.at] == '"' {
		cell, end, ok := s.quoted()
		if ok {
			s.line += lines(s.text[s.at:end])
			s.at = end
			return cell, true
		}
		closed = false
	}
	end := s.at
	for end < len(s.text) && !s.ends(end) {
		end++
	}
	cell := s.text[s.at:end]
	s.at = end
	return cell, closed
}

// ends reports whether a cell ends at a place.
func (s *splitter) ends(at int) bool {
	return at >= len(s.text) || s.text[at] == s.delimiter || s.text[at] == '\n' || s.text[at] == '\r'
}

// quoted reads the cell between quotation marks that begins here and returns
// where the next one begins. A single mark inside, which should have been doubled,
// is kept; one that can only be the beginning of another cell is not ours.
func (s *splitter) quoted() (string, int, bool) {
	if s.vain > maxVain*len(s.text) {
		return "", 0, false
	}
	var cell strings.Builder
	for at := s.at + 1; at < len(s.text); at++ {
		c := s.text[at]
		switch {
		case c == '"' && strings.HasPrefix(s.text[at+1:], `"`):
			cell.WriteByte('"')
			at++
		case c == '"' && s.ends(at+1):
			return cell.String(), at + 1, true
		case c == '"' && at > s.at+1 && s.ends(at-1),
			s.oneLine && (c == '\n' || c == '\r'):
			s.vain += at - s.at
			return "", 0, false
		default:
			cell.WriteByte(c)
		}
	}
	s.oneLine = true
	s.vain += len(s.text) - s.at
	return "", 0, false
}

// lines counts the ends of lines.
func lines(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}
