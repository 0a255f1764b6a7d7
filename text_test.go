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
		"a": false, "\u200ba": false, "-": false, "0": false,
		"👩\u200d💻": false, "می\u200cخواهم": false, "❤\ufe0f": false, "한": false, "\u2801": false,
	} {
		if got := typus.Blank(text); got != want {
			t.Errorf("Blank(%+q) is %t", text, got)
		}
	}
}
