package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// browser does what a browser without scripts does for the person at it: it
// opens pages, fills in their forms and follows where they lead.
type browser struct {
	client *http.Client
	at     *url.URL
	status int
	root   *html.Node
	forms  int // how many were sent
}

// newBrowser makes a browser for pages of this machine.
func newBrowser() (*browser, error) {
	jar, err := cookiejar.New(nil)
	return &browser{client: &http.Client{Jar: jar, Timeout: 30 * time.Second}}, err
}

func (b *browser) open(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	return b.do(req)
}

// submit sends the form whose action ends in suffix. What the page has filled in
// already is sent along; filled adds what the person enters. A box that must be
// ticked is ticked.
func (b *browser) submit(ctx context.Context, suffix string, filled url.Values) error {
	form := find(b.root, func(n *html.Node) bool {
		return n.Data == "form" && strings.HasSuffix(attribute(n, "action"), suffix)
	})
	if form == nil {
		return fmt.Errorf("the page %s has no form for %q", b.at.Path, suffix)
	}
	values := url.Values{}
	each(form, func(n *html.Node) {
		if n.Data != "input" {
			return
		}
		switch attribute(n, "type") {
		case "hidden", "checkbox":
			values.Set(attribute(n, "name"), attribute(n, "value"))
		}
	})
	for name, value := range filled {
		values[name] = value
	}
	target, err := b.at.Parse(attribute(form, "action"))
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(values.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	b.forms++
	return b.do(req)
}

func (b *browser) do(req *http.Request) error {
	resp, err := b.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b.at, b.status = resp.Request.URL, resp.StatusCode
	if b.root, err = html.Parse(io.LimitReader(resp.Body, 1<<20)); err != nil {
		return err
	}
	if resp.StatusCode >= 400 {
		return fmt.Errorf("%s %s answered %s: %s", req.Method, b.at.Path, resp.Status, b.heading())
	}
	return nil
}

// heading is the text of the page's h1.
func (b *browser) heading() string {
	h1 := find(b.root, func(n *html.Node) bool { return n.Data == "h1" })
	if h1 == nil {
		return ""
	}
	var text strings.Builder
	each(h1, func(n *html.Node) {
		if n.Type == html.TextNode {
			text.WriteString(n.Data)
		}
	})
	return strings.Join(strings.Fields(text.String()), " ")
}

func each(n *html.Node, visit func(*html.Node)) {
	for d := range n.Descendants() {
		visit(d)
	}
}

func find(n *html.Node, match func(*html.Node) bool) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && match(d) {
			return d
		}
	}
	return nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
