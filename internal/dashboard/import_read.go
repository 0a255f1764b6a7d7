package dashboard

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"typus/internal/assess"
)

const (
	maxImport  = 5 << 20 // bytes of a file
	maxColumns = 200
)

// table is a file of people as it was read: which columns mean what is still open.
type table struct {
	records []record // without blank lines
	blank   int
}

// record is a line of the file, or several where a cell holds line breaks.
type record struct {
	line  int // where it begins, the first line is 1
	cells []string
	open  bool // a quotation mark has no counterpart
}

// readTable finds out how a file is encoded and what stands between its cells.
// The second result is the text key of what is wrong with the file as a whole, ""
// for nothing.
func readTable(body []byte) (table, string) {
	switch {
	case len(body) > maxImport:
		return table{}, "import.fault.size"
	case bytes.HasPrefix(body, []byte("PK\x03\x04")), bytes.HasPrefix(body, []byte("\xd0\xcf\x11\xe0")):
		return table{}, "import.fault.excel"
	}
	text, ok := decodeTable(body)
	if !ok {
		return table{}, "import.fault.binary"
	}
	text, delimiter := delimiterOf(text)
	var t table
	for rec := range records(text, delimiter) {
		if rec.blank() {
			t.blank++
			continue
		}
		t.records = append(t.records, rec)
		if len(t.records) > assess.MaxImportRows+1 {
			break
		}
	}
	switch {
	case len(t.records) == 0:
		return table{}, "import.fault.empty"
	case len(t.records[0].cells) > maxColumns:
		return table{}, "import.fault.columns"
	case len(t.records) > assess.MaxImportRows+1:
		return table{}, "import.fault.rows"
	}
	return t, ""
}

func (r record) blank() bool {
	for _, c := range r.cells {
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
			columns = len(rec.cells)
			for _, c := range rec.cells {
				if meaning(c) != "" {
					score += 1000
				}
			}
		case columns > 1 && len(rec.cells) == columns:
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
func records(text string, delimiter byte) iter.Seq[record] {
	return func(yield func(record) bool) {
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

func (s *splitter) record() record {
	rec := record{line: s.line}
	for {
		cell, closed := s.cell()
		rec.open = rec.open || !closed
		// Of too many cells one with text is kept as proof that there was one.
		switch {
		case len(rec.cells) <= maxColumns:
			rec.cells = append(rec.cells, cell)
		case strings.TrimSpace(cell) != "":
			rec.cells[maxColumns] = cell
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
