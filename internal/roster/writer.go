package roster

import (
	"bufio"
	"io"
	"strings"
)

// Writer writes a table for a spreadsheet: RFC 4180 with what spreadsheets of a language
// expect between cells and the byte order mark by which they know UTF-8. No cell is taken
// for a formula. Errors are kept until Flush.
type Writer struct {
	to        *bufio.Writer
	delimiter byte
}

// NewWriter begins a table for readers of a language: with a semicolon where numbers have
// a decimal comma ("de"), and a comma elsewhere.
func NewWriter(to io.Writer, lang string) *Writer {
	w := &Writer{bufio.NewWriterSize(to, 32<<10), ','}
	if lang == "de" {
		w.delimiter = ';'
	}
	_, _ = w.to.WriteString("\ufeff")
	return w
}

// Flush hands on what is written; it returns the first error of any write so far.
func (w *Writer) Flush() error { return w.to.Flush() }

// Row writes one record.
func (w *Writer) Row(cells ...string) {
	for i, cell := range cells {
		w.cell(i, Harmless(cell))
	}
	w.end()
}

// RowAsIs writes one record whose cells are harmless as they are, such as numbers of
// ours: an apostrophe before a minus would make text of a figure.
func (w *Writer) RowAsIs(cells ...string) {
	for i, cell := range cells {
		w.cell(i, cell)
	}
	w.end()
}

func (w *Writer) cell(i int, text string) {
	if i > 0 {
		_ = w.to.WriteByte(w.delimiter)
	}
	_, _ = w.to.WriteString(quoted(text))
}

func (w *Writer) end() { _, _ = w.to.WriteString("\r\n") }

func quoted(cell string) string {
	if !strings.ContainsAny(cell, "\";\r\n,\t") && strings.TrimSpace(cell) == cell {
		return cell
	}
	return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
}
