package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"typus"
	"typus/internal/roster"
	"typus/internal/web"
)

// csvFile is a table that is sent as a file, batch by batch.
type csvFile struct {
	*roster.Writer
	control *http.ResponseController
}

// exportWithin is how long one batch of a file may take to be sent; the file as a
// whole may take longer than any other answer.
const exportWithin = time.Minute

// newCSV announces a file of this name and begins it, for readers of a language.
func newCSV(w http.ResponseWriter, name, lang string) *csvFile {
	attachment(w, "text/csv; charset=utf-8", name)
	file := &csvFile{roster.NewWriter(w, lang), http.NewResponseController(w)}
	file.wait()
	return file
}

// wait gives the reader the time of another batch.
func (c *csvFile) wait() {
	_ = c.control.SetWriteDeadline(time.Now().Add(exportWithin)) // a server without deadlines needs none
}

// send sends the batch that was written. It returns Unavailable if any write so far has
// failed: the reader has gone, so the connection is cut, and nobody needs an answer.
func (c *csvFile) send() error {
	c.wait()
	if err := c.Flush(); err != nil {
		return typus.Errorf(typus.Unavailable, "the reader has gone").WithCause(err)
	}
	return nil
}

// inTable is a moment as every spreadsheet reads it, in UTC, which the heading of its column
// has to say (inUTC); "" for none.
func inTable(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.DateTime)
}

// inTable is a stored moment in a table of the account's.
func (v *visit) inTable(at time.Time) string { return inTable(v.Account.WorldTime(at)) }

// inUTC is the heading of a column of moments.
func (f *face) inUTC(v *visit, heading string) string {
	return f.say(v, "candidates.file.utc", "Heading", heading)
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
