package docs

import (
	"regexp"
	"strings"
)

// span is a run of words in one form.
type span struct {
	Text   string
	Code   bool
	Strong bool
	Href   string // "" for no link
}

var spanForm = regexp.MustCompile("`([^`]+)`" + `|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)`)

// inline takes a line apart.
func inline(line string) []span {
	var spans []span
	for line != "" {
		at := spanForm.FindStringSubmatchIndex(line)
		if at == nil {
			return append(spans, span{Text: line})
		}
		if at[0] > 0 {
			spans = append(spans, span{Text: line[:at[0]]})
		}
		spans = append(spans, marked(spanForm.FindStringSubmatch(line[at[0]:at[1]])))
		line = line[at[1]:]
	}
	return spans
}

// marked is the span of a match: code, strong, or a link, whose words may be code.
func marked(m []string) span {
	switch code, strong, words, href := m[1], m[2], m[3], m[4]; {
	case code != "":
		return span{Text: code, Code: true}
	case strong != "":
		return span{Text: strong, Strong: true}
	default:
		plain := strings.Trim(words, "`")
		return span{Text: plain, Code: plain != words, Href: href}
	}
}
