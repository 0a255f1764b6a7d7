package roster

import (
	"iter"
	"strings"
)

// Record is a line of the file, or several where a cell holds line breaks.
type Record struct {
	Line  int // where it begins, the first line is 1
	Cells []string
	Open  bool // a quotation mark has no counterpart

	blank int // lines without any text right before it
}

// empty reports whether no cell has a text.
func (r Record) empty() bool {
	for _, c := range r.Cells {
		if strings.TrimSpace(c) != "" {
			return false
		}
	}
	return true
}

// records cuts a text into its records after RFC 4180, and goes on where a file
// keeps to it loosely: whatever line a mistake is in, the next line is read again
// as a line. A lone carriage return ends a line too. The work grows with the text
// and not faster, whatever is in it. The text begins in the given line of the file.
func records(text string, delimiter byte, line int) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		s := splitter{text: text, delimiter: delimiter, line: line}
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
