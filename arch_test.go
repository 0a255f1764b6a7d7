package typus_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A place is a package's line in the table of ARCHITECTURE.md.
type place struct {
	floor    int
	sentence string   // what the package is
	arrows   []string // what the package may import of ours
}

// outsiders says which package alone may import a library that would otherwise
// spread, and why it is that one.
var outsiders = []struct{ library, pkg, reason string }{
	{"github.com/jackc/pgx/v5", "db", "what differs between the databases stands in one place"},
	{"modernc.org/sqlite", "db", "what differs between the databases stands in one place"},
	{"modernc.org/libc", "db", "SQLite's memory is SQLite's, and read and written in one place"},
	{"github.com/wneessen/go-mail", "mail", "who sends a letter need not know how a mail server is spoken to"},
	{"codeberg.org/go-pdf/fpdf", "pdf", "who gives a file its words need not know how one is drawn"},
	{"github.com/prometheus/client_golang", "metrics", "what is counted need not know who asks, or in which words"},
	{"github.com/spf13/cobra", "cmd/typus", "what a command does must work without a command line"},
}

// driverOfTests is what tests look at an SQLite file with, as other programs do. The
// product does not need it: db calls SQLite itself (decision 0049).
const driverOfTests = "modernc.org/sqlite"

// large is how many lines a package may have, tests not counted, before it asks to
// be split. Those that are larger stand here, with what holds them together.
const large = 2500

var largeBecause = map[string]string{
	"accounts":   "all that an account sets and has, each thing with its rules and its line in the audit log",
	"api":        "one way in for programs: the API description and the test world share walls, forms and errors",
	"assess":     "all that becomes of a candidate, one by one and in lists; the steps share locks and their order",
	"cmd/typus":  "the commands of one program share its settings and its way to open a database",
	"dashboard":  "all pages of a customer behind one wall",
	"db":         "one engine on two databases, and what keeps an SQLite file whole and clean",
	"instrument": "one calculation; its parts make sense together only",
	"store":      "all statements, one file for each noun",
	"testpage":   "all pages of a candidate, from the way in to the own result, behind one wall",
	"typus":      "the words of the product, one file for each noun",
}

// fset knows where the parsed files' lines begin.
var fset = token.NewFileSet()

// parsed maps each package to its files, tests left out.
var parsed = sync.OnceValues(func() (map[string][]*ast.File, error) {
	found := map[string][]*ast.File{}
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
		name := packageName(filepath.ToSlash(filepath.Dir(path)))
		found[name] = append(found[name], f)
		return nil
	})
	return found, err
})

func ourPackages(t *testing.T) map[string][]*ast.File {
	t.Helper()
	packages, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return packages
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
	return top == "scripts" || top == "bench" || top == "chaos" || slices.ContainsFunc(strings.Split(name, "/"), func(dir string) bool { return strings.HasSuffix(dir, "test") })
}

// house reads the table of ARCHITECTURE.md: it alone says what may import what.
func house(t *testing.T) map[string]place {
	t.Helper()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]place{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(strings.TrimSpace(cells[2]), "`") {
			continue
		}
		name := strings.Trim(cells[2], " `")
		floor, err := strconv.Atoi(strings.TrimSpace(cells[1]))
		if err != nil {
			t.Errorf("%s stands on no floor: %v", name, err)
		}
		var arrows []string
		for cell := range strings.SplitSeq(cells[4], ",") {
			if cell = strings.Trim(cell, " `"); cell != "" && cell != "–" {
				arrows = append(arrows, cell)
			}
		}
		if _, twice := places[name]; twice || !slices.IsSorted(arrows) {
			t.Errorf("%s must have one line, and its arrows in order", name)
		}
		places[name] = place{floor, strings.TrimSpace(cells[3]), arrows}
	}
	return places
}

// imports are the paths that a package imports, in order, each once.
func imports(files []*ast.File) []string {
	var paths []string
	for _, f := range files {
		for _, spec := range f.Imports {
			paths = append(paths, strings.Trim(spec.Path.Value, `"`))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// within reports whether an import path is a module's or lies in it.
func within(path, module string) bool {
	return path == module || strings.HasPrefix(path, module+"/")
}

func TestEveryArrowGoesDownAndSomebodyUsesIt(t *testing.T) {
	places, packages := house(t), ourPackages(t)
	for name, files := range packages {
		if testOnly(name) {
			continue
		}
		here, known := places[name]
		if !known {
			t.Errorf("package %s has no line in the table of ARCHITECTURE.md", name)
			continue
		}
		var used []string
		for _, path := range imports(files) {
			if within(path, "typus") {
				used = append(used, packageName(path))
			}
		}
		for _, target := range used {
			if !slices.Contains(here.arrows, target) {
				t.Errorf("package %s must not import %s", name, target)
			}
		}
		for _, target := range here.arrows {
			if !slices.Contains(used, target) {
				t.Errorf("package %s may import %s and does not: take the arrow away", name, target)
			}
			if below, known := places[target]; !known || below.floor >= here.floor {
				t.Errorf("the arrow from %s (floor %d) to %s (floor %d) does not go down", name, here.floor, target, below.floor)
			}
		}
	}
	for name := range places {
		if _, there := packages[name]; !there {
			t.Errorf("ARCHITECTURE.md has a line for %s, which is no package", name)
		}
	}
}

func TestALibraryStaysWithThePackageThatHidesIt(t *testing.T) {
	packages := ourPackages(t)
	for _, o := range outsiders {
		var users []string
		for name, files := range packages {
			if !testOnly(name) && slices.ContainsFunc(imports(files), func(path string) bool { return within(path, o.library) }) {
				users = append(users, name)
			}
		}
		if !slices.Equal(users, []string{o.pkg}) {
			t.Errorf("%s is imported by %v, and may be by %s alone: %s", o.library, users, o.pkg, o.reason)
		}
	}
}

func TestTheProductReachesSQLiteWithoutItsDriver(t *testing.T) {
	for name, files := range ourPackages(t) {
		if !testOnly(name) && slices.Contains(imports(files), driverOfTests) {
			t.Errorf("package %s imports %s, which serves the tests", name, driverOfTests)
		}
	}
}

func TestALargePackageHasAReason(t *testing.T) {
	for name, files := range ourPackages(t) {
		lines := 0
		for _, f := range files {
			lines += fset.File(f.Pos()).LineCount()
		}
		reason, listed := largeBecause[name]
		switch {
		case testOnly(name):
		case lines > large && reason == "":
			t.Errorf("package %s has %d lines, more than %d: split it, or say in largeBecause what holds it together", name, lines, large)
		case lines <= large && listed:
			t.Errorf("package %s has only %d lines: take it out of largeBecause", name, lines)
		}
	}
	for name := range largeBecause {
		if _, there := house(t)[name]; !there {
			t.Errorf("largeBecause names %s, which is no package", name)
		}
	}
}

// fieldWords are the field's words for ours, in brackets.
var fieldWords = regexp.MustCompile(` \([^)]*\)`)

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
		_, says, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(first, "Package "), "Command "), " ")
		says = strings.TrimPrefix(fieldWords.ReplaceAllString(says, ""), "is ")
		if p, there := house(t)[name]; there && name != "typus" && !strings.EqualFold(says, p.sentence) {
			t.Errorf("package %s is %q in ARCHITECTURE.md, and %q in its comment, field words in brackets left out", name, p.sentence, says)
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

func TestAnAddressIsMadeInOnePlace(t *testing.T) {
	for name, files := range ourPackages(t) {
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				sum, ok := n.(*ast.BinaryExpr)
				if !ok || sum.Op != token.ADD {
					return true
				}
				if base, ok := sum.X.(*ast.SelectorExpr); ok && strings.EqualFold(base.Sel.Name, "baseURL") && name != "typus" {
					t.Errorf("%s: let typus.Links make the address", fset.Position(sum.Pos()))
				}
				return true
			})
		}
	}
}
