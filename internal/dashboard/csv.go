package dashboard

import (
	"bufio"
	"net/http"
	"net/url"
	"strings"
	"time"

	"typus"
	"typus/internal/web"
)

// csvWriter writes a table for a spreadsheet: RFC 4180 with the semicolon that
// German spreadsheets expect and the byte order mark by which they know UTF-8. No
// cell is taken for a formula.
type csvWriter struct {
	to      *bufio.Writer
	control *http.ResponseController
}

// exportWithin is how long one batch of a file may take to be sent; the file as a
// whole may take longer than any other answer.
const exportWithin = time.Minute

func newCSV(w http.ResponseWriter) *csvWriter {
	out := &csvWriter{bufio.NewWriterSize(w, 32<<10), http.NewResponseController(w)}
	out.wait()
	_, _ = out.to.WriteString("\ufeff") // send returns the first error
	return out
}

// wait gives the reader the time of another batch.
func (w *csvWriter) wait() {
	_ = w.control.SetWriteDeadline(time.Now().Add(exportWithin)) // a server without deadlines needs none
}

// send sends the batch that is written. Unavailable, at the first error of any
// write so far: the reader has gone, the connection is cut, and nobody is left to be told.
func (w *csvWriter) send() error {
	w.wait()
	if err := w.to.Flush(); err != nil {
		return typus.Errorf(typus.Unavailable, "the reader has gone").WithCause(err)
	}
	return nil
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
