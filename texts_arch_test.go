package typus_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"typus/internal/page/pagetest"
)

// textsPeopleRead are the files of texts that people read, as patterns. The names in the
// other files of the instrument are looked through by the tests of the report. Not here
// are the texts of its first version, which are frozen as they were released.
var textsPeopleRead = []string{
	"internal/*/locales/*.json", "internal/report/texts/*.json", "internal/inspect/texts/*.json", "internal/mail/letters/*.txt",
	"internal/instrument/salespersona/2.0.0/texts/*.yaml", "internal/instrument/salespersona/2.0.0/report/*.yaml",
	"internal/docs/text/*/*.md", "internal/docs/samples/*.txt", "internal/api/openapi.yaml", "README.md", "CHANGELOG.md",
}

// languageOfText is the language of a file of texts, by its name or its folder.
func languageOfText(path string) string {
	name := filepath.Base(path)
	if strings.HasPrefix(name, "de.") || strings.Contains(name, ".de.") || strings.Contains(filepath.ToSlash(path), "/de/") ||
		name == "vereinbarung.txt" {
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
	if read < 130 {
		t.Errorf("only %d files were read", read)
	}
}

// Prose for those who read it beside the code is wrapped at 120 characters, but for tables,
// code and pictures.
func TestProseIsWrapped(t *testing.T) {
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %q, %v", pattern, names, err)
		}
		for _, name := range names {
			if name == "THIRD_PARTY.md" { // a tool writes it
				continue
			}
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			code := false
			for i, line := range strings.Split(string(body), "\n") {
				if strings.HasPrefix(strings.TrimSpace(line), "```") {
					code = !code
				}
				if !code && utf8.RuneCountInString(line) > 120 && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "![") {
					t.Errorf("%s:%d is longer than 120 characters", name, i+1)
				}
			}
		}
	}
}

// What is not there yet is said in two places, and what has come is taken from both.
func TestWhatIsNotThereYetIsSaidAlike(t *testing.T) {
	said := map[string]string{"README.md": "**What the product does not do yet:** ", "CHANGELOG.md": "Not there yet: "}
	for name, before := range said {
		text, err := os.ReadFile(name)
		_, list, found := strings.Cut(string(text), before)
		if err != nil || !found {
			t.Fatalf("%s does not say %q, %v", name, before, err)
		}
		list, _, _ = strings.Cut(list, ".")
		said[name] = strings.Join(strings.Fields(list), " ")
	}
	if said["README.md"] != said["CHANGELOG.md"] {
		t.Errorf("not there yet is %q in README.md and %q in CHANGELOG.md", said["README.md"], said["CHANGELOG.md"])
	}
}

// widest is how many columns a comment on lines of its own takes at most, a tab being four.
const widest = 96

// A comment is read at one width, whoever wrote it. What is set in from it is code or a
// table.
func TestCommentsHaveOneWidth(t *testing.T) {
	read := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		body, err := os.ReadFile(path)
		for i, line := range strings.Split(string(body), "\n") {
			line = strings.ReplaceAll(line, "\t", "    ")
			comment, is := strings.CutPrefix(strings.TrimSpace(line), "// ")
			if is && !strings.HasPrefix(comment, " ") && utf8.RuneCountInString(line) > widest {
				t.Errorf("%s:%d is wider than %d columns", path, i+1, widest)
			}
		}
		read++
		return err
	})
	if err != nil || read < 500 {
		t.Errorf("%d files were read, %v", read, err)
	}
}
