package pdf

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"typus"
)

// The sheet of paper, A4, in millimetres.
const (
	left, right   = 20.0, 190.0
	width         = right - left
	firstTop      = 16.0 // of the page with the title
	top           = 27.0 // of the others, below their head
	bottom        = 279.0
	headLine      = 17.0
	footLine      = 287.0
	millimetres   = 25.4 / 72 // of a point
	leading       = 1.35      // from one line to the next, in parts of the size
	longParagraph = 24        // lines; a longer one may be cut by the end of a page
)

// colour is red, green, blue.
type colour [3]int

// The colours of the pages on white; what is transparent there is mixed here.
var (
	ink       = colour{0x17, 0x21, 0x1d}
	soft      = colour{0x54, 0x60, 0x5a}
	hairline  = colour{0xde, 0xdb, 0xd2}
	strong    = colour{0x7f, 0x8a, 0x84}
	accent    = colour{0x0f, 0x5c, 0x4d}
	faint     = colour{0xe2, 0xef, 0xea} // of accent
	alert     = colour{0x9f, 0x23, 0x23}
	alertSoft = colour{0xfb, 0xec, 0xeb}
	hint      = colour{0x7a, 0x4f, 0x00}
	hintSoft  = colour{0xfb, 0xf2, 0xdc}
	zoneFill  = colour{0xee, 0xe8, 0xde}
	barFill   = colour{0x9f, 0xbe, 0xb8}
	white     = colour{0xff, 0xff, 0xff}
)

// style is how words look; size in points.
type style struct {
	size float64
	bold bool
	ink  colour
}

// The styles of a file.
var (
	titleStyle   = style{19, true, ink}
	headingStyle = style{13, true, ink}
	partStyle    = style{10.5, true, ink}
	leadStyle    = style{10, true, ink}
	textStyle    = style{9.5, false, ink}
	boldStyle    = style{9.5, true, ink}
	smallStyle   = style{8.5, false, soft}
	smallBold    = style{8.5, true, soft}
	cellStyle    = style{9, false, ink}
	cellBold     = style{9, true, ink}
	linkStyle    = style{9.5, false, accent}
)

// height of a line.
func (s style) height() float64 { return s.size * millimetres * leading }

// span is a piece of a text in one style.
type span struct {
	text string
	style
}

// run is a piece of a line, as it is printed.
type run struct {
	text  string
	x     float64 // from the beginning of the line
	width float64
	style
}

// line is what stands beside each other.
type line []run

// block is what is never cut by the end of a page, if it is not longer than a page.
type block struct {
	above   float64 // room before it, except at the top of a page
	height  float64
	keep    bool     // it stays with the next one
	stretch *float64 // how much higher its page lets it be; nil: it has no use for that
	draw    func(f *fpdf.Fpdf, y float64)
}

// part is a person's share of a file: it begins on a page of its own, and its pages are
// counted.
type part struct {
	short  string // what stands above every page but the first
	blocks []block
}

// paper is a file in the making.
type paper struct {
	Frame
	title string
	parts []part
	lost  bool // the part has a character that cannot be printed
}

func (p *paper) begin(short string) {
	p.parts = append(p.parts, part{short: short})
	p.lost = false
}

func (p *paper) add(b block) {
	last := &p.parts[len(p.parts)-1]
	last.blocks = append(last.blocks, b)
}

// print is a text as it can be printed. The part remembers what cannot be.
func (p *paper) print(text string) string {
	text, lost := printable(text)
	p.lost = p.lost || lost
	return text
}

// wide is how wide a text is in millimetres; it has been through print.
func wide(text string, s style) float64 {
	have, sum := widths(), 0
	for _, r := range text {
		sum += have.of(r).of(s)
	}
	return float64(sum) * s.unit()
}

// unit is what a thousandth of the size is in millimetres.
func (s style) unit() float64 { return s.size * millimetres / 1000 }

// wrap breaks a text into lines at its spaces, and a word that is wider than a line
// anywhere.
func (p *paper) wrap(room float64, spans ...span) []line {
	var lines []line
	var now line
	end := 0.0
	for _, s := range spans {
		text, space := single(p.print(s.text)), wide(" ", s.style)
		from := -1 // where the open run begins in the text
		for at := 0; at < len(text); at++ {
			gap := 0.0
			if at > 0 && len(now) > 0 {
				gap = space
			}
			word, _, _ := strings.Cut(text[at:], " ")
			for word != "" {
				piece, w := fitted(word, s.style, room)
				if len(now) > 0 && end+gap+w > room {
					lines, now, end, gap, from = append(lines, now), nil, 0, 0, -1
				}
				if from < 0 {
					from, now = at, append(now, run{x: end, style: s.style})
					if gap > 0 {
						from-- // with the space before it
					}
				}
				at += len(piece)
				last := &now[len(now)-1]
				last.text, last.width = text[from:at], last.width+gap+w
				end, gap, word = end+gap+w, 0, word[len(piece):]
			}
		}
	}
	if len(now) > 0 {
		lines = append(lines, now)
	}
	return lines
}

// single is a text with no two spaces beside each other.
func single(text string) string {
	for strings.Contains(text, "  ") {
		text = strings.ReplaceAll(text, "  ", " ")
	}
	return text
}

// fitted is as much of the beginning of a word as fits into a line, one character at least,
// and how wide that is.
func fitted(word string, s style, room float64) (string, float64) {
	have, sum, most := widths(), 0, int(room/s.unit())
	for i, r := range word {
		w := have.of(r).of(s)
		if sum+w > most && i > 0 {
			return word[:i], float64(sum) * s.unit()
		}
		sum += w
	}
	return word, float64(sum) * s.unit()
}

// tall is how much room lines need.
func tall(lines []line) float64 {
	sum := 0.0
	for _, l := range lines {
		sum += l.height()
	}
	return sum
}

func (l line) height() float64 {
	most := 0.0
	for _, r := range l {
		most = max(most, r.style.height())
	}
	return most
}

// put prints lines below a place and returns the place below them.
func put(f *fpdf.Fpdf, x, y float64, lines []line) float64 {
	for _, l := range lines {
		h := l.height()
		for _, r := range l {
			at(f, x+r.x, y+h*0.76, r.text, r.style)
		}
		y += h
	}
	return y
}

// at prints words on a base line.
func at(f *fpdf.Fpdf, x, base float64, words string, s style) {
	bold := ""
	if s.bold {
		bold = "B"
	}
	if size, _ := f.GetFontSize(); size != s.size || f.GetFontStyle() != bold || f.GetFontFamily() == "" { // each time is written down
		f.SetFont("noto", bold, s.size)
	}
	f.SetTextColor(s.ink[0], s.ink[1], s.ink[2])
	f.Text(x, base, words)
}

// until prints words that end at a place.
func until(f *fpdf.Fpdf, x, base float64, words string, s style) {
	at(f, x-wide(words, s), base, words, s)
}

func fill(f *fpdf.Fpdf, c colour) { f.SetFillColor(c[0], c[1], c[2]) }

func stroke(f *fpdf.Fpdf, c colour, width float64) {
	f.SetDrawColor(c[0], c[1], c[2])
	f.SetLineWidth(width)
}

// pages shares the blocks of a part out to pages.
func (t part) pages() [][]placed {
	var all [][]placed
	var now []placed
	y := firstTop
	for i := 0; i < len(t.blocks); {
		n := together(t.blocks[i:])
		if len(now) > 0 && y+needs(t.blocks[i:i+n]) > bottom {
			all, now, y = append(all, stretched(now)), nil, top
		}
		for _, b := range t.blocks[i : i+n] {
			if len(now) > 0 {
				y += b.above
			}
			now = append(now, placed{b, y})
			y += b.height
		}
		i += n
	}
	return append(all, stretched(now))
}

// mostStretch is how much higher a block can be for the room that is left on its page.
const mostStretch = 20.0

// stretched shares the room that is left on a page out to the blocks that have a use for it.
func stretched(page []placed) []placed {
	var list []*float64
	for _, b := range page {
		if b.stretch != nil {
			list = append(list, b.stretch)
		}
	}
	last := page[len(page)-1]
	more := min(max(0, bottom-last.y-last.height)/float64(max(1, len(list))), mostStretch)
	down := 0.0
	for i := range page {
		page[i].y += down
		if s := page[i].stretch; s != nil {
			*s, down = more, down+more
		}
	}
	return page
}

// placed is a block and where it begins.
type placed struct {
	block
	y float64
}

// together is how many of the first blocks stay together.
func together(blocks []block) int {
	n := 1
	for n < len(blocks) && blocks[n-1].keep {
		n++
	}
	return n
}

func needs(blocks []block) float64 {
	sum := 0.0
	for _, b := range blocks {
		sum += b.above + b.height
	}
	return sum
}

// write makes the file. The library takes the fonts apart in place, so each file has its
// own.
func (p *paper) write() ([]byte, error) {
	f := fpdf.New("P", "mm", "A4", "")
	f.SetAutoPageBreak(false, 0)
	f.SetCatalogSort(true)
	f.SetCreationDate(p.Made.UTC())
	f.SetModificationDate(p.Made.UTC())
	f.SetLang(p.Language)
	f.SetTitle(p.print(p.title), true)
	f.SetCreator("Typus", true)
	f.AddUTF8FontFromBytes("noto", "", slices.Clone(regularFont))
	f.AddUTF8FontFromBytes("noto", "B", slices.Clone(boldFont))
	for _, t := range p.parts {
		pages := t.pages()
		for n, blocks := range pages {
			f.AddPage()
			if n > 0 {
				p.head(f, t.short)
			}
			for _, b := range blocks {
				b.draw(f, b.y)
			}
			p.foot(f, n+1, len(pages))
		}
	}
	var file bytes.Buffer
	if err := f.Output(&file); err != nil {
		return nil, typus.Errorf(typus.Internal, "a PDF file cannot be written").WithCause(err)
	}
	return file.Bytes(), nil
}

// head stands above every page but the first, which says more.
func (p *paper) head(f *fpdf.Fpdf, short string) {
	caveat := p.print(p.Short)
	until(f, right, headLine, caveat, smallBold)
	at(f, left, headLine, cut(p.print(short), smallStyle, width-wide(caveat, smallBold)-6), smallStyle)
	stroke(f, hairline, 0.2)
	f.Line(left, headLine+2.5, right, headLine+2.5)
}

func (p *paper) foot(f *fpdf.Fpdf, page, of int) {
	at(f, left, footLine, cut(p.print(p.Foot), smallStyle, width-40), smallStyle)
	until(f, right, footLine, p.print(p.Page(page, of)), smallStyle)
}

// cut is a text that fits into a room, with … for what does not.
func cut(text string, s style, room float64) string {
	if wide(text, s) <= room {
		return text
	}
	whole, _ := fitted(text, s, room-wide("…", s))
	return strings.TrimRight(whole, " ") + "…"
}

// Frame is what every file has around what it says.
type Frame struct {
	Language  string // "de" or "en"
	Say       Say
	Made      time.Time // what the file gives as its date; the same file always has the same
	Short     string    // above each page but the first: what must not be forgotten
	Foot      string    // below each page
	Page      func(page, of int) string
	Moment    func(at time.Time) string // a time in words
	Twin      string                    // the sentence that leads whoever uses a screen reader to the web page
	Unprinted string                    // the sentence that says what ▯ stands for
}

// Say is a text of the pages by its key, with its placeholders filled from pairs of name
// and value, in the language of the file.
type Say func(key string, pairs ...any) string
