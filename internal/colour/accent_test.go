package colour

import (
	"fmt"
	"testing"
)

// Whatever an account chooses, its pages stay legible in both themes.
func TestEveryAccentBecomesLegible(t *testing.T) {
	grounds := [2][]string{
		{Light.Paper, Light.Surface, Light.Alert, Light.Hint},
		{Dark.Paper, Dark.Surface, Dark.Alert, Dark.Hint},
	}
	for r := 0; r < 256; r += 51 {
		for g := 0; g < 256; g += 51 {
			for b := 0; b < 256; b += 51 {
				chosen := fmt.Sprintf("#%02x%02x%02x", r, g, b)
				a, ok := NewAccent(chosen)
				if !ok {
					t.Fatalf("%s is refused", chosen)
				}
				for _, fill := range []string{a.Fill.Ground, a.Fill.Hover} {
					if c := Contrast(fill, a.Fill.Words); c < 4.5 {
						t.Errorf("%s: words on a button of %s: %.2f", chosen, fill, c)
					}
				}
				for theme, s := range []Shades{a.Light, a.Dark} {
					line, ink := [2]string{Light.Line, Dark.Line}[theme], [2]string{Light.Ink, Dark.Ink}[theme]
					for _, ground := range append(grounds[theme], s.Soft) {
						if c := Contrast(s.Accent, ground); c < 4.5 {
							t.Errorf("%s as %s on %s: %.2f (theme %d)", chosen, s.Accent, ground, c, theme)
						}
					}
					if c := Contrast(s.Accent, line); c < 3 {
						t.Errorf("%s: the progress bar: %.2f (theme %d)", chosen, c, theme)
					}
					if c := Contrast(ink, s.Soft); c < 4.5 {
						t.Errorf("%s: soft text on %s: %.2f (theme %d)", chosen, s.Soft, c, theme)
					}
				}
			}
		}
	}
}

func TestALegibleAccentStaysAsItIs(t *testing.T) {
	if a, _ := NewAccent("#0f5c4d"); !a.LegibleLight() || a.LegibleDark() {
		t.Errorf("our own dark green became %+v", a)
	}
	if a, _ := NewAccent("#7fd0b9"); a.LegibleLight() || !a.LegibleDark() {
		t.Errorf("our own light green became %+v", a)
	}
}

// A button has the chosen colour wherever words can be read on it, and hardly another one
// elsewhere.
func TestAButtonKeepsTheColour(t *testing.T) {
	for chosen, want := range map[string][2]string{
		"#ffd100": {"#ffd100", black}, "#0f5c4d": {"#0f5c4d", white}, "#ffffff": {"#ffffff", black}, "#000000": {"#000000", white}, "#e2001a": {"#e2001a", white},
		"#007fff": {"#007fff", black}, "#ff0000": {"#ff0000", black},
	} {
		a, _ := NewAccent(chosen)
		if a.Fill.Ground != want[0] || a.Fill.Words != want[1] {
			t.Errorf("%s: words of %s on %s, not of %s on %s", chosen, a.Fill.Words, a.Fill.Ground, want[1], want[0])
		}
	}
	if a, _ := NewAccent("#757575"); a.Fill.Words != white || Contrast(a.Fill.Ground, "#757575") > 1.1 {
		t.Errorf("#757575 became %+v", a.Fill)
	}
}

func TestARuleIsSeenOnItsSurface(t *testing.T) {
	for chosen, want := range map[string][2]bool{ // that it is the colour itself
		"#ffd100": {true, true}, "#ffffff": {false, true}, "#000000": {true, true}, "#1b211e": {true, false}, "#0f5c4d": {true, true},
	} {
		a, _ := NewAccent(chosen)
		for n, theme := range []Theme{Light, Dark} {
			rule := a.Rule(theme)
			if (rule == chosen) != want[n] || Contrast(rule, theme.Surface) < lost {
				t.Errorf("%s: a rule of %s on %s", chosen, rule, theme.Surface)
			}
		}
	}
}

func TestOnlyAColourIsAnAccent(t *testing.T) {
	for _, typed := range []string{"", "#fff", "#GGGGGG", "#0F5C4D", "red", "#0f5c4d;}body{display:none", "0f5c4d0"} {
		if a, ok := NewAccent(typed); ok {
			t.Errorf("%q became %+v", typed, a)
		}
	}
}
