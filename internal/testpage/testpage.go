// Package testpage is the face (web front end) that leads one candidate through the
// test and to their result, and whoever has a public link to a test.
package testpage

import (
	"embed"
	"net/http"

	"typus"
	"typus/internal/assess"
	"typus/internal/logo"
	"typus/internal/page"
	"typus/internal/web"
)

//go:embed templates locales static worker
var embedded embed.FS

var files = page.Source(embedded, "internal/testpage")

// Options are what the pages need. All but Mail and Clock are required.
type Options struct {
	Steps   *assess.Steps
	Site    *page.Site
	Mail    bool        // letters go out: else nobody can be sent a code
	BaseURL string      // origin of every link; its scheme says whether cookies are for https only
	Clock   typus.Clock // nil: the machine's
}

// face holds what the handlers share.
type face struct {
	steps *assess.Steps
	site  *page.Site
	pages *page.Set
	links typus.Links
	mail  bool
	clock typus.Clock
	logos logo.Drawer // on grounds of their own
}

// New makes the pages under /t/ and /p/. An error is a fault in the embedded files.
func New(o Options) (http.Handler, error) {
	pages, err := o.Site.Set(files)
	if err != nil {
		return nil, err
	}
	return newFace(o, pages).handler(), nil
}

func newFace(o Options, pages *page.Set) *face {
	return &face{steps: o.Steps, site: o.Site, pages: pages, links: typus.Links{BaseURL: o.BaseURL}, mail: o.Mail, clock: o.Clock}
}

// mails reports whether letters of an account can be read by whoever they are to: those of a
// test world are kept, and need no mail server.
func (f *face) mails(a typus.Account) bool { return f.mail || a.IsWorld() }

func (f *face) handler() http.Handler { return web.Private(f.links.BaseURL, f.fail, f.routes()) }

func (f *face) fail(w http.ResponseWriter, r *http.Request, err error) {
	f.site.Error(w, r, err, web.Status(err), web.RequestID(r.Context()))
}
