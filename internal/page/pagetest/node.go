package pagetest

import (
	"strings"

	"golang.org/x/net/html"
)

// Attr returns an attribute of an element.
func Attr(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// Text is the text of an element as it is read: white space collapsed.
func Text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// All returns the elements of a name below n, in document order.
func All(n *html.Node, name string) []*html.Node {
	var found []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name {
			found = append(found, d)
		}
	}
	return found
}

func within(n *html.Node, name string) bool {
	for a := range n.Ancestors() {
		if a.Data == name {
			return true
		}
	}
	return false
}

func firstElement(n *html.Node) *html.Node {
	for child := range n.ChildNodes() {
		if child.Type == html.ElementNode {
			return child
		}
	}
	return nil
}
