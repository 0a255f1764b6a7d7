// Package docs explains the API to those who connect to it (developer portal), and the
// dashboard to those who work with it.
package docs

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"typus"
	"typus/internal/page"
	"typus/internal/web"
)

//go:embed text samples templates locales static
var embedded embed.FS

var files = page.Source(embedded, "internal/docs")

// Options are what the pages need. All are required.
type Options struct {
	Site         *page.Site
	BaseURL      string // shown in every address; its scheme says whether cookies are for https only
	HeaderPrefix string // of the names of the webhook headers, such as X-Service
}

// face holds what the handlers share.
type face struct {
	site   *page.Site
	secure bool
	// written makes every page and every sample, once, when the first of them is asked for:
	// few starts of a server are followed by that. An error is a fault in the embedded files.
	written func() (written, error)
}

// written are the pages and samples as they are answered.
type written struct {
	pages   map[string]map[string]page.File // path → language → page
	samples map[string]page.File            // file name → sample
}

// New serves the pages under /docs. An error is a fault in the embedded templates, or, where
// pages are made of files that change, in any of them.
func New(o Options) (http.Handler, error) {
	f, err := newFace(o)
	if err != nil {
		return nil, err
	}
	if page.Live { // whoever writes a page sees at once what is wrong with it
		if _, err := f.written(); err != nil {
			return nil, err
		}
	}
	return f.routes(), nil
}

func newFace(o Options) (*face, error) {
	set, err := o.Site.Set(files)
	if err != nil {
		return nil, err
	}
	return &face{
		site: o.Site, secure: typus.Links{BaseURL: o.BaseURL}.Secure(),
		written: sync.OnceValues(func() (written, error) { return write(set, localise(o)) }),
	}, nil
}

// write makes every page in every language, and every sample.
func write(set *page.Set, local func(string) string) (written, error) {
	samples, err := loadSamples(local)
	if err != nil {
		return written{}, err
	}
	all := written{pages: map[string]map[string]page.File{}, samples: samples.served()}
	for _, lang := range page.Languages() {
		views, err := loadViews(lang, local, samples)
		if err != nil {
			return written{}, err
		}
		for _, v := range views {
			body, err := set.Page(lang, v)
			if err != nil {
				return written{}, err
			}
			if all.pages[v.Path] == nil {
				all.pages[v.Path] = map[string]page.File{}
			}
			all.pages[v.Path][lang] = page.NewFile("text/html; charset=utf-8", "no-cache", body)
		}
	}
	return all, nil
}

// The stand-ins in texts and samples, which are files that work as they are.
const (
	exampleURL    = "https://typus.example.com"
	examplePrefix = "X-Service"
)

// localise puts this server's address and its header names into a text, in each
// of the spellings that programming languages give to a header.
func localise(o Options) func(string) string {
	cgi := func(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }
	return strings.NewReplacer(
		exampleURL, o.BaseURL,
		examplePrefix, o.HeaderPrefix,
		strings.ToLower(examplePrefix), strings.ToLower(o.HeaderPrefix),
		cgi(examplePrefix), cgi(o.HeaderPrefix),
	).Replace
}

func (f *face) fail(w http.ResponseWriter, r *http.Request, err error) {
	f.site.Error(w, r, err, web.Status(err), web.RequestID(r.Context()))
}

// loadText reads and parses the text of a page.
func loadText(lang, name string, local func(string) string, s samples) (text, error) {
	source, err := fs.ReadFile(files, "text/"+lang+"/"+name+".md")
	if err != nil {
		return text{}, fmt.Errorf("docs: %w", err)
	}
	t, err := parse(local(string(source)), s)
	if err != nil {
		return text{}, fmt.Errorf("docs: text/%s/%s.md: %w", lang, name, err)
	}
	return t, nil
}
