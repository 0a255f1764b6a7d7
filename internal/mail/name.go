package mail

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxName is how many characters of a name a letter shows. Elsewhere names may have
// 200, but a greeting that is longer than a line is no greeting.
const maxName = 100

// A word with one of these marks can be a link, an address or a forged header word in
// some mail program.
var linkMarks = regexp.MustCompile(`://|@|=\?|\?=|^www\.|^\d+(\.\d+){3}$|\pL\.\pL.*[/:?#]`)

// innerDot is a dot that joins two words into something like a domain name.
var innerDot = regexp.MustCompile(`\.([\x{200c}\x{200d}]*\pL)`)

// dots are what IDNA reads as a dot (RFC 3490, 3.1).
var dots = strings.NewReplacer("。", ".", "．", ".", "｡", ".")

// plainName makes a name that somebody typed safe to print in our letters: one line of
// at most maxName characters in which no mail program finds a link. Without it,
// everybody who may invite could send advertising or phishing in the operator's name
// (OWASP, content spoofing). Links are removed. A dot between two letters gets a space
// after it, so that no program takes the name for a domain and people can still read
// it: "Dr.Müller" becomes "Dr. Müller". The result may be empty.
func plainName(name string) string { return plain(name, maxName) }

// plain is plainName of a text with at most so many characters.
func plain(name string, most int) string {
	name = dots.Replace(norm.NFC.String(strings.ToValidUTF8(name, "")))
	var kept []string
	for _, word := range strings.FieldsFunc(name, blank) {
		word = strings.Map(visible, word)
		if word == "" || linkMarks.MatchString(strings.ToLower(strings.Trim(word, `"'()[]<>,;.`))) {
			continue
		}
		kept = append(kept, innerDot.ReplaceAllString(word, ". $1"))
	}
	return strings.Trim(cut(strings.Join(kept, " "), most), " ,;:–-")
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// visible drops characters that have no width or turn the reading direction: with them
// a link can be hidden from the eye and from the patterns above. The joiners stay,
// because several scripts and emoji need them.
func visible(r rune) rune {
	const nonJoiner, joiner = '\u200c', '\u200d'
	if unicode.Is(unicode.Cf, r) && r != nonJoiner && r != joiner {
		return -1
	}
	return r
}

func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit-1])) + "…"
}
