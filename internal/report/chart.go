package report

// Area is the room that a chart has, in whatever unit its medium uses. The two
// directions need not share a unit.
type Area struct {
	Width float64 // from score 0 to score 100
	Row   float64 // height of one row
	Label float64 // the upper part of a row that is kept free for words
}

// Chart is a drawing of scores, one row each, from the top. Every X lies between 0
// and the width of its area.
type Chart struct {
	Width, Height float64
	Ticks         []Tick
	Rows          []Row
}

// Tick is a place on the scale worth a line.
type Tick struct {
	Score int
	X     float64
}

// Row is one score. Boxes are given by their upper left corner.
type Row struct {
	Name   string
	Score  int
	Scored bool // false: nothing but the zone is drawn
	Words  float64
	Middle float64
	Zone   *Box // nil for none; it is taller than the bar and lies behind it
	Bar    Box  // from 0 to the score
	Band   Whisker
}

// Box is a rectangle. It may have no width.
type Box struct{ X, Y, Width, Height float64 }

// Whisker is a horizontal line with a cap at each end, and a mark on it.
type Whisker struct {
	From, To    float64
	Mark        float64
	Top, Bottom float64 // of the caps
}

// Parts of the height that a row has below its words.
const (
	zonePart = 0.80
	barPart  = 0.36
	capPart  = 0.52
)

// Bars draws the dimensions of a report into an area.
func Bars(dims []Dimension, a Area) Chart {
	c := Chart{Width: a.Width, Height: a.Row * float64(len(dims))}
	for _, score := range []int{0, 25, 50, 75, 100} {
		c.Ticks = append(c.Ticks, Tick{Score: score, X: a.x(score)})
	}
	for i, d := range dims {
		c.Rows = append(c.Rows, a.row(d, float64(i)*a.Row))
	}
	return c
}

// x is the place of a score; what lies beyond the scale is drawn at its end.
func (a Area) x(score int) float64 { return float64(within(score)) * a.Width / 100 }

func (a Area) row(d Dimension, top float64) Row {
	height := a.Row - a.Label
	middle := top + a.Label + height/2
	r := Row{Name: d.Name, Score: d.Score, Scored: d.Scored, Words: top + a.Label, Middle: middle}
	if d.Zone != nil {
		zone := a.box(d.Zone.Low, d.Zone.High, middle, height*zonePart)
		r.Zone = &zone
	}
	if d.Scored {
		r.Bar = a.box(0, d.Score, middle, height*barPart)
		r.Band = Whisker{
			From: a.x(min(d.Low, d.High)), To: a.x(max(d.Low, d.High)), Mark: a.x(d.Score),
			Top: middle - height*capPart/2, Bottom: middle + height*capPart/2,
		}
	}
	return r
}

// box lies around a middle line, from one score to another in whichever order.
func (a Area) box(from, to int, middle, height float64) Box {
	left, right := a.x(min(from, to)), a.x(max(from, to))
	return Box{X: left, Y: middle - height/2, Width: right - left, Height: height}
}
