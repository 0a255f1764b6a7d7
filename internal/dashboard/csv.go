package dashboard

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"strings"

	"typus/internal/web"
)

// csvWriter writes a table for a spreadsheet: RFC 4180 with the semicolon that
// German spreadsheets expect and the byte order mark by which they know UTF-8. No
// cell is taken for a formula.
type csvWriter struct{ to *bufio.Writer }

func newCSV(to io.Writer) *csvWriter {
	w := &csvWriter{bufio.NewWriterSize(to, 32<<10)}
	_, _ = w.to.WriteString("\ufeff") // flush returns the first error
	return w
}

// row writes one record.
func (w *csvWriter) row(cells ...string) {
	for i, cell := range cells {
		w.cell(i, harmless(cell))
	}
	w.end()
}

// sound writes one record whose cells are harmless as they are, such as numbers of
// ours: an apostrophe before a minus would make text of a figure.
func (w *csvWriter) sound(cells ...string) {
	for i, cell := range cells {
		w.cell(i, cell)
	}
	w.end()
}

func (w *csvWriter) cell(i int, text string) {
	if i > 0 {
		_ = w.to.WriteByte(';')
	}
	_, _ = w.to.WriteString(quoted(text))
}

func (w *csvWriter) end() { _, _ = w.to.WriteString("\r\n") }

// flush sends what is written, and returns the first error of any write so far.
func (w *csvWriter) flush() error { return w.to.Flush() }

// harmless keeps a spreadsheet from reading a cell as a formula (CWE-1236): what
// begins like one, also behind quotes and spaces and in full width, gets an
// apostrophe in front.
func harmless(cell string) string {
	if strings.HasPrefix(cell, "\t") || strings.HasPrefix(cell, "\r") {
		return "'" + cell
	}
	begins := strings.TrimLeft(cell, "\"'` \t\r\n\u00a0\u3000\ufeff\u200b＂＇“”„‚‘’«»")
	for _, sign := range []string{"=", "+", "-", "@", "＝", "＋", "－", "＠"} {
		if strings.HasPrefix(begins, sign) {
			return "'" + cell
		}
	}
	return cell
}

func quoted(cell string) string {
	if !strings.ContainsAny(cell, "\";\r\n,\t") && strings.TrimSpace(cell) == cell {
		return cell
	}
	return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
}

// attachment announces a file to be kept instead of a page (RFC 6266). name
// holds no quotes.
func attachment(w http.ResponseWriter, contentType, name string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	h.Set("Content-Disposition", `attachment; filename="`+ascii+`"; filename*=UTF-8''`+url.PathEscape(name))
	h.Set("Content-Security-Policy", web.DataPolicy)
}
