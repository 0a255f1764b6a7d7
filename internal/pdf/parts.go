package pdf

import (
	"strings"

	"codeberg.org/go-pdf/fpdf"
)

// labels is how wide the column of labels is.
const labels = 44.0

// betweenParagraphs is the room between two paragraphs of a text.
const betweenParagraphs = 2.2

// name begins a part with what it is and whom it is about. Whoever has no name is
// called —.
func (p *paper) name(what, who string, lines ...string) {
	if strings.TrimSpace(who) == "" {
		who = "—"
	}
	p.block(0, true, smallBold.with(accent), what)
	p.block(0.5, false, fitting(who), who)
	for _, l := range lines {
		if l != "" {
			p.block(0.5, false, smallStyle, l)
		}
	}
}

// fitting is the style of a title: a long one is smaller.
func fitting(title string) style {
	s := titleStyle
	if shown, _ := printable(title); wide(shown, s) > 2*width {
		s.size = headingStyle.size
	}
	return s
}

// with is the same style in another colour.
func (s style) with(c colour) style { s.ink = c; return s }

// block adds a text that may be kept with the next one.
func (p *paper) block(above float64, keep bool, s style, text string) {
	lines := p.wrap(width, span{text, s})
	p.add(block{above: above, height: tall(lines), keep: keep, draw: func(f *fpdf.Fpdf, y float64) { put(f, left, y, lines) }})
}

// heading adds a heading, which is a bookmark too.
func (p *paper) heading(text string) {
	text = p.print(text)
	lines := p.wrap(width, span{text, headingStyle})
	p.add(block{above: 6, height: tall(lines) + 1, keep: true, draw: func(f *fpdf.Fpdf, y float64) {
		f.Bookmark(text, 0, y-2)
		put(f, left, y, lines)
	}})
}

// subheading adds a heading within a section.
func (p *paper) subheading(text string) { p.block(4, true, partStyle, text) }

// text adds a paragraph for each line of a text. One that is longer than most is cut where
// a page ends, all others stay whole.
func (p *paper) text(s style, text string) {
	for paragraph := range strings.Lines(text) {
		p.paragraph(2, span{strings.TrimRight(paragraph, "\n"), s})
	}
}

// stay keeps what was added last with what comes next.
func (p *paper) stay() {
	blocks := p.parts[len(p.parts)-1].blocks
	blocks[len(blocks)-1].keep = true
}

func (p *paper) paragraph(above float64, spans ...span) {
	lines := p.wrap(width, spans...)
	if len(lines) <= longParagraph {
		p.lines(above, lines)
		return
	}
	for i, l := range lines {
		if i > 0 {
			above = 0
		}
		p.lines(above, []line{l})
	}
}

func (p *paper) lines(above float64, lines []line) {
	p.add(block{above: above, height: tall(lines), draw: func(f *fpdf.Fpdf, y float64) { put(f, left, y, lines) }})
}

// typed adds what somebody typed, as it was typed.
func (p *paper) typed(above, inset float64, text string) {
	p.flow(above, inset, p.paragraphs(inset, text))
}

// paragraphs are what somebody typed: its lines are lines, and empty ones part paragraphs.
func (p *paper) paragraphs(inset float64, text string) [][]line {
	all := [][]line{nil}
	for typed := range strings.Lines(text) {
		lines := p.wrap(width-inset, span{strings.TrimRight(typed, "\n"), textStyle})
		if len(lines) == 0 && len(all[len(all)-1]) > 0 {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], lines...)
	}
	return all
}

// flow adds paragraphs. A page may end within one, but not behind its first line nor before
// its last.
func (p *paper) flow(above, inset float64, paragraphs [][]line) {
	for _, lines := range paragraphs {
		for i, l := range lines {
			p.add(block{above: above, height: l.height(), keep: i == 0 && len(lines) > 1 || i == len(lines)-2, draw: func(f *fpdf.Fpdf, y float64) {
				put(f, left+inset, y, lines[i:i+1])
			}})
			above = 0
		}
		if len(lines) > 0 {
			above = betweenParagraphs
		}
	}
}

// linesIn is how many lines paragraphs have.
func linesIn(paragraphs [][]line) int {
	sum := 0
	for _, lines := range paragraphs {
		sum += len(lines)
	}
	return sum
}

// term adds a label with what is said about it.
func (p *paper) term(label style, name string, paragraphs ...[]span) {
	names := p.wrap(labels-4, span{name, label})
	var lines []line
	for _, spans := range paragraphs {
		lines = append(lines, p.wrap(width-labels, spans...)...)
	}
	p.add(block{above: 2.2, height: max(tall(names), tall(lines)), draw: func(f *fpdf.Fpdf, y float64) {
		put(f, left, y, names)
		put(f, left+labels, y, lines)
	}})
}

// box adds paragraphs in a frame with a bar at its left.
func (p *paper) box(above float64, edge, ground colour, paragraphs ...[]span) {
	const pad = 3.5
	var all [][]line
	height := pad
	for _, spans := range paragraphs {
		lines := p.wrap(width-3*pad, spans...)
		all = append(all, lines)
		height += tall(lines) + 1.2
	}
	height += pad - 1.2
	p.add(block{above: above, height: height, draw: func(f *fpdf.Fpdf, y float64) {
		fill(f, ground)
		f.Rect(left, y, width, height, "F")
		fill(f, edge)
		f.Rect(left, y, 1.2, height, "F")
		y += pad
		for _, lines := range all {
			y = put(f, left+2*pad, y, lines) + 1.2
		}
	}})
}

// link adds a sentence that leads to a page of the web.
func (p *paper) link(sentence, address string) {
	if address == "" {
		return
	}
	lines := p.wrap(width, span{sentence, linkStyle})
	p.add(block{above: 2, height: tall(lines), draw: func(f *fpdf.Fpdf, y float64) {
		end := put(f, left, y, lines)
		stroke(f, accent, 0.2)
		f.Line(left, end-0.6, left+lines[0][0].width, end-0.6)
		f.LinkString(left, y, lines[0][0].width, end-y, address)
	}})
}

// explain says at a place of the part what ▯ stands for, if the part has one.
func (p *paper) explain(place int) {
	if !p.lost {
		return
	}
	t := &p.parts[len(p.parts)-1]
	end := len(t.blocks)
	p.block(1, false, smallStyle, p.Unprinted)
	note := t.blocks[end]
	copy(t.blocks[place+1:], t.blocks[place:end])
	t.blocks[place] = note
}

// count is how many blocks the part has so far.
func (p *paper) count() int { return len(p.parts[len(p.parts)-1].blocks) }
