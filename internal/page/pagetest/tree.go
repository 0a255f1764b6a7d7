// Package pagetest checks the rules that every page must obey.
package pagetest

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Check parses a page and reports everything that no page of ours may be: in the wrong
// language, without a title or exactly one h1 and one main, with fields that have no
// label, ids given twice, two that ask for the focus, references that lead nowhere,
// headings that skip a level or can break after the E of an e-mail, or styles, scripts
// and addresses that the content security policy refuses.
func Check(t testing.TB, page []byte, lang string) {
	t.Helper()
	for _, fault := range Faults(page, lang) {
		t.Errorf("%s", fault)
	}
	if t.Failed() {
		t.Logf("the page:\n%s", page)
	}
}

// Faults is Check as a list.
func Faults(page []byte, lang string) []string {
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return []string{err.Error()}
	}
	c := &checker{ids: map[string]int{}, labelled: map[string]bool{}}
	c.collect(doc)
	c.walk(doc)
	c.whole(page, lang)
	return c.faults
}

type checker struct {
	faults   []string
	ids      map[string]int
	labelled map[string]bool // ids that a label is for
	refs     []string
	lang     string
	title    string
	mains    int
	headings []int
	focused  int // elements that ask for the focus
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *checker) collect(n *html.Node) {
	if id, ok := Attr(n, "id"); ok {
		c.ids[id]++
	}
	if n.Data == "label" {
		if id, ok := Attr(n, "for"); ok {
			c.labelled[id] = true
		}
	}
	for child := range n.ChildNodes() {
		c.collect(child)
	}
}

func (c *checker) walk(n *html.Node) {
	if n.Type == html.ElementNode {
		c.element(n)
		for _, a := range n.Attr {
			c.attribute(n, a)
		}
		if _, ok := Attr(n, "autofocus"); ok {
			c.focused++
		}
	}
	for child := range n.ChildNodes() {
		c.walk(child)
	}
}

func (c *checker) element(n *html.Node) {
	switch n.Data {
	case "html":
		c.lang, _ = Attr(n, "lang")
	case "title":
		if n.Parent.Data == "head" {
			c.title = Text(n)
		}
	case "main":
		c.mains++
	case "h1", "h2", "h3", "h4", "h5", "h6":
		c.headings = append(c.headings, int(n.Data[1]-'0'))
		c.named(n)
		if brittle.MatchString(Text(n)) {
			c.fault("a %s that can break within a word: %q needs a hyphen that does not (U+2011)", n.Data, Text(n))
		}
	case "style":
		c.fault("a style element, which the policy refuses")
	case "script":
		_, elsewhere := Attr(n, "src")
		if kind, _ := Attr(n, "type"); !elsewhere && kind != "application/json" {
			c.fault("a script in the page, which the policy refuses")
		}
	case "fieldset":
		if first := firstElement(n); first == nil || first.Data != "legend" {
			c.fault("a fieldset whose first element is no legend")
		}
	case "a", "button", "legend", "label", "summary":
		c.named(n)
	case "input", "select", "textarea", "progress":
		c.field(n)
	case "img":
		if _, ok := Attr(n, "alt"); !ok {
			c.fault("an img without alt")
		}
	}
}

// brittle is a word that a narrow screen would break after its first letter.
var brittle = regexp.MustCompile(`(?i)\be-mail`)

func (c *checker) named(n *html.Node) {
	label, _ := Attr(n, "aria-label")
	if Text(n) == "" && label == "" {
		c.fault("an empty %s", n.Data)
	}
}

func (c *checker) field(n *html.Node) {
	if kind, _ := Attr(n, "type"); kind == "hidden" {
		return
	}
	id, _ := Attr(n, "id")
	label, _ := Attr(n, "aria-label")
	if label == "" && !c.labelled[id] && !within(n, "label") {
		c.fault("a field without a label: %s %q", n.Data, id)
	}
}

func (c *checker) attribute(n *html.Node, a html.Attribute) {
	switch {
	case a.Key == "style":
		c.fault("%s has a style attribute, which the policy refuses", n.Data)
	case strings.HasPrefix(a.Key, "on"):
		c.fault("%s has the attribute %s, which the policy refuses", n.Data, a.Key)
	case a.Key == "aria-describedby" || a.Key == "aria-labelledby" || a.Key == "for":
		c.refs = append(c.refs, strings.Fields(a.Val)...)
	case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
		c.refs = append(c.refs, a.Val[1:])
	case a.Key == "href" || a.Key == "src" || a.Key == "action":
		if !strings.HasPrefix(a.Val, "mailto:") && (strings.Contains(a.Val, ":") || strings.HasPrefix(a.Val, "//")) {
			c.fault("%s leads to another origin: %s", n.Data, a.Val)
		}
	}
}

// whole judges what is seen only at the end.
func (c *checker) whole(page []byte, lang string) {
	if c.lang != lang {
		c.fault("the language is %q, not %q", c.lang, lang)
	}
	if c.title == "" {
		c.fault("no title")
	}
	if c.mains != 1 {
		c.fault("%d main elements", c.mains)
	}
	if c.focused > 1 {
		c.fault("%d elements ask for the focus", c.focused)
	}
	for id, times := range c.ids {
		if times > 1 || id == "" {
			c.fault("the id %q is given %d times", id, times)
		}
	}
	for _, ref := range c.refs {
		if c.ids[ref] == 0 {
			c.fault("nothing has the id %q, which is referred to", ref)
		}
	}
	c.outline()
	for _, hole := range []string{"<no value>", "&lt;no value&gt;", "ZgotmplZ", "%!"} {
		if bytes.Contains(page, []byte(hole)) {
			c.fault("a value is missing: %s", hole)
		}
	}
}

func (c *checker) outline() {
	ones, before := 0, 0
	for _, level := range c.headings {
		if level == 1 {
			ones++
		}
		if level > before+1 {
			c.fault("h%d follows h%d", level, before)
		}
		before = level
	}
	if ones != 1 {
		c.fault("%d h1 elements", ones)
	}
}
