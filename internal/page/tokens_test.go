package page

import (
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"testing"
)

// The least contrasts of WCAG 2.2 AA: of text (1.4.3), and of what must be seen
// to use a control (1.4.11).
const (
	legible = 4.5
	visible = 3.0
)

func TestColoursAreLegibleOnEachOtherInBothThemes(t *testing.T) {
	pairs := []struct {
		front, back string
		least       float64
	}{
		{"ink", "paper", legible}, {"ink", "surface", legible}, {"ink", "sunken", legible},
		{"ink", "accent-soft", legible}, {"ink", "alert-soft", legible}, {"ink", "hint-soft", legible},
		{"ink-soft", "paper", legible}, {"ink-soft", "surface", legible}, {"ink-soft", "accent-soft", legible},
		{"ink-soft", "sunken", legible}, {"ink-soft", "alert-soft", legible}, {"ink-soft", "hint-soft", legible},
		{"accent", "paper", legible}, {"accent", "surface", legible}, {"accent", "accent-soft", legible},
		{"accent", "alert-soft", legible}, {"accent", "hint-soft", legible},
		{"accent-hover", "paper", legible}, {"accent-hover", "surface", legible},
		{"on-fill", "fill", legible}, {"on-fill", "fill-hover", legible},
		{"alert", "surface", legible}, {"alert", "paper", legible}, {"alert", "alert-soft", legible},
		{"hint", "hint-soft", legible}, {"hint", "surface", legible}, {"hint", "paper", legible},
		{"on-test", "test", legible}, {"test", "surface", legible}, {"test", "paper", legible},
		{"line-strong", "surface", visible}, {"line-strong", "paper", visible},
		{"accent", "line", visible}, // the progress bar
		{"person-one", "surface", visible}, {"person-two", "surface", visible}, {"person-three", "surface", visible},
		{"person-four", "surface", visible}, {"person-five", "surface", visible},
	}
	colours := tokens(t)
	for theme := range 2 {
		for _, p := range pairs {
			front, back := colours[p.front], colours[p.back]
			if front[theme] == "" || back[theme] == "" {
				t.Fatalf("there is no colour %s or %s", p.front, p.back)
			}
			if got := contrast(luminance(t, front[theme]), luminance(t, back[theme])); got < p.least {
				t.Errorf("%s on %s: %.2f, at least %.1f (theme %d)", p.front, p.back, got, p.least, theme)
			}
		}
	}
}

// tokens are the colours by name, light and dark.
func tokens(t *testing.T) map[string][2]string {
	t.Helper()
	css, err := fs.ReadFile(files, "static/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	colours := map[string][2]string{}
	for _, m := range regexp.MustCompile(`--([a-z-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\);`).FindAllStringSubmatch(string(css), -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	return colours
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }
