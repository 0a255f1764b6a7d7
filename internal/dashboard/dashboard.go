// Package dashboard is the face (web front end) in which a customer sees and changes
// what is theirs.
package dashboard

import (
	"embed"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/instrument"
	"typus/internal/mail"
	"typus/internal/page"
	"typus/internal/sandbox"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/web"
	"typus/internal/webhook"
)

//go:embed templates locales static
var embedded embed.FS

var files = page.Source(embedded, "internal/dashboard")

// Options are what the pages need. All but Rehearser, Clock and Log are required.
type Options struct {
	Store          *store.Store
	Steps          *assess.Steps
	Access         *access.Steps
	Accounts       *accounts.Steps
	Sandbox        *sandbox.Steps
	Box            *seal.Box
	Instrument     *instrument.Instrument
	Site           *page.Site
	BaseURL        string         // origin of every link; its scheme says whether cookies are for https only
	Guard          *webhook.Guard // what it allows is told to those who make webhooks
	HeaderPrefix   string         // of the names of the webhook headers, such as X-Service
	Mail           bool           // a mail server is configured
	Rehearser      Rehearser      // sends a letter while somebody waits; nil: there is no mail server
	SignUp         bool           // anybody may make an account
	StarterCredits int64          // of an account that is made here
	Clock          typus.Clock    // nil: the machine's
	Log            *slog.Logger   // nil: slog.Default
}

// face holds what the handlers share.
type face struct {
	Options
	clerk     *clerk.Clerk
	pages     *page.Set
	table     *web.Routes
	links     typus.Links
	heads     *mail.Letterheads
	testWait  time.Duration // 0: testPatience
	clockWait time.Duration // 0: clockPatience
	founded   atomic.Bool   // an account has been seen
}

// New makes everything a customer sees: the pages before the login, and those
// under /dashboard. An error is a fault in the embedded files.
func New(o Options) (http.Handler, error) {
	pages, err := o.Site.Set(files)
	if err != nil {
		return nil, err
	}
	return newFace(o, pages).handler(), nil
}

func newFace(o Options, pages *page.Set) *face {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	f := &face{Options: o, clerk: clerk.New(o.Store, o.Clock), pages: pages, links: typus.Links{BaseURL: o.BaseURL}, heads: mail.NewLetterheads(o.Store, o.Log)}
	f.table = f.newTable()
	return f
}

// now is the time in UTC to the millisecond, which is how it is stored.
func (f *face) now() time.Time { return f.Clock.Now() }

func (f *face) handler() http.Handler { return web.Private(f.BaseURL, f.fail, f.atTheServer(f.table)) }

// newTable makes the method table of the column.
func (f *face) newTable() *web.Routes {
	var routes []web.Route
	for _, r := range f.routes() {
		routes = append(routes, web.Route{Method: r.method, Pattern: r.pattern, Handle: f.admit(r)})
		if r.inWorlds() {
			routes = append(routes, f.worldly(r))
		}
	}
	return web.NewRoutes(f.fail, routes...)
}

// fail answers errors that no page of the dashboard has answered. If nothing is at an
// address, a logged-in user is told so in their language, with a way back.
func (f *face) fail(w http.ResponseWriter, r *http.Request, err error) {
	if typus.Is(err, typus.NotFound) && ownPath(r.URL.EscapedPath()) != "" {
		if who, fault := f.visitor(r); fault == nil && who.known() && f.missing(&visit{w, r, who}) == nil {
			return
		}
	}
	f.Site.Error(w, r, err, web.Status(err), web.RequestID(r.Context()))
}
