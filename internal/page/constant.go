package page

import (
	"html/template"
	"text/template/parse"
)

// sayConstants puts the texts that a page says with {{t "key"}} alone into the page itself:
// it is parsed for one language, so that they are the same each time it is shown, and half
// of what a page calls. They are escaped as text of HTML, which is also right in a quoted
// attribute; no template says a text anywhere else.
func sayConstants(page *template.Template, say func(key string) (string, error)) error {
	for _, part := range page.Templates() {
		if part.Tree == nil {
			continue
		}
		if err := sayIn(part.Tree.Root, say); err != nil {
			return err
		}
	}
	return nil
}

func sayIn(list *parse.ListNode, say func(key string) (string, error)) error {
	if list == nil {
		return nil
	}
	for i, node := range list.Nodes {
		var branch *parse.BranchNode
		switch n := node.(type) {
		case *parse.ActionNode:
			key, found := constantKey(n.Pipe)
			if !found {
				continue
			}
			text, err := say(key)
			if err != nil {
				return err
			}
			list.Nodes[i] = &parse.TextNode{NodeType: parse.NodeText, Pos: n.Pos, Text: []byte(template.HTMLEscapeString(text))}
			continue
		case *parse.IfNode:
			branch = &n.BranchNode
		case *parse.WithNode:
			branch = &n.BranchNode
		case *parse.RangeNode:
			branch = &n.BranchNode
		default:
			continue
		}
		for _, inner := range []*parse.ListNode{branch.List, branch.ElseList} {
			if err := sayIn(inner, say); err != nil {
				return err
			}
		}
	}
	return nil
}

// constantKey is the key of a pipeline that says a text without placeholders.
func constantKey(p *parse.PipeNode) (string, bool) {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 2 {
		return "", false
	}
	name, isName := p.Cmds[0].Args[0].(*parse.IdentifierNode)
	key, isKey := p.Cmds[0].Args[1].(*parse.StringNode)
	if !isName || name.Ident != "t" || !isKey {
		return "", false
	}
	return key.Text, true
}
