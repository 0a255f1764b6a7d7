package browsertest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"
)

// Tree is the page as the browser tells it to a screen reader: a line for each node, with
// its role, its name and whatever of its state is said aloud, set in by two spaces below its
// parent. Running text and what only groups are left out, so that the lines are few and the
// same with each version of Chromium.
func (tab *Tab) Tree() string {
	tab.t.Helper()
	var page accessibility.GetFullAXTreeResult
	tab.do("read the accessibility tree", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		var err error
		page, err = cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		return err
	}))
	t := tree{}
	for _, n := range page.Nodes {
		t[n.NodeID] = n
	}
	var b strings.Builder
	if len(page.Nodes) > 0 {
		t.write(&b, page.Nodes[0], 0)
	}
	return b.String()
}

// tree holds the nodes of a page.
type tree map[accessibility.NodeID]*accessibility.Node

// spoken are the properties of a node that a tree shows.
var spoken = []accessibility.PropertyName{"level", "checked", "required", "invalid", "expanded"}

// unnamed are roles of running text and of what only groups.
var unnamed = []string{
	"", "none", "generic", "paragraph", "StaticText", "InlineTextBox", "LineBreak", "ListMarker", "strong", "emphasis",
	"LabelText", "Legend", "SvgRoot", "listitem", "time",
}

// write writes a node and what is below it; one that is left out makes nobody deeper.
func (t tree) write(b *strings.Builder, n *accessibility.Node, depth int) {
	if role := said(n.Role); !n.Ignored && !slices.Contains(unnamed, role) {
		fmt.Fprintf(b, "%*s%s", 2*depth, "", role)
		if name := said(n.Name); name != "" {
			fmt.Fprintf(b, " %q", name)
		}
		for _, p := range n.Properties {
			if value := said(p.Value); slices.Contains(spoken, p.Name) && value != "false" {
				fmt.Fprintf(b, " %s=%s", p.Name, value)
			}
		}
		b.WriteString("\n")
		depth++
	}
	for _, id := range n.ChildIDs {
		if child := t[id]; child != nil {
			t.write(b, child, depth)
		}
	}
}

// said is a value as text, "" for none.
func said(v *accessibility.Value) string {
	var value any
	if v == nil || json.Unmarshal(v.Value, &value) != nil {
		return ""
	}
	return fmt.Sprint(value)
}
