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
	promiseLine = regexp.MustCompile(`(?m)^\| (P\d+): ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)
	testName    = regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	testFunc    = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(t \*testing\.T\)`)
)

// The page about operation names the test of each promise, in both languages the same ones.
func TestEveryPromiseIsProvedByATestThatExists(t *testing.T) {
	tests := allTests(t)
	said := map[string][]string{}
	for _, lang := range []string{"de", "en"} {
		page, err := os.ReadFile("internal/docs/text/" + lang + "/betrieb.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range promiseLine.FindAllStringSubmatch(string(page), -1) {
			names := testName.FindAllStringSubmatch(m[3], -1)
			if len(names) == 0 {
				t.Errorf("%s: nothing proves %s", lang, m[1])
			}
			for _, name := range names {
				if !tests[name[1]] {
					t.Errorf("%s: %s is to be proved by %s, which does not exist", lang, m[1], name[1])
				}
			}
			said[lang] = append(said[lang], m[1]+" by "+m[3])
		}
	}
	if len(said["de"]) == 0 || !slices.Equal(said["de"], said["en"]) {
		t.Errorf("the promises and their tests are %q in German and %q in English", said["de"], said["en"])
	}
}

// allTests are the names of all tests, whatever tags they need.
func allTests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
