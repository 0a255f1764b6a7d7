package typus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"typus/internal/page/pagetest"
)

// textsPeopleRead are the files of texts that our pages and letters show, as patterns. A
// star before the point is the language. The texts of the report and of the test itself
// are looked through by their own packages, with the same list of words.
var textsPeopleRead = []string{
	"internal/*/locales/*.json", "internal/mail/letters/*.txt", "internal/docs/text/*/*.md", "README.md", "CHANGELOG.md",
}

// languageOfText is the language of a file of texts, by its name or its folder.
func languageOfText(path string) string {
	name := filepath.Base(path)
	if strings.HasPrefix(name, "de.") || strings.Contains(name, ".de.") || strings.Contains(filepath.ToSlash(path), "/de/") {
		return "de"
	}
	return "en"
}

// Everything that was replaced because it promises too much, or names one thing twice or
// people by one gender, stays replaced: forbidden_words.tsv says which words and why.
func TestNoTextThatPeopleReadHasAForbiddenWord(t *testing.T) {
	read := 0
	for _, pattern := range textsPeopleRead {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasPrefix(filepath.Base(name), "report.") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			read++
			for _, found := range pagetest.Forbidden(languageOfText(name), string(text)) {
				t.Errorf("%s: %s", name, found)
			}
		}
	}
	if read < 90 {
		t.Errorf("only %d files were read", read)
	}
}
