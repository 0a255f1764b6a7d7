package typus_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	namedFile   = regexp.MustCompile("`([a-zA-Z0-9_][a-zA-Z0-9_./-]*\\.(?:css|go|html|js|json|md|sql|tsv|yaml))`")
	placeholder = regexp.MustCompile(`NOUN|NNNN|X\.Y\.Z`)
)

// Whoever reads where something is decided goes there next. A file that is moved, or a test
// that gets another name, is named there, too.
func TestTheDocumentsNameFilesAndTestsThatAreThere(t *testing.T) {
	files, tests, seen := allFiles(t), allTests(t), 0
	for _, doc := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "docs/links.md", "docs/where.md"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range namedFile.FindAllStringSubmatch(string(text), -1) {
			name := found[1]
			seen++
			if !placeholder.MatchString(name) && !slices.ContainsFunc(files, func(path string) bool { return path == name || strings.HasSuffix(path, "/"+name) }) {
				t.Errorf("%s names the file %s, which is not there", doc, name)
			}
		}
		for _, found := range testName.FindAllStringSubmatch(string(text), -1) {
			seen++
			if !tests[found[1]] {
				t.Errorf("%s names the test %s, which is not there", doc, found[1])
			}
		}
	}
	if seen < 500 {
		t.Errorf("only %d files and tests were found", seen)
	}
}

// The script that runs the tests chooses some by the beginnings of their names: one that begins
// no name any more would choose nothing, in silence.
func TestTheScriptOfTestsNamesTestsThatAreThere(t *testing.T) {
	text, err := os.ReadFile("scripts/test-packages")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range allTests(t) {
		names = append(names, name)
	}
	list := regexp.MustCompile(`(?m)^meet='\^Test\((.*)\)'$`).FindStringSubmatch(string(text))
	if list == nil {
		t.Fatal("no list of names")
	}
	for begin := range strings.SplitSeq(list[1], "|") {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "Test"+begin) }) {
			t.Errorf("no test's name begins with Test%s", begin)
		}
	}
}

// allFiles are the paths of all files that belong to the repository.
func allFiles(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "dist") {
			return fs.SkipDir
		}
		if !d.IsDir() {
			paths = append(paths, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
