package typus

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// UnsafeRune finds the first character that no text of ours may hold: C0 and
// C1 controls, the line and paragraph separators U+2028 and U+2029, the
// bidirectional overrides and isolates, the byte order mark U+FEFF, noncharacters such as
// U+FFFE, the marks of annotations, the deprecated format characters U+206A to U+206F, and
// invalid UTF-8. Such characters break letters, logs and the byte identity of re-serialised
// JSON, or make two names differ that look the same, and no script needs them; none belongs
// in a name or an identifier. Format characters that a script or an emoji does need pass,
// above all the joiners U+200C and U+200D and the marks of direction. It reports false when
// the text is clean.
//
// our choice: the API description is silent on characters.
func UnsafeRune(text string) (rune, bool) {
	for i, r := range text {
		switch {
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[i:]); size <= 1 {
				return r, true
			}
		case r < 0x20, r >= 0x7f && r <= 0x9f,
			r == 0x2028, r == 0x2029,
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x206f,
			r == 0xfeff, r >= 0xfff9 && r <= 0xfffb, unicode.Is(unicode.Noncharacter_Code_Point, r):
			return r, true
		}
	}
	return 0, false
}

// UnsafeMsg says what to do about a character that UnsafeRune found.
func UnsafeMsg(r rune) string {
	return fmt.Sprintf("contains the character U+%04X; remove invisible characters such as control characters, byte order marks and direction overrides", r)
}

// Blank reports whether a text shows nothing that could stand by itself. Such a text
// holds only spaces, joiners and other format characters, combining marks without a
// letter, variation selectors, fillers of scripts, and signs that are drawn as nothing.
// Beside letters these characters have a meaning, such as the joiner in a family of
// emoji. A character that is newer than our tables counts as visible, because it may
// belong to somebody's script.
func Blank(text string) bool { return !strings.ContainsFunc(text, visible) }

func visible(r rune) bool {
	return !unicode.IsSpace(r) && !drawnAsNothing(r) &&
		!unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.M, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// drawnAsNothing reports whether a character is drawn as nothing although its category
// is letter or symbol.
func drawnAsNothing(r rune) bool {
	switch r {
	case 0x2800, // the Braille pattern without dots
		0xfffc,           // the place of an object that is not there
		0x13441, 0x13442, // blank hieroglyphs
		0x1d159: // the note without a head
		return true
	}
	return false
}
