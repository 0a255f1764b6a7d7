package dashboard

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"typus/internal/page"
)

// Above a form each fault stands behind the label of its field: neither reads as a sentence
// that has ended and goes on.
func TestNoFaultStandsBehindASentenceThatHasEnded(t *testing.T) {
	f := newWorld(t).face
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`\bLabel: +"([a-z]\w*(?:\.\w+)+)"`).FindAllStringSubmatch(string(source), -1) {
			labels[found[1]] = !strings.HasSuffix(file, "_test.go") || labels[found[1]]
		}
	}
	if len(labels) < 100 {
		t.Fatalf("%d labels are found", len(labels))
	}
	for key, ours := range labels {
		for _, lang := range page.Languages() {
			if !ours {
				continue
			}
			ahead := page.Ahead(f.say(speaking(lang), key))
			if !regexp.MustCompile(`[^.:?!…\s][:?]$`).MatchString(ahead) || strings.Contains(ahead, ". ") {
				t.Errorf("%s in %s: a fault stands behind %q", key, lang, ahead)
			}
		}
	}
}

// The longest label there is, three sentences, is cut to its first.
func TestAFaultOfASignatureNamesItShortly(t *testing.T) {
	w := newWorld(t)
	form := nine("Außendienst", nil)
	form.Del("sign")
	w.as(owner).post(roleNewPath, form).want(t, 422, `<a href="#sign">Ich bestätige dieses Rollenprofil:</a> Bitte bestätigen Sie`)
}
