package roster

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	utf16 "golang.org/x/text/encoding/unicode"
)

// Encoding is how the characters of a file are written, "" where nobody knows.
type Encoding string

// The encodings that are read.
const (
	UTF8        Encoding = "utf-8"
	UTF16LE     Encoding = "utf-16le"
	UTF16BE     Encoding = "utf-16be"
	Windows1252 Encoding = "windows-1252" // western Europe
	Windows1250 Encoding = "windows-1250" // central Europe
	MacRoman    Encoding = "macintosh"    // Excel for Mac
	CP850       Encoding = "cp850"        // DOS
)

// Encodings lists them, the likely ones first.
func Encodings() []Encoding {
	return []Encoding{UTF8, Windows1252, MacRoman, CP850, Windows1250, UTF16LE, UTF16BE}
}

// charmaps are the encodings with one byte for a character. Of two that fit a file
// alike the first counts.
var charmaps = []struct {
	encoding Encoding
	charmap  *charmap.Charmap
}{{Windows1252, charmap.Windows1252}, {MacRoman, charmap.Macintosh}, {CP850, charmap.CodePage850}, {Windows1250, charmap.Windows1250}}

const utf8Mark = "\xef\xbb\xbf"

// decode returns the file as text. False: it holds what no text does.
func (t *Table) decode(body []byte) (string, bool) {
	if t.How.Encoding == "" {
		t.How.Encoding, t.Why.Encoding = guessEncoding(body)
	}
	text, ok := decoded(body, t.How.Encoding)
	if t.Why.Encoding == ByLetters || t.Why.Encoding == ByFalseMark {
		t.Why.Example = exampleIn(text)
	}
	return text, ok
}

// decoded reads a file in an encoding.
func decoded(body []byte, in Encoding) (string, bool) {
	switch in {
	case UTF16LE:
		return wide(body, utf16.LittleEndian)
	case UTF16BE:
		return wide(body, utf16.BigEndian)
	}
	body = bytes.TrimPrefix(body, []byte(utf8Mark))
	for _, c := range charmaps {
		if c.encoding == in {
			text, err := c.charmap.NewDecoder().Bytes(body)
			return textOnly(text, err)
		}
	}
	return textOnly(body, nil)
}

// textOnly refuses a text with NUL, which only something other than text has.
func textOnly(body []byte, err error) (string, bool) {
	return strings.ToValidUTF8(string(body), string(utf8.RuneError)), err == nil && bytes.IndexByte(body, 0) < 0
}

func wide(body []byte, order utf16.Endianness) (string, bool) {
	return textOnly(utf16.UTF16(order, utf16.UseBOM).NewDecoder().Bytes(body))
}

// guessEncoding finds out how a file is written. A byte order mark decides, unless what
// follows contradicts it. Without one it is UTF-16 if every other byte tends to be zero,
// UTF-8 if nearly all bytes make sense in it, and else whatever makes words of the
// letters beyond ASCII.
func guessEncoding(body []byte) (Encoding, Why) {
	rest, marked := bytes.CutPrefix(body, []byte(utf8Mark))
	well, broken := utf8Runes(rest)
	switch {
	case marked && well >= broken:
		return UTF8, ByMark
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return UTF16LE, ByMark
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return UTF16BE, ByMark
	case utf16Zeros(body, 1):
		return UTF16LE, ByZeros
	case utf16Zeros(body, 0):
		return UTF16BE, ByZeros
	case well+broken == 0:
		return UTF8, ByASCII
	case broken == 0:
		return UTF8, ByValid
	case well > broken:
		return UTF8, ByMost
	case marked:
		return byLetters(rest), ByFalseMark
	}
	return byLetters(rest), ByLetters
}

// utf8Runes counts the characters beyond ASCII that are whole in UTF-8, and the bytes
// that make no sense there.
func utf8Runes(body []byte) (int, int) {
	well, broken := 0, 0
	for at := 0; at < len(body); {
		if body[at] < utf8.RuneSelf {
			at++
			continue
		}
		r, size := utf8.DecodeRune(body[at:])
		if r == utf8.RuneError && size == 1 {
			broken++
		} else {
			well++
		}
		at += size
	}
	return well, broken
}

// utf16Zeros reports whether the bytes at even (0) or odd (1) places are mostly
// zero and the others are not: letters of our languages in UTF-16.
func utf16Zeros(body []byte, at int) bool {
	head := body[:min(len(body), 4096)]
	here, there := 0, 0
	for i, b := range head {
		switch {
		case b != 0:
		case i%2 == at:
			here++
		default:
			there++
		}
	}
	return len(head) >= 4 && here > len(head)/4 && there == 0
}

// byLetters is the encoding in which the letters beyond ASCII look most like those of
// names.
func byLetters(body []byte) Encoding {
	best, bestScore := Windows1252, 0
	for n, c := range charmaps {
		var letter [256]rune
		for b := range letter {
			letter[b] = c.charmap.DecodeByte(byte(b))
		}
		score := 0
		for i, b := range body {
			if b >= utf8.RuneSelf {
				score += likely(neighbour(body, i-1, &letter), letter[b], neighbour(body, i+1, &letter))
			}
		}
		if c.encoding == MacRoman && bytes.IndexByte(body, '\n') < 0 {
			score++ // lines end as on an old Mac
		}
		if n == 0 || score > bestScore {
			best, bestScore = c.encoding, score
		}
	}
	return best
}

func neighbour(body []byte, at int, letter *[256]rune) rune {
	if at < 0 || at >= len(body) {
		return ' '
	}
	return letter[body[at]]
}

// The letters beyond ASCII that names in our countries have, and the signs that texts have.
const (
	umlauts  = "äöüßÄÖÜ"
	accented = "éèêëáàâãåæçíìîïñóòôõøúùûýœšžłśżźćńąęčřěůőűğışÉÈÊÁÀÂÅÆÇÍÎÑÓÔØÚÛÝŁŚŻŹĆŃČŘŠŽŞİ"
	signs    = "“”„‘’‚–—…«»€§©®°•\u00a0"
)

// likely says how well a character beyond ASCII fits between its neighbours.
func likely(before, r, after rune) int {
	between := unicode.IsLetter(before) && unicode.IsLetter(after)
	switch {
	case r == utf8.RuneError, unicode.IsControl(r):
		return -8
	case r == '’' && between:
		return 2
	case !unicode.IsLetter(r) && between:
		return -4
	case strings.ContainsRune(signs, r):
		return 0
	case !unicode.IsLetter(r):
		return -1
	case !unicode.IsLetter(before) && !unicode.IsLetter(after):
		return 0
	case unicode.IsUpper(r) && unicode.IsLetter(before) && (unicode.IsLower(before) || unicode.IsLower(after)):
		return -4
	case unicode.IsLower(r) && unicode.IsUpper(before) && unicode.IsUpper(after):
		return -2
	case strings.ContainsRune(umlauts, r):
		return 3
	case strings.ContainsRune(accented, r):
		return 2
	}
	return 0
}

// exampleIn is the first word of a text with a letter beyond ASCII, "" if there is none.
func exampleIn(text string) string {
	words := strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) })
	for word := range words {
		if slices.ContainsFunc([]rune(word), func(r rune) bool { return r >= utf8.RuneSelf && r != utf8.RuneError }) {
			return Short(word)
		}
	}
	return ""
}
