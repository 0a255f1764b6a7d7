package docs

import (
	"slices"

	"typus/internal/page"
)

// view is a page of the documentation.
type view struct {
	page.Frame
	Path  string
	Text  text
	Pages []entry // all of them, in reading order
	Next  *entry  // nil on the last
}

// entry is a page as others point to it.
type entry struct {
	Path  string
	Title string
	Lead  []span
	Here  bool // it is the page itself
}

// Template names the page.
func (v view) Template() string {
	if v.Path == "/docs/explorer" {
		return "explorer"
	}
	return "page"
}

// order is the pages as one reads them. Their paths are part of links in the
// API's errors and in the User-Agent of webhooks, and stay.
func order() []string {
	return []string{"index", "start", "api", "errors", "webhooks", "testbetrieb", "integrationen", "dashboard", "test", "betriebsrat", "betrieb", "kunden", "auftragsverarbeitung", "explorer"}
}

func pathOf(name string) string {
	if name == "index" {
		return "/docs"
	}
	return "/docs/" + name
}

// loadViews are the pages of a language.
func loadViews(lang string, local func(string) string, s samples) ([]view, error) {
	var views []view
	var entries []entry
	for _, name := range order() {
		t, err := loadText(lang, name, local, s)
		if err != nil {
			return nil, err
		}
		views = append(views, view{Path: pathOf(name), Text: t})
		entries = append(entries, entry{Path: pathOf(name), Title: t.Title, Lead: t.Lead})
	}
	for i := range views {
		views[i].connect(entries, i)
	}
	return views, nil
}

// connect tells a page of the others.
func (v *view) connect(all []entry, here int) {
	v.Pages = slices.Clone(all)
	v.Pages[here].Here = true
	if here+1 < len(all) {
		v.Next = &all[here+1]
	}
	for _, s := range v.Text.Sections {
		for i := range s.Blocks {
			if s.Blocks[i].Kind == "pages" {
				s.Blocks[i].Pages = all[1:]
			}
		}
	}
}
