package pdf

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
)

// The fonts are made by scripts/fonts; their licence stands beside them.
var (
	//go:embed fonts/NotoSans-Regular.ttf
	regularFont []byte
	//go:embed fonts/NotoSans-Bold.ttf
	boldFont []byte
)

// missing stands for a character that the fonts do not have.
const missing = '▯'

// lastRune is where the fonts end.
const lastRune = 0x2fff

// advance is how far a character reaches, in thousandths of the size. The zero value is that
// of a character that one of the fonts does not have.
type advance struct {
	regular, bold int16
	printed       bool
}

// of is the advance in a style.
func (a advance) of(s style) int {
	if s.bold {
		return int(a.bold)
	}
	return int(a.regular)
}

// advances are those of the characters up to lastRune.
type advances [lastRune + 1]advance

// of is the advance of any character.
func (a *advances) of(r rune) advance {
	if r < 0 || r > lastRune {
		return advance{}
	}
	return a[r]
}

// widths are the advances of each character that both fonts have. The library is asked for
// no width: it takes a character that a font does not have for one of the usual width, and
// dies of one above U+FFFF.
var widths = sync.OnceValue(func() *advances {
	all := &advances{}
	regular, bold := advancesOf(regularFont), advancesOf(boldFont)
	for r, w := range regular {
		if b, both := bold[r]; both {
			all[r] = advance{w, b, true}
		}
	}
	return all
})

func advancesOf(ttf []byte) map[rune]int16 {
	f, err := sfnt.Parse(ttf)
	if err != nil {
		panic(err) // embedded, and read by the tests
	}
	var buf sfnt.Buffer
	list := map[rune]int16{}
	for r := rune(' '); r <= lastRune; r++ {
		glyph, err := f.GlyphIndex(&buf, r)
		if err != nil || glyph == 0 {
			continue
		}
		if wide, err := f.GlyphAdvance(&buf, glyph, fixed.I(1000), font.HintingNone); err == nil {
			list[r] = int16(wide.Round())
		}
	}
	return list
}

// printable is a text as it can be printed, and whether something in it cannot be: such
// characters become ▯. Accents are put together with their letters, because the library
// places no accents, and every space that may be broken is a plain one.
func printable(text string) (string, bool) {
	have, lost := widths(), false
	text = strings.Map(func(r rune) rune {
		if r != '\u00a0' && r != '\u202f' && unicode.IsSpace(r) {
			return ' '
		}
		if !have.of(r).printed {
			lost = true
			return missing
		}
		return r
	}, norm.NFC.String(text))
	return text, lost
}
