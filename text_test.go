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
