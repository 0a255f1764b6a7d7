package pdf

import (
	"strconv"

	"codeberg.org/go-pdf/fpdf"

	"typus/internal/report"
)

// The columns of the table of dimensions: the name, the drawing, and where the figures
// end.
const (
	chartLeft  = left + 58
	chartWidth = 54.0
	scoreEnd   = left + 124
	bandEnd    = left + 147
	dimRow     = 7.0 // so that all nine fit on page one where nothing was found in the answers
)

// dimensions adds the nine with their bars, bands and zones, and the figures beside them.
func (p *paper) dimensions(dims []report.Dimension) {
	p.legend()
	chart := report.Bars(dims, report.Area{Width: chartWidth, Row: dimRow})
	var names [][]line
	for _, d := range dims {
		names = append(names, p.wrap(chartLeft-left-4, span{d.Name, cellBold}))
	}
	var heads [4]string
	for i, key := range []string{"report.profile.dimension", "report.profile.bar", "report.profile.band", "report.profile.target"} {
		heads[i] = p.print(p.Say(key))
	}
	const head = 7.0
	p.add(block{above: 1.5, height: head + chart.Height, draw: func(f *fpdf.Fpdf, y float64) {
		base := y + head - 3
		at(f, left, base, heads[0], smallBold)
		for _, t := range chart.Ticks {
			tick(f, chartLeft+t.X, base, t.Score)
		}
		until(f, scoreEnd, base, heads[1], smallBold)
		until(f, bandEnd, base, heads[2], smallBold)
		until(f, right, base, heads[3], smallBold)
		y += head
		p.grid(f, y, chart)
		for i, row := range chart.Rows {
			p.dimension(f, y+float64(i)*dimRow, y, names[i], row, dims[i])
		}
	}})
}

// middle prints words around a place.
func middle(f *fpdf.Fpdf, x, base float64, words string, s style) {
	at(f, x-wide(words, s)/2, base, words, s)
}

// tick prints a score of the scale; its ends do not stand out.
func tick(f *fpdf.Fpdf, x, base float64, score int) {
	words := strconv.Itoa(score)
	switch score {
	case 0:
		at(f, x, base, words, smallStyle)
	case 100:
		until(f, x, base, words, smallStyle)
	default:
		middle(f, x, base, words, smallStyle)
	}
}

// grid draws the zones, the lines of the scale and those between the rows.
func (p *paper) grid(f *fpdf.Fpdf, y float64, chart report.Chart) {
	stroke(f, hairline, 0.2)
	for i := range len(chart.Rows) + 1 {
		f.Line(left, y+float64(i)*dimRow, right, y+float64(i)*dimRow)
	}
	for _, row := range chart.Rows {
		if row.Zone != nil {
			zone(f, chartLeft+row.Zone.X, y+row.Zone.Y, row.Zone.Width, row.Zone.Height)
		}
	}
	for _, t := range chart.Ticks {
		if t.Score == 50 {
			mean(f, chartLeft+t.X, y, y+chart.Height)
			continue
		}
		stroke(f, hairline, 0.2)
		f.Line(chartLeft+t.X, y, chartLeft+t.X, y+chart.Height)
	}
}

// dimension is a row: its words, its bar, and its figures.
func (p *paper) dimension(f *fpdf.Fpdf, y, origin float64, name []line, row report.Row, d report.Dimension) {
	put(f, left, y+(dimRow-tall(name))/2, name)
	base := y + dimRow/2 + 1.1
	if d.Scored {
		bar(f, chartLeft, origin, row)
		until(f, scoreEnd, base, strconv.Itoa(d.Score), cellBold)
		until(f, bandEnd, base, p.span(d.Low, d.High), cellStyle)
	} else {
		until(f, bandEnd, base, p.print(p.Say("report.profile.open")), cellStyle.with(soft))
	}
	target := p.print(p.Say("report.profile.none"))
	if d.Zone != nil {
		target = p.span(d.Zone.Low, d.Zone.High)
	}
	until(f, right, base, target, cellStyle)
}

// span is from one score to another.
func (p *paper) span(low, high int) string {
	return p.print(p.Say("report.range", "Low", low, "High", high))
}

func zone(f *fpdf.Fpdf, x, y, w, h float64) {
	fill(f, zoneFill)
	stroke(f, hint, 0.3)
	f.RoundedRect(x, y, w, h, min(0.7, w/2), "1234", "FD")
}

// mean is the dashed line at the score that the norm is around.
func mean(f *fpdf.Fpdf, x, from, to float64) {
	stroke(f, soft, 0.25)
	f.SetDashPattern([]float64{0.9, 0.9}, 0)
	f.Line(x, from, x, to)
	f.SetDashPattern(nil, 0)
}

// bar draws a score with its band, at the place of the chart.
func bar(f *fpdf.Fpdf, x, y float64, row report.Row) {
	box(f, x+row.Bar.X, y+row.Bar.Y, row.Bar.Width, row.Bar.Height)
	whisker(f, x+row.Band.From, x+row.Band.To, y+row.Middle, y+row.Band.Top, y+row.Band.Bottom)
	mark(f, x+row.Band.Mark, y+row.Middle)
}

func box(f *fpdf.Fpdf, x, y, w, h float64) {
	fill(f, barFill)
	stroke(f, accent, 0.2)
	f.Rect(x, y, w, h, "FD")
}

func whisker(f *fpdf.Fpdf, from, to, middle, top, bottom float64) {
	stroke(f, ink, 0.4)
	f.Line(from, middle, to, middle)
	f.Line(from, top, from, bottom)
	f.Line(to, top, to, bottom)
}

func mark(f *fpdf.Fpdf, x, y float64) {
	fill(f, ink)
	stroke(f, white, 0.3)
	f.Circle(x, y, 1.05, "FD")
}

// legend says what the drawing is made of.
func (p *paper) legend() {
	const sample, gap = 8.0, 7.0
	s := smallStyle
	words := []string{p.Say("report.profile.bar"), p.Say("report.profile.band"), p.Say("report.profile.zone"), p.Say("report.profile.mean")}
	for i := range words {
		words[i] = p.print(words[i])
	}
	p.add(block{above: 2, height: s.height(), keep: true, draw: func(f *fpdf.Fpdf, y float64) {
		x, middle := left, y+s.height()/2
		draw := []func(){
			func() { box(f, x, middle-1, 5, 2); mark(f, x+5, middle) },
			func() { whisker(f, x, x+6, middle, middle-1.3, middle+1.3) },
			func() { zone(f, x, middle-1.7, 6, 3.4) },
			func() { mean(f, x+3, middle-2, middle+2) },
		}
		for i, text := range words {
			draw[i]()
			at(f, x+sample, y+s.height()*0.76, text, s)
			x += sample + wide(text, s) + gap
		}
	}})
}

// figure adds the overall score with its band.
func (p *paper) figure(o *report.Overall) {
	const barLeft, barWidth, height = left + 92.0, 78.0, 15.0
	score := style{30, true, ink}
	chart := report.Bars([]report.Dimension{{Scored: true, Score: o.Score, Low: o.Low, High: o.High}}, report.Area{Width: barWidth, Row: 9})
	words := p.print(p.Say("report.match.of") + ", " + p.Say("report.match.band", "Low", o.Low, "High", o.High))
	p.add(block{above: 2, height: height, keep: true, draw: func(f *fpdf.Fpdf, y float64) {
		figure := strconv.Itoa(o.Score)
		at(f, left, y+10.5, figure, score)
		at(f, left+wide(figure, score)+3, y+10.5, words, textStyle)
		row := chart.Rows[0]
		fill(f, hairline)
		f.Rect(barLeft, y+row.Bar.Y, barWidth, row.Bar.Height, "F")
		bar(f, barLeft, y, row)
		if o.Even > 0 {
			mean(f, barLeft+float64(o.Even)*barWidth/100, y, y+chart.Height)
		}
		for _, t := range []int{0, 50, 100} {
			tick(f, barLeft+float64(t)*barWidth/100, y+chart.Height+3, t)
		}
	}})
}

// even says what the dashed line of the overall score is.
func (p *paper) even(score int) {
	lines := p.wrap(width-6, span{p.Say("report.match.even", "Score", score), smallStyle})
	p.add(block{above: 1, height: tall(lines), keep: true, draw: func(f *fpdf.Fpdf, y float64) {
		mean(f, left+2, y, y+smallStyle.height())
		put(f, left+6, y, lines)
	}})
}

// fit adds the class in its square.
func (p *paper) fit(fit *report.Fit) {
	const side = 8.0
	letter := style{13, true, accent}
	spans := []span{{fit.Label, textStyle}}
	if between := fit.Between(); between != "" {
		spans = append(spans, span{" " + p.Say("report.match.borderline", "Classes", between), boldStyle.with(hint)})
	}
	lines := p.wrap(width-side-4, spans...)
	key := p.print(fit.Key)
	p.add(block{above: 2, height: max(side, tall(lines)), keep: true, draw: func(f *fpdf.Fpdf, y float64) {
		stroke(f, accent, 0.5)
		f.RoundedRect(left, y, side, side, 1, "1234", "D")
		middle(f, left+side/2, y+5.7, key, letter)
		put(f, left+side+4, y+(side-tall(lines))/2, lines)
	}})
}

// fall is a row of the way from 100 to the overall score.
type fall struct {
	name, why string
	points    string
	from, to  int
	end       bool // the first or the last row
}

// costs adds which dimension takes how much from the overall score.
func (p *paper) costs(r report.Report) {
	if len(r.Costs) == 0 {
		if r.Fit != nil && r.Overall.Score == 100 {
			p.text(textStyle, p.Say("report.costs.none"))
		}
		return
	}
	rows := []fall{{name: p.Say("report.costs.start"), points: "100", to: 100, end: true}}
	for _, c := range r.Costs {
		why := "report.costs.below"
		if c.Above {
			why = "report.costs.above"
		}
		rows = append(rows, fall{name: c.Name, why: p.Say(why, "Weight", c.Weight), points: "−" + strconv.Itoa(c.Points), from: c.After, to: c.After + c.Points})
	}
	rows = append(rows, fall{name: p.Say("report.costs.end"), points: strconv.Itoa(r.Overall.Score), to: r.Overall.Score, end: true})
	p.subheading(p.Say("report.costs.heading"))
	p.waterfall(rows)
}

func (p *paper) waterfall(rows []fall) {
	const head, short, tallRow, barLeft, barWidth, pointsEnd = 5.5, 6.5, 9.5, left + 100.0, 70.0, left + 92.0
	height := head
	for _, r := range rows {
		height += short
		if r.why != "" {
			height += tallRow - short
		}
	}
	dimension, points := p.print(p.Say("report.profile.dimension")), p.print(p.Say("report.costs.points"))
	for i, r := range rows {
		rows[i].name, rows[i].why = cut(p.print(r.name), cellBold, pointsEnd-left-12), cut(p.print(r.why), smallStyle, pointsEnd-left-12)
	}
	p.add(block{above: 1.5, height: height, draw: func(f *fpdf.Fpdf, y float64) {
		at(f, left, y+3.4, dimension, smallBold)
		until(f, pointsEnd, y+3.4, points, smallBold)
		y += head
		for _, r := range rows {
			h, s := short, cellStyle
			if r.why != "" {
				h = tallRow
			}
			if r.end || r.why != "" {
				s = cellBold
			}
			stroke(f, hairline, 0.2)
			f.Line(left, y, right, y)
			at(f, left, y+4.4, r.name, s)
			if r.why != "" {
				at(f, left, y+8, r.why, smallStyle)
			}
			until(f, pointsEnd, y+4.4, r.points, s)
			fill(f, hairline)
			f.Rect(barLeft, y+h/2-0.4, barWidth, 0.8, "F")
			box(f, barLeft+float64(r.from)*barWidth/100, y+h/2-1.8, float64(r.to-r.from)*barWidth/100, 3.6)
			y += h
		}
	}})
}

// sign draws what a grade or a severity is told by, besides its words.
func sign(f *fpdf.Fpdf, x, y, size float64, grade report.Grade) {
	c := accent
	switch grade {
	case report.GradeNotice, report.GradeCaution:
		c = hint
	case report.GradeDoubtful:
		c = alert
	}
	stroke(f, c, size/11)
	r := size / 2
	f.SetLineCapStyle("round")
	switch grade {
	case report.GradeClear:
		f.Circle(x+r, y+r, r, "D")
		f.Line(x+0.55*r, y+1.05*r, x+0.9*r, y+1.4*r)
		f.Line(x+0.9*r, y+1.4*r, x+1.5*r, y+0.7*r)
	case report.GradeInfo:
		f.Circle(x+r, y+r, r, "D")
		f.Line(x+r, y+0.95*r, x+r, y+1.5*r)
		f.Line(x+r, y+0.5*r, x+r, y+0.52*r)
	case report.GradeNotice:
		f.Polygon([]fpdf.PointType{{X: x + r, Y: y}, {X: x + size, Y: y + size*0.92}, {X: x, Y: y + size*0.92}}, "D")
		f.Line(x+r, y+0.75*r, x+r, y+1.25*r)
		f.Line(x+r, y+1.52*r, x+r, y+1.54*r)
	default:
		k := size * 0.29
		f.Polygon([]fpdf.PointType{{X: x + k, Y: y}, {X: x + size - k, Y: y}, {X: x + size, Y: y + k}, {X: x + size, Y: y + size - k},
			{X: x + size - k, Y: y + size}, {X: x + k, Y: y + size}, {X: x, Y: y + size - k}, {X: x, Y: y + k}}, "D")
		f.Line(x+r, y+0.5*r, x+r, y+1.1*r)
		f.Line(x+r, y+1.48*r, x+r, y+1.5*r)
	}
	f.SetLineCapStyle("butt")
}
