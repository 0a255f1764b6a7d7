// Package panel works out how far the experts of a panel (subject-matter experts who rate
// a job) agree, and which weights follow from what they rated.
package panel

import (
	"cmp"
	"math"
	"slices"
)

const (
	// Most is the highest importance; the lowest is 1.
	Most = 5
	// Fewest is how many experts must have rated before anything is said or proposed. Two
	// who agree by chance look like two who know the job, and of two who disagree nobody
	// can say which one is alone; and what one or two say can be traced to them.
	Fewest = 3
	// Largest is how many experts a panel has at most.
	Largest = 7
)

// Answer is what an expert says about one statement.
type Answer struct {
	Importance int  // 1 to Most, 0: the expert cannot judge it
	FromStart  bool // somebody must be able to do it from day one
}

// Answers are those of one expert, by the key of the statement.
type Answers map[string]Answer

// keys are the statements of each dimension.
var keys = map[string][]string{
	"achievement_drive":    {"ad1", "ad2", "ad3"},
	"contact_initiative":   {"ci1", "ci2", "ci3"},
	"assertiveness":        {"as1", "as2", "as3"},
	"resilience":           {"re1", "re2", "re3"},
	"adaptability":         {"ap1", "ap2", "ap3"},
	"customer_orientation": {"co1", "co2", "co3"},
	"self_organization":    {"so1", "so2", "so3"},
	"learning_orientation": {"lo1", "lo2", "lo3"},
	"integrity":            {"in1", "in2", "in3"},
}

// Statements are the keys of the statements about a dimension; none for one that we have
// no statements about.
func Statements(dimension string) []string { return slices.Clone(keys[dimension]) }

// Dimension is what a panel says about one dimension: nothing but how many could judge it
// where they are fewer than Fewest.
type Dimension struct {
	Key       string
	Raters    int     // who could judge at least one of its statements
	Mean      float64 // of the raters' own means; the weights follow from it
	Median    float64
	Low, High float64   // the lowest and the highest rater's mean
	RWG       float64   // r_wg(J) over its statements, from 0 to 1
	Agreement Agreement // the same in words; AgreementUnknown where no statement was rated by two
	Start     float64   // share of the ratings that say "from day one", from 0 to 1
	Weight    int       // percent that the rule proposes, 0 without a proposal
}

// Told reports whether enough could judge the dimension to say what they said.
func (d Dimension) Told() bool { return d.Raters >= Fewest }

// Council is what a panel says, without saying who said what: nothing at all where fewer
// than Fewest have rated.
type Council struct {
	Raters     int
	Dimensions []Dimension // none where fewer than Fewest have rated
	ICC        float64     // ICC(2,k), over the dimensions that every rater judged
	ICCKnown   bool        // false: too few such dimensions or raters, or no ratings that differ
	Missing    Missing     // why there is no proposal; "" where there is one
}

// Missing says why nothing is proposed.
type Missing string

// Reasons for no proposal.
const (
	MissingNothing Missing = ""
	MissingRaters  Missing = "raters"    // fewer than Fewest have rated
	MissingJudges  Missing = "judges"    // fewer than Fewest could judge some dimension
	MissingWeight  Missing = "no_weight" // all agree that nothing is important
)

// Judge works out what a panel says about the dimensions, in their order.
func Judge(dimensions []string, raters []Answers) Council {
	if len(raters) < Fewest {
		return Council{Raters: len(raters), Missing: MissingRaters}
	}
	c := Council{Raters: len(raters), Dimensions: make([]Dimension, len(dimensions))}
	means := make([]float64, len(dimensions))
	var whole [][]float64
	for i, key := range dimensions {
		d, of := judged(key, raters)
		c.Dimensions[i], means[i] = d, d.Mean
		if len(of) == len(raters) {
			whole = append(whole, of)
		}
		if !d.Told() {
			c.Missing = MissingJudges
		}
	}
	c.ICC, c.ICCKnown = ICC2K(whole)
	if c.Missing != MissingNothing {
		return c
	}
	weights, some := Weights(means)
	if !some {
		c.Missing = MissingWeight
		return c
	}
	for i, w := range weights {
		c.Dimensions[i].Weight = w
	}
	return c
}

// judged is what the raters say about one dimension, and the mean of each who could judge
// it.
func judged(key string, raters []Answers) (Dimension, []float64) {
	d := Dimension{Key: key, Agreement: AgreementUnknown}
	items := make([][]float64, len(keys[key]))
	var of []float64
	start, rated := 0, 0
	for _, answers := range raters {
		var own []float64
		for i, statement := range keys[key] {
			a := answers[statement]
			if a.Importance < 1 || a.Importance > Most {
				continue
			}
			own = append(own, float64(a.Importance))
			items[i] = append(items[i], float64(a.Importance))
			rated++
			if a.FromStart {
				start++
			}
		}
		if len(own) > 0 {
			of = append(of, Mean(own))
		}
	}
	if d.Raters = len(of); !d.Told() {
		return d, of
	}
	d.Mean, d.Median, d.Low, d.High, d.Start = Mean(of), Median(of), slices.Min(of), slices.Max(of), float64(start)/float64(rated)
	if r, known := RWGJ(items, Most); known {
		d.RWG, d.Agreement = r, AgreementOf(r)
	}
	return d, of
}

// Weights proposes whole percents that sum to 100, from the importance of each dimension,
// from 1 to Most. A weight is proportional to how far the importance lies above 1, "not
// important", which weighs nothing; the percents are rounded down, and those up that lose
// most by it (largest remainders; of equal ones the first). False: nothing lies above 1.
func Weights(importance []float64) ([]int, bool) {
	var sum float64
	for _, x := range importance {
		sum += above(x)
	}
	if sum == 0 {
		return nil, false
	}
	whole, rest, order, left := make([]int, len(importance)), make([]float64, len(importance)), make([]int, len(importance)), 100
	for i, x := range importance {
		share := 100 * above(x) / sum
		whole[i] = int(math.Floor(share + 1e-9))
		rest[i], order[i] = share-float64(whole[i]), i
		left -= whole[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if math.Abs(rest[a]-rest[b]) < 1e-9 { // equal but for binary fractions
			return 0
		}
		return cmp.Compare(rest[b], rest[a])
	})
	for _, i := range order[:left] {
		whole[i]++
	}
	return whole, true
}

func above(importance float64) float64 { return max(0, importance-1) }
