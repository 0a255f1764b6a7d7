package typus

import (
	"strings"
	"unicode"
)

// TypedAddress is an address as somebody typed or pasted it, without what nobody sees:
// invisible characters anywhere, and space at its ends. A joiner stays in a domain that is
// not ASCII, where it may be a letter's.
func TypedAddress(text string) string {
	text = dropped(text, func(r rune) bool { return hidden(r) || mark(r) })
	bare := dropped(text, joiner)
	if strings.ContainsFunc(bare, func(r rune) bool { return r > unicode.MaxASCII }) {
		bare = text
	}
	return strings.TrimFunc(bare, atEnds)
}

// TypedName is a name as somebody typed or pasted it, without what nobody sees: invisible
// characters that no script needs anywhere, and space, joiners and marks of direction at
// its ends.
func TypedName(text string) string { return strings.TrimFunc(dropped(text, hidden), atEnds) }

func dropped(text string, drop func(rune) bool) string {
	return strings.Join(strings.FieldsFunc(text, drop), "")
}

// hidden reports whether r is drawn as nothing and needed by no script: the soft hyphen,
// the zero width and the word joining space, the byte order mark, and what embeds,
// overrides or isolates a direction.
func hidden(r rune) bool {
	return r == 0xad || r == 0x200b || r == 0x2060 || r == 0xfeff || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// mark reports whether r is a mark of direction.
func mark(r rune) bool { return r == 0x200e || r == 0x200f || r == 0x61c }

// joiner reports whether r joins two characters or keeps them apart.
func joiner(r rune) bool { return r == 0x200c || r == 0x200d }

func atEnds(r rune) bool { return unicode.IsSpace(r) || mark(r) || joiner(r) }
