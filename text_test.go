package typus_test

import (
	"testing"

	"typus"
)

func TestBlankIsWhatNobodySees(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, " \t\n": true, "\u00a0\u2003\u3000": true, // spaces
		"\u200b": true, "\u200c\u200d": true, "\u2060\ufeff": true, "\u00ad": true, "\u061c\u200e": true, // format characters
		"\u3164": true, "\uffa0": true, "\u115f\u1160": true, "\u17b4": true, "\u034f": true, // fillers of scripts
		"\ufe0f": true, "\U000e0100": true, "\u180b": true, // variation selectors
		"\u2800": true, "\U000e0041": true, " \u200b \u3164 ": true,
		"\ufffc": true, "\U00013441\U00013442": true, "\U0001d159": true, "\U00016fe4": true, // drawn as nothing
		"\u0301": true, " \u0301\u0327": true, "\u200b\u0e31": true, "\u0903": true, "\u20dd": true, // marks alone
		"\ue000": true, "\U0010fffd": true, "\ufffe": true, // of nobody's script
		"e\u0301": false, "\u0e01\u0e31": false, "\u0928\u093f": false, "1\ufe0f\u20e3": false, "\ufffc\u4e2d": false, "\U00013440\U00013000": false,
		"\U0001fae9": false, // newer than our tables
		"a":          false, "\u200ba": false, "-": false, "0": false,
		"👩\u200d💻": false, "می\u200cخواهم": false, "❤\ufe0f": false, "한": false, "\u2801": false,
	} {
		if got := typus.Blank(text); got != want {
			t.Errorf("Blank(%+q) is %t", text, got)
		}
	}
}

func TestATextHoldsNoCharacterThatNoScriptNeeds(t *testing.T) {
	for text, want := range map[string]rune{
		"Jana\x00": 0, "Jana\x1f": 0x1f, "Jana\x7f": 0x7f, "Jana\u009f": 0x9f, "a\u2028b": 0x2028, "a\u202eb": 0x202e, "a\u2066b": 0x2066, "a\xffb": 0xfffd,
		"\ufeffJana": 0xfeff, "Ja\ufeffna": 0xfeff, "\ufffe": 0xfffe, "Jana\uffff": 0xffff, "\ufdd0": 0xfdd0, "\ufdef": 0xfdef,
		"\U0001fffe": 0x1fffe, "\U0010ffff": 0x10ffff, "\ufff9": 0xfff9, "\ufffb": 0xfffb, "\u206a": 0x206a, "\u206f": 0x206f,
	} {
		if got, bad := typus.UnsafeRune(text); !bad || got != want {
			t.Errorf("in %+q %U is found, %t; want %U", text, got, bad, want)
		}
	}
	for _, text := range []string{
		"", "Jana Öztürk", "O’Brien", "می\u200cخواهم", "क्\u200dष", "👩\u200d💻", "❤\ufe0f", "\u200fאבג\u200e", "\u061cمرحبا", "ภาษา\u200bไทย", "so\u00adwie", "a\u2060b",
		"\ufdcf", "\ufdf0", "\ufffc", "\ufffd", "\ue000", "\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001fae9", "\U0001fffd", "\U00020000",
	} {
		if got, bad := typus.UnsafeRune(text); bad {
			t.Errorf("%U is refused in %+q", got, text)
		}
	}
}

// The ranges are those of Default_Ignorable_Code_Point in DerivedCoreProperties.txt,
// Unicode 16.
func TestNothingThatIsIgnoredByDefaultIsSeen(t *testing.T) {
	for _, r := range [][2]rune{
		{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x202a, 0x202e},
		{0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3},
		{0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	} {
		for c := r[0]; c <= r[1]; c++ {
			if !typus.Blank(string(c)) {
				t.Errorf("%U is taken for something that is seen", c)
			}
		}
	}
}
