package page

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// The colours of tokens.css that the accent colour must contrast with, light and dark:
// the grounds it stands on (paper, surface, the soft grounds of notices), the line
// beside it, and the softest text, which stands on its soft shade.
const (
	lightPaper, lightSurface, lightAlert, lightHint = "#f5f4f0", "#ffffff", "#fbeceb", "#fbf2dc"
	darkPaper, darkSurface, darkAlert, darkHint     = "#121614", "#1b211e", "#3a2120", "#33291a"
	lightLine, lightInk                             = "#dedbd2", "#54605a"
	darkLine, darkInk                               = "#333c37", "#a9b3ad"
)

// The least contrasts of WCAG 2.2 AA: for text (1.4.3), and for what must be seen to
// use a control (1.4.11). For text we ask for a little more, because colours are
// rounded.
const (
	textContrast    = 4.6
	controlContrast = 3.05
)

var colourForm = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// Accent is a colour that somebody chose, with the shades used in its place where it
// would not be legible.
type Accent struct {
	Chosen      string  // "#rrggbb"
	OnWhite     float64 // contrast of the chosen colour to white, 1 to 21
	OnDark      float64 // and to our dark ground
	Light, Dark Shades
}

// Shades are the colours made of an accent for one theme, "#rrggbb".
type Shades struct{ Accent, Hover, Soft, On string }

// LegibleLight reports whether the colour is used on light grounds as it is.
func (a Accent) LegibleLight() bool { return a.Light.Accent == a.Chosen }

// LegibleDark reports whether the colour is used on dark grounds as it is.
func (a Accent) LegibleDark() bool { return a.Dark.Accent == a.Chosen }

// NewAccent makes the shades of a colour "#rrggbb" in lower case; it reports false for
// anything else. Text in and on the shades is always legible: where the colour itself
// is not, a darker or lighter one of the same hue takes its place.
func NewAccent(chosen string) (Accent, bool) {
	if !colourForm.MatchString(chosen) {
		return Accent{}, false
	}
	return Accent{
		Chosen: chosen, OnWhite: Contrast(chosen, lightSurface), OnDark: Contrast(chosen, darkPaper),
		Light: shades(chosen, "#000000", "#ffffff", lightInk, lightLine, 0.88, lightSurface, lightPaper, lightAlert, lightHint),
		Dark:  shades(chosen, "#ffffff", "#08120e", darkInk, darkLine, 0.87, darkSurface, darkPaper, darkAlert, darkHint),
	}, true
}

// shades moves the colour towards far until it is legible. soft is the share of the
// surface, which is the first of the grounds, in the soft shade.
func shades(chosen, far, on, ink, line string, soft float64, grounds ...string) Shades {
	const steps = 100
	for step := range steps {
		s := Shades{Accent: mix(chosen, far, float64(step)/steps), On: on}
		s.Hover = mix(s.Accent, far, 0.22)
		s.Soft = mix(s.Accent, grounds[0], soft)
		if least(s.Accent, append(grounds, s.Soft, on)...) >= textContrast && Contrast(s.Hover, on) >= textContrast &&
			Contrast(s.Accent, line) >= controlContrast && Contrast(ink, s.Soft) >= textContrast {
			return s
		}
	}
	return Shades{Accent: far, Hover: far, Soft: grounds[0], On: on}
}

func least(colour string, grounds ...string) float64 {
	worst := math.Inf(1)
	for _, g := range grounds {
		worst = min(worst, Contrast(colour, g))
	}
	return worst
}

// CSS is the style sheet that puts the shades in place of ours.
func (a Accent) CSS() []byte {
	return fmt.Appendf(nil, "@layer tokens{:root{--accent:light-dark(%s,%s);--accent-hover:light-dark(%s,%s);--accent-soft:light-dark(%s,%s);--on-accent:light-dark(%s,%s)}}\n",
		a.Light.Accent, a.Dark.Accent, a.Light.Hover, a.Dark.Hover, a.Light.Soft, a.Dark.Soft, a.Light.On, a.Dark.On)
}

// Contrast is the contrast of two colours "#rrggbb" after WCAG 2.2, 1 to 21.
func Contrast(a, b string) float64 {
	la, lb := relativeLuminance(a), relativeLuminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func relativeLuminance(colour string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := float64(channel(colour, i)) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func channel(colour string, i int) uint8 {
	n, _ := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8) // the form is checked
	return uint8(n)
}

// mix is a colour with a share of another, 0 to 1.
func mix(a, b string, share float64) string {
	out := "#"
	for i := range 3 {
		x, y := float64(channel(a, i)), float64(channel(b, i))
		out += fmt.Sprintf("%02x", uint8(math.Round(x+(y-x)*share)))
	}
	return out
}

// Samples is the style sheet of a page that shows the chosen colour and what
// becomes of it: of elements with the classes accent-chosen, accent-light and
// accent-dark.
func (a Accent) Samples() []byte {
	return fmt.Appendf(nil, "@layer components{.accent-chosen{background:%s}.accent-light{background:%s;color:%s}.accent-dark{background:%s;color:%s}}\n",
		a.Chosen, a.Light.Accent, a.Light.On, a.Dark.Accent, a.Dark.On)
}
