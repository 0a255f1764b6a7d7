package instrument

import (
	"math"
	"slices"
)

// Indices describe how a sheet was filled in, not what the answers mean. A pair is two
// items that say the same or the opposite. Keyed means that an answer is turned so that
// more means more of the scale.
type Indices struct {
	LongestRun           int   `json:"longest_run"`           // of equal raw answers, the control line left out
	IRV                  Index `json:"irv"`                   // standard deviation of the raw scored answers
	Inconsistency        Index `json:"inconsistency"`         // mean absolute difference within the pairs, keyed
	InconsistencyRatio   Index `json:"inconsistency_ratio"`   // that, in Gini mean differences of the keyed answers; about 1 for chance
	Acquiescence         Index `json:"acquiescence"`          // mean raw answer of the antonym pairs minus the middle
	EvenOdd              Index `json:"even_odd"`              // Spearman-Brown correlation of even and odd items over the dimensions
	ImpressionManagement Index `json:"impression_management"` // percent of maximum possible
	ExtremeShare         Index `json:"extreme_share"`         // part of scored answers at the end points
	MidShare             Index `json:"mid_share"`             // part of scored answers in the middle
	Missing              int   `json:"missing"`               // scored items without an answer
	Attention            int   `json:"attention"`             // answer to the control line, 0 for none
	MedianMS             Index `json:"median_ms"`             // active time per item, the control line left out
	FastShare            Index `json:"fast_share"`
	VeryFastShare        Index `json:"very_fast_share"`
	MaxPauseMS           int   `json:"max_pause_ms"`
}

func (in *Instrument) indices(s Sheet) Indices {
	ix := Indices{LongestRun: in.longestRun(s.Answers), MaxPauseMS: s.MaxPauseMS}
	if in.control >= 0 {
		ix.Attention = s.Answers[in.control].Value
	}
	in.spread(&ix, s.Answers)
	in.consistency(&ix, s.Answers)
	ix.EvenOdd = in.evenOdd(s.Answers)
	if in.hint != nil {
		if sum, n := in.sum(*in.hint, s.Answers); n >= in.hint.needed {
			ix.ImpressionManagement = defined(in.pomp(sum, n))
		}
	}
	in.speed(&ix, s.Answers)
	return ix
}

// longestRun counts equal neighbours; an item without an answer ends a run.
func (in *Instrument) longestRun(answers []Answer) int {
	best, run, last := 0, 0, 0
	for p, a := range answers {
		switch {
		case p == in.control:
			continue
		case a.Value == 0:
			run = 0
		case a.Value == last:
			run++
		default:
			run = 1
		}
		last = a.Value
		best = max(best, run)
	}
	return best
}

// spread describes the distribution of the raw scored answers.
func (in *Instrument) spread(ix *Indices, answers []Answer) {
	sum, n, ends, middle := 0, 0, 0, 0
	for _, p := range in.scored {
		v := answers[p].Value
		if v == 0 {
			continue
		}
		sum += v
		n++
		switch off := 2*v - in.def.Scale.Min - in.def.Scale.Max; {
		case v == in.def.Scale.Min || v == in.def.Scale.Max:
			ends++
		case off >= -1 && off <= 1:
			middle++
		}
	}
	ix.Missing = len(in.scored) - n
	if n > 0 {
		ix.ExtremeShare, ix.MidShare = defined(share(ends, n)), defined(share(middle, n))
	}
	if n > 1 {
		ix.IRV = defined(in.deviation(answers, float64(sum)/float64(n), n))
	}
}

func (in *Instrument) deviation(answers []Answer, mean float64, n int) float64 {
	var squares float64
	for _, p := range in.scored {
		if v := answers[p].Value; v != 0 {
			d := float64(v) - mean
			squares += float64(d * d)
		}
	}
	return math.Sqrt(squares / float64(n-1))
}

// minAcquiescence is how many answers of complete antonym pairs a statement about
// agreeing needs.
const minAcquiescence = 24

// consistency compares the two answers of each pair.
func (in *Instrument) consistency(ix *Indices, answers []Answer) {
	differences, pairs, agreed, n := 0, 0, 0, 0
	for _, pr := range in.pairs {
		a, b := answers[pr.a].Value, answers[pr.b].Value
		if a == 0 || b == 0 {
			continue
		}
		d := in.keyed(pr.a, a) - in.keyed(pr.b, b)
		differences += max(d, -d)
		pairs++
		if pr.antonym {
			agreed += a + b
			n += 2
		}
	}
	if n >= minAcquiescence {
		ix.Acquiescence = defined(share(agreed, n) - float64(in.def.Scale.Min+in.def.Scale.Max)/2)
	}
	if pairs == 0 || pairs < in.def.Quality.PairsMin {
		return
	}
	ix.Inconsistency = defined(share(differences, pairs))
	if gmd := in.gini(answers); gmd > 0 {
		ix.InconsistencyRatio = defined(ix.Inconsistency.Value / gmd)
	}
}

// gini is the mean absolute difference between any two keyed scored answers, from the
// number of each.
func (in *Instrument) gini(answers []Answer) float64 {
	var counts [maxPoints]int
	n := 0
	for _, p := range in.scored {
		if v := answers[p].Value; v != 0 {
			counts[in.keyed(p, v)-in.def.Scale.Min]++
			n++
		}
	}
	if n < 2 {
		return 0
	}
	sum, below := 0, 0
	for k, c := range counts {
		sum += k * c * (2*below + c - n)
		below += c
	}
	return share(2*sum, n*(n-1))
}

// evenOdd correlates the halves of the dimensions. Undefined with fewer than three
// dimensions or without variance.
func (in *Instrument) evenOdd(answers []Answer) Index {
	even := make([]float64, 0, len(in.dimensions))
	odd := make([]float64, 0, len(in.dimensions))
	for _, sc := range in.dimensions {
		var sum, n [2]int
		for i, p := range sc.positions {
			if v := answers[p].Value; v != 0 {
				sum[i%2] += in.keyed(p, v)
				n[i%2]++
			}
		}
		if n[0] > 0 && n[1] > 0 {
			odd, even = append(odd, share(sum[0], n[0])), append(even, share(sum[1], n[1]))
		}
	}
	r := pearson(even, odd)
	switch {
	case !r.Defined:
		return Index{}
	case r.Value <= -0.999999:
		return defined(-1)
	}
	return defined(max(-1, 2*r.Value/(1+r.Value)))
}

func pearson(x, y []float64) Index {
	if len(x) < 3 {
		return Index{}
	}
	mx, my := mean(x), mean(y)
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xx += float64(dx * dx)
		yy += float64(dy * dy)
		xy += float64(dx * dy)
	}
	if xx <= 1e-12 || yy <= 1e-12 {
		return Index{}
	}
	return defined(xy / math.Sqrt(xx*yy))
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// speed looks at all items with a recorded time except the control line, skipped ones included.
func (in *Instrument) speed(ix *Indices, answers []Answer) {
	times := make([]int, 0, len(answers))
	fast, veryFast := 0, 0
	for p, a := range answers {
		if a.ActiveMS == 0 || p == in.control {
			continue
		}
		times = append(times, a.ActiveMS)
		if a.ActiveMS < in.def.Quality.FastItemMS {
			fast++
		}
		if a.ActiveMS < in.def.Quality.VeryFastMS {
			veryFast++
		}
	}
	n := len(times)
	if n == 0 {
		return
	}
	slices.Sort(times)
	ix.MedianMS = defined(float64(times[(n-1)/2]+times[n/2]) / 2)
	ix.FastShare, ix.VeryFastShare = defined(share(fast, n)), defined(share(veryFast, n))
}

func share(part, whole int) float64 { return float64(part) / float64(whole) }
