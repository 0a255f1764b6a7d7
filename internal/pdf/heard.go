package pdf

import (
	"codeberg.org/go-pdf/fpdf"

	"typus/internal/report"
)

// heard is what the team heard in its interviews and how it rated that, as the page has it.
func (p *paper) heard(r Report) {
	if len(r.Rated) == 0 {
		return
	}
	p.subheading(r.Say("guide.ratings"))
	p.text(textStyle, r.Say("guide.beside"))
	for _, q := range r.Rated {
		p.block(4, true, boldStyle, q.Ask)
		about := q.Dimension
		if q.Own {
			about = r.Say("core.own")
		}
		if q.Score != "" {
			about += ", " + r.Say("guide.score") + " " + q.Score
		}
		p.block(0, true, smallStyle, about)
		for _, h := range q.Ratings {
			p.rating(h)
		}
	}
}

// rating adds what one user heard.
func (p *paper) rating(h report.Heard) {
	mark, who := p.Say("guide.rating.none"), h.Author
	if h.Mark > 0 {
		mark = p.Say("guide.rated", "Mark", h.Mark)
	}
	if h.Informed {
		who += ", " + p.Say("guide.informed")
	}
	lines := p.wrap(width-indent, span{mark, cellBold}, span{" " + who, smallStyle})
	p.add(block{above: 2, height: tall(lines), keep: h.Note != "", draw: func(f *fpdf.Fpdf, y float64) { put(f, left+indent, y, lines) }})
	p.typed(0.3, indent, h.Note)
}
