package mail

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxName is the most characters of a name that a letter shows. Names of
// 200 are accepted elsewhere; a greeting longer than a line is not a greeting.
const maxName = 100

// A word with one of these marks can be a link, an address or a forged header
// word in some mail program, whatever else it is.
var linkMarks = regexp.MustCompile(`://|@|=\?|\?=|^www\.|^\d+(\.\d+){3}$|\pL\.\pL.*[/:?#]`)

// innerDot is a dot that joins two words into something like a domain name.
var innerDot = regexp.MustCompile(`\.([\x{200c}\x{200d}]*\pL)`)

// dots are what IDNA reads as a dot (RFC 3490, 3.1).
var dots = strings.NewReplacer("。", ".", "．", ".", "｡", ".")

// plainName makes a name that somebody typed safe to print in a letter of
// ours: one line of at most maxName characters in which no mail program finds a
// link. Without it, everybody who may invite could send advertising or phishing
// in the operator's name (OWASP, content spoofing). Links go; a dot between two
// letters gets a space behind it, which stops the guessing and leaves real names
// readable: "Dr.Müller" becomes "Dr. Müller". The result may be empty.
func plainName(name string) string {
	name = dots.Replace(norm.NFC.String(strings.ToValidUTF8(name, "")))
	var kept []string
	for _, word := range strings.FieldsFunc(name, blank) {
		word = strings.Map(visible, word)
		if word == "" || linkMarks.MatchString(strings.ToLower(strings.Trim(word, `"'()[]<>,;.`))) {
			continue
		}
		kept = append(kept, innerDot.ReplaceAllString(word, ". $1"))
	}
	return strings.Trim(cut(strings.Join(kept, " "), maxName), " ,;:–-")
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// visible drops what has no width or turns the reading direction: behind such
// characters a link can hide from the eye and from the patterns above. The
// joiners stay, since several scripts and emoji need them.
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
