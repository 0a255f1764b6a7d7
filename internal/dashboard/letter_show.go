package dashboard

import (
	"regexp"
	"strconv"

	"typus/internal/mail"
)

// letterPolicy is the content security policy of a letter that is shown as a page of
// its own. The letter keeps its inline styles, which mail programs need. It runs no
// script, loads nothing, its logo being within it, and has no access to our pages.
const letterPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// showLetter answers with the HTML of a letter to nobody as a page of its own. What leads
// to the test in it looks as in the letter and leads nowhere, because there is no test
// behind link.
func (f *face) showLetter(v *visit, m mail.Message, link string) error {
	m, err := f.heads.Put(v.Context(), m)
	if err != nil {
		return err
	}
	html, err := m.Page()
	if err != nil {
		return err
	}
	html = regexp.MustCompile(` href="`+regexp.QuoteMeta(link)+`[^"]*"`).ReplaceAllString(html, "")
	v.w.Header().Set("Content-Language", m.Language)
	return showHTML(v, html)
}

// showHTML answers with the HTML of a letter as a page of its own.
func showHTML(v *visit, html string) error {
	h := v.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", letterPolicy)
	h.Set("Content-Length", strconv.Itoa(len(html)))
	_, _ = v.w.Write([]byte(html)) // a reader who has gone is no fault
	return nil
}
