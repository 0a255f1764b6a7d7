package pdf

import (
	"strings"
	"unicode/utf8"
)

// Copy is what is stored about a person, as a list.
type Copy struct {
	Frame
	Title   string
	Name    string   // of the person
	Facts   []string // what stands below the name, a line each
	Address string   // of the same on the web
	Parts   []CopyPart
}

// CopyPart is what one table holds.
type CopyPart struct {
	Heading string
	Entries [][]Pair
}

// Pair is a value and what it says.
type Pair struct{ Label, Value string }

// longValue is from how many characters on a value is a text of its own.
const longValue = 160

// Long reports whether the value is a text of its own, below its label.
func (p Pair) Long() bool {
	return utf8.RuneCountInString(p.Value) > longValue || strings.Contains(p.Value, "\n")
}

// File is the copy as a PDF file. The same copy gives the same bytes. Internal: it cannot be
// written.
func (c Copy) File() ([]byte, error) {
	p := &paper{Frame: c.Frame, title: c.Title}
	p.begin(c.Title + " · " + c.Name)
	p.name(c.Title, c.Name, c.Facts...)
	place := p.count()
	p.link(c.Twin, c.Address)
	for _, part := range c.Parts {
		p.heading(part.Heading)
		for _, entry := range part.Entries {
			p.stay()
			for _, pair := range entry {
				p.pair(pair)
			}
			p.block(1, false, smallStyle, " ")
		}
	}
	p.explain(place)
	return p.write()
}

func (p *paper) pair(pair Pair) {
	if !pair.Long() {
		p.term(smallBold, pair.Label, []span{{pair.Value, textStyle}})
		return
	}
	p.block(2.2, true, smallBold, pair.Label)
	p.typed(0.5, 0, pair.Value)
}
