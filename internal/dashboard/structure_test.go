package dashboard

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"typus"
	"typus/internal/page"
	"typus/internal/page/pagetest"
)

// documents are every page in every form, by language and name. To make them takes seconds,
// and tens of them with the race detector, so that all tests share them.
var documents = sync.OnceValues(func() (map[string][]byte, error) {
	f, made := testFace(), map[string][]byte{}
	for _, lang := range page.Languages() {
		for name, v := range everyPage(f, lang, plain) {
			w := httptest.NewRecorder()
			if err := f.pages.Render(w, 200, lang, v); err != nil {
				return nil, fmt.Errorf("%s/%s: %w", lang, name, err)
			}
			made[lang+"/"+name] = w.Body.Bytes()
		}
	}
	return made, nil
})

// eachDocument gives every page in every form and in both languages to a check.
func eachDocument(t *testing.T, check func(t *testing.T, doc *html.Node)) {
	t.Helper()
	made, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range made {
		t.Run(name, func(t *testing.T) {
			doc, err := html.Parse(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			check(t, doc)
		})
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

// accessibleName is what a control is called: its label where it has one, its text
// otherwise.
func accessibleName(n *html.Node) string {
	if name := attr(n, "aria-label"); name != "" {
		return name
	}
	return pagetest.Text(n)
}

// effect is what pressing a button does: where its form goes, and with what.
func effect(n *html.Node) string {
	said := attr(n, "formaction") + " " + attr(n, "formmethod") + " " + attr(n, "name") + "=" + attr(n, "value") + " " + attr(n, "data-copy")
	for a := range n.Ancestors() {
		if a.Data != "form" {
			continue
		}
		if attr(n, "formaction") == "" {
			said += attr(a, "action")
		}
		for _, hidden := range pagetest.All(a, "input") {
			if attr(hidden, "type") == "hidden" && attr(hidden, "name") != "seite" {
				said += " " + attr(hidden, "name") + "=" + attr(hidden, "value")
			}
		}
	}
	return said
}

// Who hears a list of buttons, or says the name of one, has nothing but its name
// to tell it from the others.
func TestNoTwoButtonsOfAPageHaveOneNameAndTwoEffects(t *testing.T) {
	eachDocument(t, func(t *testing.T, doc *html.Node) {
		effects := map[string]string{}
		for _, n := range pagetest.All(doc, "button") {
			name, does := accessibleName(n), effect(n)
			if before, there := effects[name]; there && before != does {
				t.Errorf("%q does %q, and %q", name, before, does)
			}
			effects[name] = does
		}
	})
}

// The same holds for links within a table, which differ by their row.
func TestNoTwoLinksOfATableHaveOneNameAndTwoTargets(t *testing.T) {
	eachDocument(t, func(t *testing.T, doc *html.Node) {
		for _, table := range pagetest.All(doc, "table") {
			targets := map[string]string{}
			for _, n := range pagetest.All(table, "a") {
				name, href := accessibleName(n), attr(n, "href")
				if strings.HasPrefix(href, "/dashboard/kandidat/") {
					continue // two people may have one name
				}
				if before, there := targets[name]; there && before != href {
					t.Errorf("%q leads to %s, and to %s", name, before, href)
				}
				targets[name] = href
			}
		}
	})
}

// Headings make the outline by which a page is read: none hangs below one that it
// does not belong to, since none is left out between them.
func TestWhatFoldsOutIsAHeadingOfThePage(t *testing.T) {
	eachDocument(t, func(t *testing.T, doc *html.Node) {
		for _, n := range pagetest.All(doc, "summary") {
			if len(pagetest.All(n.Parent, "h3")) > 0 && len(pagetest.All(n, "h2")) == 0 {
				t.Errorf("the headings below %q belong, by their level, to what stands before it", pagetest.Text(n))
			}
		}
	})
}

// A text in another language than the page's is read with the sounds of its own.
func TestATextOfAnotherLanguageSaysSo(t *testing.T) {
	f := newTestFace(t)
	row := f.letterRow(speaking("de"), typus.Letter{State: typus.LetterFailed, LastError: "the mail server refused the recipient: 550 5.1.1 no such mailbox"})
	if !strings.HasPrefix(row.Reason, "Der Mailserver") || row.Said != "550 5.1.1 no such mailbox" {
		t.Errorf("our words are %q, those of the mail server %q", row.Reason, row.Said)
	}
	form := f.accountForm(speaking("de"))
	if form.WelcomeDE.Lang != "de" || form.WelcomeEN.Lang != "en" {
		t.Error("the texts of the first page do not name their languages")
	}
	eachDocument(t, func(t *testing.T, doc *html.Node) {
		for _, name := range []string{"subject", "body", "welcome_de", "welcome_en"} {
			for n := range doc.Descendants() {
				if attr(n, "id") == name && n.Data != "label" && attr(n, "lang") == "" {
					t.Errorf("the field %s names no language", name)
				}
			}
		}
	})
}

// A table of the list says by which column it is sorted.
func TestTheListSaysItsOrder(t *testing.T) {
	eachDocument(t, func(t *testing.T, doc *html.Node) {
		for _, table := range pagetest.All(doc, "table") {
			if !strings.Contains(attr(table, "class"), " candidates") {
				continue
			}
			sorted := 0
			for _, th := range pagetest.All(table, "th") {
				if attr(th, "aria-sort") != "" {
					sorted++
				}
			}
			if sorted != 1 {
				t.Errorf("%d columns are said to be sorted by", sorted)
			}
		}
	})
}

// A table says what it holds, and each of its rows whose it is.
func TestEveryTableHasACaptionAndNamesItsRows(t *testing.T) {
	eachDocument(t, func(t *testing.T, doc *html.Node) {
		for _, table := range pagetest.All(doc, "table") {
			if len(pagetest.All(table, "caption")) != 1 {
				t.Errorf("a table has no caption: %.60q", pagetest.Text(table))
			}
			body := pagetest.All(table, "tbody")[0]
			if !strings.Contains(attr(table, "class"), "table-cards") && len(pagetest.All(body, "th")) == 0 {
				continue // the rows of somebody's file, of which nothing is known yet
			}
			for _, row := range pagetest.All(body, "tr") {
				if heads := pagetest.All(row, "th"); len(heads) != 1 || attr(heads[0], "scope") != "row" {
					t.Errorf("a row has no name: %.60q", pagetest.Text(row))
				}
			}
		}
	})
}

// Whoever reads decides when a page goes on (WCAG 2.2.1), and where it opens
// another window.
func TestNoPageReloadsItselfOrOpensAWindowUnsaid(t *testing.T) {
	eachDocument(t, func(t *testing.T, doc *html.Node) {
		for _, n := range pagetest.All(doc, "meta") {
			if attr(n, "http-equiv") == "refresh" {
				t.Error("the page loads itself again")
			}
		}
		for n := range doc.Descendants() {
			if name := accessibleName(n); attr(n, "target")+attr(n, "formtarget") == "_blank" && !strings.HasSuffix(name, "(neues Fenster)") && !strings.HasSuffix(name, "(new window)") {
				t.Errorf("%q opens a window without a word", name)
			}
		}
	})
}
