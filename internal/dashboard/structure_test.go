package dashboard

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"typus/internal/page"
	"typus/internal/page/pagetest"
)

// eachDocument gives every page in every form and in both languages to a check.
func eachDocument(t *testing.T, check func(t *testing.T, doc *html.Node)) {
	t.Helper()
	f := newTestFace(t)
	for _, lang := range page.Languages() {
		for name, v := range everyPage(f, lang, plain) {
			t.Run(lang+"/"+name, func(t *testing.T) {
				w := httptest.NewRecorder()
				if err := f.pages.Render(w, 200, lang, v); err != nil {
					t.Fatal(err)
				}
				doc, err := html.Parse(bytes.NewReader(w.Body.Bytes()))
				if err != nil {
					t.Fatal(err)
				}
				check(t, doc)
			})
		}
	}
}

func attr(n *html.Node, key string) string {
	value, _ := pagetest.Attr(n, key)
	return value
}

// A part that can be scrolled is a stop of the tab key, and says what it is.
func TestWhatIsAStopOfTheTabKeyHasAName(t *testing.T) {
	eachDocument(t, func(t *testing.T, doc *html.Node) {
		for n := range doc.Descendants() {
			if n.Type == html.ElementNode && attr(n, "tabindex") == "0" && (attr(n, "role") == "" || attr(n, "aria-label")+attr(n, "aria-labelledby") == "") {
				t.Errorf("<%s> %.40q has no role or no name", n.Data, pagetest.Text(n))
			}
		}
	})
}

// Who speaks to a computer says what they see: the initials, before the words that
// tell what they are.
func TestTheMenuIsCalledWhatItShows(t *testing.T) {
	eachDocument(t, func(t *testing.T, doc *html.Node) {
		for _, n := range pagetest.All(doc, "summary") {
			if attr(n, "class") != "avatar" {
				continue
			}
			for d := range n.Descendants() {
				if attr(d, "aria-hidden") != "" {
					t.Errorf("%q is seen but not in the name", pagetest.Text(d))
				}
			}
			if !strings.Contains(pagetest.Text(n), " ") {
				t.Errorf("the menu is called %q", pagetest.Text(n))
			}
		}
	})
}

// The navigation marks a link as this page only where the link leads to it.
func TestTheNavigationKnowsAPageFromOneBelowIt(t *testing.T) {
	eachDocument(t, func(t *testing.T, doc *html.Node) {
		marked, below := "", false
		for _, n := range pagetest.All(doc, "nav") {
			switch attr(n, "class") {
			case "crumbs":
				below = true
			case "desk-nav":
				for _, a := range pagetest.All(n, "a") {
					if now := attr(a, "aria-current"); now != "" {
						marked = now // the last is the narrowest
					}
				}
			}
		}
		if below && marked == "page" {
			t.Error("a page below another is marked as that one")
		}
	})
}
