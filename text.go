package typus

import "unicode/utf8"

// UnsafeRune finds the first character that no text of ours may hold: C0 and
// C1 controls, the line and paragraph separators U+2028 and U+2029, the
// bidirectional overrides and isolates, and invalid UTF-8. Such characters break
// letters, logs and the byte identity of re-serialised JSON; none belongs in a
// name or an identifier. It reports false when the text is clean.
//
// our choice: the seed is silent on characters.
func UnsafeRune(text string) (rune, bool) {
	for i, r := range text {
		switch {
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[i:]); size <= 1 {
				return r, true
			}
		case r < 0x20, r >= 0x7f && r <= 0x9f,
			r == 0x2028, r == 0x2029,
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return r, true
		}
	}
	return 0, false
}
