package typus_test

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows says what each package may import of ours. The same table is printed
// in ARCHITECTURE.md, where the reasons stand; a new package needs a line in both.
var arrows = map[string][]string{
	"typus": {},

	"store":      {"typus"},
	"instrument": {"typus"},
	"webhook":    {"typus"},
	"mail":       {"typus"},
	"auth":       {"typus"},
	"seal":       {"typus"},
	"web":        {"typus"},
	"page":       {"typus"},

	"assess":  {"auth", "instrument", "seal", "store", "typus", "webhook"},
	"courier": {"mail", "seal", "store", "typus", "webhook"},
	"report":  {"instrument", "typus"},

	"api":       {"assess", "auth", "page", "store", "typus", "web"},
	"dashboard": {"assess", "auth", "instrument", "mail", "page", "report", "seal", "store", "typus", "web", "webhook"},
	"docs":      {"page", "typus", "web", "webhook"},
	"testpage":  {"assess", "instrument", "page", "store", "typus", "web"},

	"server": {"api", "assess", "auth", "courier", "dashboard", "docs", "instrument", "mail", "page", "seal", "store", "testpage", "typus", "web", "webhook"},

	"cmd/typus": {"assess", "auth", "instrument", "mail", "seal", "server", "store", "typus", "webhook"},
}

// ourPackages maps each package directory to its parsed files. Packages that
// exist for tests only are exempt from the arrows.
func ourPackages(t *testing.T) map[string][]*ast.File {
	t.Helper()
	found := map[string][]*ast.File{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "samples" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := packageName(filepath.ToSlash(filepath.Dir(path)))
		found[dir] = append(found[dir], f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// packageName turns a directory or import path into the name of the table.
func packageName(path string) string {
	path = strings.TrimPrefix(path, "typus/")
	if path == "." || path == "typus" {
		return "typus"
	}
	return strings.TrimPrefix(path, "internal/")
}

// testOnly reports whether a package serves the tests or the repository and is
// no part of the product.
func testOnly(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return top == "scripts" || top == "bench" || slices.ContainsFunc(strings.Split(name, "/"), func(dir string) bool { return strings.HasSuffix(dir, "test") })
}

func TestArrowsOnlyGoDown(t *testing.T) {
	for name, files := range ourPackages(t) {
		if testOnly(name) {
			continue
		}
		allowed, known := arrows[name]
		if !known {
			t.Errorf("package %s has no line in the table of arrows", name)
			continue
		}
		for _, f := range files {
			for _, spec := range f.Imports {
				path := strings.Trim(spec.Path.Value, `"`)
				if path != "typus" && !strings.HasPrefix(path, "typus/") {
					continue
				}
				if target := packageName(path); !slices.Contains(allowed, target) {
					t.Errorf("package %s must not import %s", name, target)
				}
			}
		}
	}
}

func TestTheTableOfArrowsStandsInArchitectureMD(t *testing.T) {
	f, err := os.Open("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	written := map[string][]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "|")
		if len(cells) != 6 || !strings.HasPrefix(strings.TrimSpace(cells[2]), "`") {
			continue
		}
		name := strings.Trim(strings.TrimSpace(cells[2]), "`")
		imports := []string{}
		for cell := range strings.SplitSeq(cells[4], ",") {
			if cell = strings.Trim(strings.TrimSpace(cell), "`"); cell != "" && cell != "–" {
				imports = append(imports, cell)
			}
		}
		slices.Sort(imports)
		written[name] = imports
	}
	if !maps.EqualFunc(written, arrows, slices.Equal) {
		for name := range arrows {
			if !slices.Equal(written[name], arrows[name]) {
				t.Errorf("%s: ARCHITECTURE.md says %v, the table %v", name, written[name], arrows[name])
			}
		}
		for name := range written {
			if _, known := arrows[name]; !known {
				t.Errorf("ARCHITECTURE.md has a line for %s, the table has none", name)
			}
		}
	}
}

func TestEachPackageSaysWhatItIsInOneSentence(t *testing.T) {
	for name, files := range ourPackages(t) {
		var comments []string
		for _, f := range files {
			if f.Doc != nil {
				comments = append(comments, f.Doc.Text())
			}
		}
		if len(comments) != 1 {
			t.Errorf("package %s has %d package comments, want one", name, len(comments))
			continue
		}
		first, _, _ := strings.Cut(comments[0], "\n\n")
		first = strings.Join(strings.Fields(first), " ")
		base := files[0].Name.Name
		if base == "main" {
			base = filepath.Base(name)
		}
		if name != "typus" && (!strings.HasPrefix(first, "Package "+base+" ") && !strings.HasPrefix(first, "Command "+base+" ") || strings.Count(first, ". ") > 0 || !strings.HasSuffix(first, ".")) {
			t.Errorf("package %s: the first paragraph of its comment must be one sentence about it, is %q", name, first)
		}
	}
}

func TestNoPackageIsADumpingGround(t *testing.T) {
	forbidden := []string{"util", "utils", "common", "helpers", "base", "core", "models", "types", "lib", "pkg", "manager", "service"}
	for name := range ourPackages(t) {
		if slices.Contains(forbidden, filepath.Base(name)) {
			t.Errorf("package %s is named for what it is made of, not for what it gives", name)
		}
	}
}
