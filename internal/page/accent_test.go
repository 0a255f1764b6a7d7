package page

import (
	"testing"

	"typus/internal/colour"
)

// The grounds stand in two places; here they are held together.
func TestTheGroundsOfAnAccentAreThoseOfTheTokens(t *testing.T) {
	colours := tokens(t)
	for name, want := range map[string][2]string{
		"paper": {colour.Light.Paper, colour.Dark.Paper}, "surface": {colour.Light.Surface, colour.Dark.Surface}, "alert-soft": {colour.Light.Alert, colour.Dark.Alert}, "hint-soft": {colour.Light.Hint, colour.Dark.Hint},
		"line": {colour.Light.Line, colour.Dark.Line}, "ink-soft": {colour.Light.Ink, colour.Dark.Ink},
	} {
		if got := colours[name]; "#"+got[0] != want[0] || "#"+got[1] != want[1] {
			t.Errorf("%s is %v, not %v", name, got, want)
		}
	}
}
