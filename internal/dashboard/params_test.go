package dashboard

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// paramsOf reads from the source of the package which parameters each route may
// read, in the order of routes(): the names that stand in its handler, in what the
// handler calls, and in what that calls. What is added is thus tried without being listed.
func paramsOf(t *testing.T, routes []route) [][]string {
	t.Helper()
	src := readSource(t)
	more := len(routes) - len(src.handlers) // those of dev builds come first and read nothing
	if more < 0 || more > len(new(face).devRoutes()) {
		t.Fatalf("%d routes are in the source, want %d", len(src.handlers), len(routes))
	}
	for _, text := range []string{"good", "bad", "de", "en"} { // keys of maps
		delete(src.params, text)
	}
	all := make([][]string, len(routes))
	for i, handler := range src.handlers {
		names, at := map[string]bool{}, handler
		for range 3 { // what a handler calls, and what that calls
			var next []string
			for _, name := range at {
				next = append(next, src.uses[name]...)
				for _, text := range src.texts[name] {
					if text = cmp.Or(src.consts[text], text); src.params[text] {
						names[text] = true
					}
				}
			}
			slices.Sort(next)
			at = slices.Compact(next)
		}
		all[more+i] = slices.Sorted(maps.Keys(names))
	}
	return all
}

// source is what the package says about its functions and variables, by name;
// methods of the same name count as one.
type source struct {
	uses     map[string][]string // names in it
	texts    map[string][]string // text literals in it, and names of constants
	consts   map[string]string   // constants that are texts
	params   map[string]bool     // names of parameters
	handlers [][]string          // of each route the names that stand for its handler
}

func readSource(t *testing.T) source {
	t.Helper()
	src := source{map[string][]string{}, map[string][]string{}, map[string]string{}, map[string]bool{}, nil}
	names, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[string][]ast.Node{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || name == "style_dev.go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch d := n.(type) {
			case *ast.FuncDecl:
				nodes[d.Name.Name] = append(nodes[d.Name.Name], d)
				return false
			case *ast.ValueSpec:
				nodes[d.Names[0].Name] = append(nodes[d.Names[0].Name], d)
				for i, value := range d.Values {
					if text := literal(value); text != "" {
						src.consts[d.Names[i].Name] = text
					}
				}
				return false
			}
			return true
		})
	}
	for name, list := range nodes {
		for _, node := range list {
			src.read(name, node)
		}
	}
	return src
}

var paramName = regexp.MustCompile(`^[a-z_]+$`)

// read notes what stands in a declaration.
func (src *source) read(name string, node ast.Node) {
	param := func(e ast.Expr) {
		text := literal(e)
		if id, ok := e.(*ast.Ident); ok {
			text = src.consts[id.Name]
		}
		if paramName.MatchString(text) {
			src.params[text] = true
		}
	}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			src.uses[name], src.texts[name] = append(src.uses[name], n.Name), append(src.texts[name], n.Name)
		case *ast.BasicLit:
			src.texts[name] = append(src.texts[name], literal(n))
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"PostFormValue", "FormValue", "Get", "Has"}, f.Sel.Name) {
				param(n.Args[0])
			}
			if f, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"number", "uploaded", "position"}, f.Name) {
				param(n.Args[1])
			}
		case *ast.IndexExpr:
			param(n.Index)
		case *ast.KeyValueExpr:
			switch key, ok := n.Key.(*ast.Ident); {
			case !ok:
			case key.Name == "Name":
				param(n.Value)
			case key.Name == "handle" && name == "routes":
				var names []string
				ast.Inspect(n.Value, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && id.Name != "f" {
						names = append(names, id.Name)
					}
					return true
				})
				src.handlers = append(src.handlers, names)
			}
		}
		return true
	})
}

// literal is the text of a literal, "" for anything else.
func literal(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return text
}
