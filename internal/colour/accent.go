// Package colour makes of a colour that somebody chose the shades in which words and buttons
// can be read and seen.
package colour

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
)

const white, black = "#ffffff", "#08120e" // words on what is filled

// The least contrasts of WCAG 2.2 AA: for text (1.4.3), and for what must be seen to
// use a control (1.4.11). For text we ask for a little more, because colours are
// rounded.
const (
	textContrast    = 4.6
	controlContrast = 3.05
	lost            = 1.25 // below it, nothing is seen at all (our choice)
)

var colourForm = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// Accent is a colour that somebody chose, with the shades used in its place where it
// would not be legible.
type Accent struct {
	Chosen      string  // "#rrggbb"
	OnWhite     float64 // contrast of the chosen colour to white, 1 to 21
	OnDark      float64 // and to our dark ground
	Light, Dark Shades
	Fill        Fill // the same in both themes
	// What keeps the chosen colour from being used as it is: the check that it fails by
	// most; zero if it fails none.
	WeakLight, WeakDark Check
}

// Check is a contrast that a colour must have to what it stands on, or beside.
type Check struct {
	Where            string // one of the On… below
	Contrast, Needed float64
}

func (c Check) fails() bool { return c.Contrast < c.Needed }

// Where an accent is checked.
const (
	OnSurface = "surface" // as a link on a card
	OnPaper   = "paper"   // on the ground of the page
	OnAlert   = "alert"   // on the ground of a warning
	OnHint    = "hint"    // on the ground of a hint
	OnSoft    = "soft"    // on its own soft shade
	OnLine    = "line"    // a bar beside the line that it fills
	OnInk     = "ink"     // soft text on its soft shade
)

// Shades are the colours made of an accent for one theme, "#rrggbb": of links and lines,
// under the pointer, and as a soft ground.
type Shades struct{ Accent, Hover, Soft string }

// Fill are the colours of what is filled with an accent, such as a button, "#rrggbb": its
// ground, also under the pointer, and the words on it.
type Fill struct{ Ground, Hover, Words string }

// LegibleLight reports whether links have the colour as it is on light grounds.
func (a Accent) LegibleLight() bool { return a.Light.Accent == a.Chosen }

// LegibleDark reports whether links have the colour as it is on dark grounds.
func (a Accent) LegibleDark() bool { return a.Dark.Accent == a.Chosen }

// NewAccent makes the shades of a colour "#rrggbb" in lower case; it reports false for
// anything else. Text in and on the shades is always legible: where the colour itself
// is not, a darker or lighter one of the same hue takes its place. What is filled keeps the
// colour as it is where white or dark words can be read on it: yellow stays yellow.
func NewAccent(chosen string) (Accent, bool) {
	if !colourForm.MatchString(chosen) {
		return Accent{}, false
	}
	a := Accent{Chosen: chosen, OnWhite: Contrast(chosen, Light.Surface), OnDark: Contrast(chosen, Dark.Paper)}
	a.Light, a.WeakLight = Light.shades(chosen)
	a.Dark, a.WeakDark = Dark.shades(chosen)
	a.Fill = newFill(chosen)
	return a, true
}

// newFill has white words if they can be read on the colour, else dark ones; a few colours
// between are darkened a little for white ones.
func newFill(chosen string) Fill {
	f := Fill{Ground: chosen, Words: white}
	if Contrast(chosen, white) < textContrast && Contrast(chosen, black) >= textContrast {
		f.Words = black
	}
	for Contrast(f.Ground, f.Words) < textContrast {
		f.Ground = mix(f.Ground, "#000000", 0.02)
	}
	away := "#000000" // from the words
	if f.Words == black {
		away = white
	}
	f.Hover = mix(f.Ground, away, 0.22)
	return f
}

// Theme are the colours of tokens.css, "#rrggbb", that an accent must contrast with: the
// grounds it stands on, the line beside it, and the softest text, which stands on its soft
// shade.
type Theme struct {
	Surface, Paper, Alert, Hint string
	Line, Ink                   string
	far                         string  // the end of the way on which an accent is moved to be legible
	soft                        float64 // share of the surface in the soft shade
}

// Light and Dark are the two themes of everything that people see.
var (
	Light = Theme{Surface: "#ffffff", Paper: "#f5f4f0", Alert: "#fbeceb", Hint: "#fbf2dc", Line: "#dedbd2", Ink: "#54605a", far: "#000000", soft: 0.88}
	Dark  = Theme{Surface: "#1b211e", Paper: "#121614", Alert: "#3a2120", Hint: "#33291a", Line: "#333c37", Ink: "#a9b3ad", far: "#ffffff", soft: 0.87}
)

// shades moves the colour towards the end of the way until it is legible, and says what the
// colour itself fails by most.
func (t Theme) shades(chosen string) (Shades, Check) {
	const steps = 100
	weak := Check{}
	for step := range steps {
		s := Shades{Accent: mix(chosen, t.far, float64(step)/steps)}
		s.Hover = mix(s.Accent, t.far, 0.22)
		s.Soft = mix(s.Accent, t.Surface, t.soft)
		worst := slices.MinFunc(t.checks(s), func(a, b Check) int { return cmp.Compare(a.Contrast/a.Needed, b.Contrast/b.Needed) })
		if !worst.fails() {
			return s, weak
		}
		if step == 0 {
			weak = worst
		}
	}
	return Shades{Accent: t.far, Hover: t.far, Soft: t.Surface}, weak
}

func (t Theme) checks(s Shades) []Check {
	return []Check{
		{OnSurface, Contrast(s.Accent, t.Surface), textContrast}, {OnPaper, Contrast(s.Accent, t.Paper), textContrast},
		{OnAlert, Contrast(s.Accent, t.Alert), textContrast}, {OnHint, Contrast(s.Accent, t.Hint), textContrast},
		{OnSoft, Contrast(s.Accent, s.Soft), textContrast}, {OnLine, Contrast(s.Accent, t.Line), controlContrast},
		{OnInk, Contrast(t.Ink, s.Soft), textContrast},
	}
}

// Rule is the colour of a line that is there for the sake of the colour, on the surface of a
// theme: the colour itself unless it is lost on it, as white is on white.
func (a Accent) Rule(on Theme) string {
	switch {
	case Contrast(a.Fill.Ground, on.Surface) >= lost:
		return a.Fill.Ground
	case on == Dark:
		return a.Dark.Accent
	}
	return a.Light.Accent
}

// CSS is the style sheet that puts the shades in place of ours.
func (a Accent) CSS() []byte { return fmt.Appendf(nil, "@layer tokens{:root{%s}}\n", a.tokens()) }

func (a Accent) tokens() string {
	return fmt.Sprintf("--accent:light-dark(%s,%s);--accent-hover:light-dark(%s,%s);--accent-soft:light-dark(%s,%s);--fill:%s;--fill-hover:%s;--on-fill:%s",
		a.Light.Accent, a.Dark.Accent, a.Light.Hover, a.Dark.Hover, a.Light.Soft, a.Dark.Soft,
		a.Fill.Ground, a.Fill.Hover, a.Fill.Words)
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

// Samples is the style sheet of a page that shows the chosen colour and what becomes of it:
// of elements with the classes accent-chosen, accent-light and accent-dark, and within those
// with the class stage, which show pages in that colour.
func (a Accent) Samples() []byte {
	return fmt.Appendf(nil, "@layer components{.accent-chosen{background:%s}.accent-light,.accent-dark{background:%s;color:%s}.stage{%s;--rule:light-dark(%s,%s)}}\n",
		a.Chosen, a.Fill.Ground, a.Fill.Words, a.tokens(), a.Rule(Light), a.Rule(Dark))
}
