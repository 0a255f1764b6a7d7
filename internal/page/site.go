// Package page renders what people see in a browser from HTML templates, in one look
// (design system) and two languages (i18n).
package page

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed templates locales static
var embedded embed.FS

var files = Source(embedded, "internal/page")

// Site is what all pages share: the layout, the components, the static files and
// the error page. Once its sets are made it is read-only and safe for concurrent use.
type Site struct {
	static *static
	errors *Set
}

// New prepares the shared parts. An error is a fault in the embedded files.
func New() (*Site, error) {
	assets, err := loadStatic(files)
	if err != nil {
		return nil, err
	}
	s := &Site{static: assets}
	s.errors, err = s.Set(nil)
	return s, err
}

// Set prepares the pages of a face. Its files are templates/*.html, one page
// each with the blocks "title" and "content"; templates/parts/*.html, shared by
// them; locales/<language>.json; and static/*, style sheets, scripts and pictures
// of its own, which its pages name by {{static "…"}}. The ES modules in a directory
// static/x, with main.js among them, are one script, {{static "x.js"}}. A nil face
// has the shared pages only.
func (s *Site) Set(face fs.FS) (*Set, error) {
	sources := []fs.FS{files}
	if face != nil {
		if err := s.static.addFace(face); err != nil {
			return nil, err
		}
		sources = append(sources, face)
	}
	return newSet(s.static, sources)
}

// Static serves the static files, each under a name that holds the hash of its
// content, and /favicon.ico.
func (s *Site) Static() http.Handler { return s.static }
