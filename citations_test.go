package typus_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	sectionHead = regexp.MustCompile(`(?m)^#{2,3} (\d(?:\.\d)?)\.? `)
	citation    = regexp.MustCompile(`API description((?:,? (?:and )?\d(?:\.\d)?\b)+)`)
	sectionName = regexp.MustCompile(`\d(?:\.\d)?`)
	// foldedLine is where a comment goes on in its next line.
	foldedLine = regexp.MustCompile(`\n\s*(?://|--) ?`)
)

func TestEachSectionThatACommentCitesExists(t *testing.T) {
	page, err := os.ReadFile("docs/api-description.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for _, head := range sectionHead.FindAllStringSubmatch(string(page), -1) {
		sections[head[1]] = true
	}
	cited := 0
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if ext := filepath.Ext(path); d.IsDir() || ext != ".go" && ext != ".sql" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range citation.FindAllStringSubmatch(foldedLine.ReplaceAllString(string(text), " "), -1) {
			for _, section := range sectionName.FindAllString(found[1], -1) {
				cited++
				if !sections[section] {
					t.Errorf("%s cites section %s, which docs/api-description.md does not have", path, section)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sections) < 20 || cited < 20 {
		t.Errorf("%d sections and %d citations were found: this test has lost sight of them", len(sections), cited)
	}
}
