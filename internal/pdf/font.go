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

// widths are the advances of each character that both fonts have, in thousandths of the
// size: regular, bold. The library is asked for no width: it takes a character that a
// font does not have for one of the usual width, and dies of one above U+FFFF.
var widths = sync.OnceValue(func() map[rune][2]int {
	all := map[rune][2]int{}
	regular, bold := advances(regularFont), advances(boldFont)
	for r, w := range regular {
		if b, both := bold[r]; both {
			all[r] = [2]int{w, b}
		}
	}
	return all
})

func advances(ttf []byte) map[rune]int {
	f, err := sfnt.Parse(ttf)
	if err != nil {
		panic(err) // embedded, and read by the tests
	}
	var buf sfnt.Buffer
	list := map[rune]int{}
	for r := rune(' '); r <= lastRune; r++ {
		glyph, err := f.GlyphIndex(&buf, r)
		if err != nil || glyph == 0 {
			continue
		}
		if advance, err := f.GlyphAdvance(&buf, glyph, fixed.I(1000), font.HintingNone); err == nil {
			list[r] = advance.Round()
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
		if _, printed := have[r]; !printed {
			lost = true
			return missing
		}
		return r
	}, norm.NFC.String(text))
	return text, lost
}
