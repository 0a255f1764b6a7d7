package webhook

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What makes an HTTP request, or is made to. Whoever needs one uses this
// package's guard, so that no address a customer typed is ever called unjudged.
var clientNames = []string{
	"Get", "Head", "Post", "PostForm", "Client", "DefaultClient", "Transport", "DefaultTransport", "ProxyFromEnvironment",
}

// ownAddresses may make a client: the demo calls addresses of its own process only, as the
// customer and the candidate it plays; who listens to a test world calls the server that they
// name on their own command line; who asks how a server is calls the addresses of its settings.
var ownAddresses = []string{
	"cmd/typus/demo.go", "cmd/typus/demo_walk.go", "cmd/typus/demo_browser.go", "cmd/typus/listen_events.go",
	"cmd/typus/health.go",
}

func TestOnlyThisPackageMakesHTTPRequests(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(filepath.ToSlash(name), "../../")
		if d.IsDir() {
			return skipDir(rel)
		}
		if strings.HasSuffix(rel, ".go") && !strings.HasSuffix(rel, "_test.go") && !slices.Contains(ownAddresses, rel) {
			files++
			for _, use := range clientUses(t, name) {
				t.Errorf("%s: %s outside package webhook", rel, use)
			}
		}
		return nil
	})
	if err != nil || files < 20 {
		t.Fatalf("%d files were looked at: %v", files, err)
	}
}

func skipDir(rel string) error {
	base := path.Base(rel)
	if rel == "internal/webhook" || rel == "bench" || // the load generator is no part of the product
		strings.HasSuffix(base, "test") || strings.HasPrefix(base, ".") && base != ".." || base == "node_modules" {
		return fs.SkipDir
	}
	return nil
}

// clientUses lists the names of net/http in a file that make requests.
func clientUses(t *testing.T, name string) []string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	local := httpName(file)
	var uses []string
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == local && slices.Contains(clientNames, sel.Sel.Name) {
				uses = append(uses, fset.Position(sel.Pos()).String()+" http."+sel.Sel.Name)
			}
		}
		return true
	})
	return uses
}

// httpName is the name under which a file knows net/http, "" if it does not.
func httpName(file *ast.File) string {
	for _, imp := range file.Imports {
		if importPath, _ := strconv.Unquote(imp.Path.Value); importPath != "net/http" {
			continue
		}
		if imp.Name != nil {
			return imp.Name.Name
		}
		return "http"
	}
	return ""
}

func TestTheSearchForRequestsFindsThem(t *testing.T) {
	if uses := clientUses(t, "client.go"); len(uses) == 0 {
		t.Error("the transport in client.go is not found")
	}
}
