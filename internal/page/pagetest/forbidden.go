package pagetest

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// forbidden is a list of wordings that no text may have that people read: its lines name
// the language, a pattern, what in the same sentence excuses it, and why it is forbidden.
//
//go:embed forbidden_words.tsv
var forbidden string

type wording struct {
	language        string
	pattern, unless *regexp.Regexp // unless is nil where nothing excuses it
	why             string
}

var wordings = sync.OnceValue(func() []wording {
	var list []wording
	for line := range strings.SplitSeq(strings.TrimSpace(forbidden), "\n") {
		cells := strings.Split(line, "\t")
		if cells[0] == "language" {
			continue
		}
		w := wording{language: cells[0], pattern: regexp.MustCompile(cells[1]), why: cells[3]}
		if cells[2] != "" {
			w.unless = regexp.MustCompile(cells[2])
		}
		list = append(list, w)
	}
	return list
})

// sentenceEnd is where one sentence, cell of a table, or line ends and another begins.
var sentenceEnd = regexp.MustCompile(`[.!?:;]\s|\n| \| `)

// Forbidden are the wordings of a text in a language ("de" or "en") that
// forbidden_words.tsv forbids, each with its sentence and the reason. They were replaced
// because they promise what nobody knows, or name one thing by two words or people by
// one gender.
func Forbidden(language, text string) []string {
	var found []string
	for _, sentence := range sentenceEnd.Split(text, -1) {
		for _, w := range wordings() {
			if w.language != language || !w.pattern.MatchString(sentence) || w.unless != nil && w.unless.MatchString(sentence) {
				continue
			}
			found = append(found, fmt.Sprintf("%q in %q: %s", w.pattern.FindString(sentence), strings.TrimSpace(sentence), w.why))
		}
	}
	return found
}
