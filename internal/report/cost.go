package report

import (
	"cmp"
	"math"
	"slices"

	"typus/internal/instrument"
)

// Cost is how many of 100 points a dimension takes from the overall score: what it
// misses of the zone, times its weight. The costs of a result add up to 100 minus the
// overall score, so that they explain it wholly.
type Cost struct {
	Dimension
	Points int  // at least 1
	Above  bool // the score lies above the zone, not below
	After  int  // what is left of 100 after this cost and those before it
}

// costs takes the overall score apart, by the formula that made it and in its exact
// figures. If they do not give the stored score (a damaged result, a formula that this
// version does not know), nothing is explained.
func costs(in *instrument.Instrument, s Stored, dims []Dimension) []Cost {
	exact := make([]float64, len(dims))
	above := make([]bool, len(dims))
	sum := 0.0
	for i, d := range s.Result.Dimensions {
		if d.Standing == nil {
			return nil
		}
		for _, z := range s.Role.Zones {
			if z.Dimension != d.Key {
				continue
			}
			score := in.Place(d.Z)
			exact[i], above[i] = lost(s.Role, z, score), score > z.High
			sum += exact[i]
		}
	}
	if math.Abs(100-s.Result.OverallExact-sum) > 0.001 {
		return nil
	}
	list := []Cost{}
	for i, points := range shared(exact, 100-within(*s.Result.Overall)) {
		if points > 0 {
			list = append(list, Cost{Dimension: dims[i], Points: points, Above: above[i]})
		}
	}
	slices.SortStableFunc(list, func(a, b Cost) int { return cmp.Compare(b.Points, a.Points) })
	left := 100
	for i := range list {
		left -= list[i].Points
		list[i].After = left
	}
	return list
}

// lost is what a score takes from the overall score, by the rule of the role.
func lost(role instrument.Role, z instrument.Zone, score float64) float64 {
	return z.Weight * min(100, max(role.Below*(z.Low-score), z.Above*(score-z.High), 0))
}

// even is the overall score of a profile with the mean in every dimension, 0 for a role
// that is not known whole.
func even(in *instrument.Instrument, role instrument.Role) int {
	weights, left := 0.0, 100.0
	for _, z := range role.Zones {
		weights += z.Weight
		left -= lost(role, z, in.Middle())
	}
	if math.Abs(weights-1) > 0.001 {
		return 0
	}
	return within(round(left))
}

// shared rounds parts to whole numbers that add up to a total: down, and those up that
// lose most by it (the method of largest remainders). The total is the sum of the parts
// rounded in either direction.
func shared(parts []float64, total int) []int {
	whole, order := make([]int, len(parts)), make([]int, len(parts))
	for i, x := range parts {
		whole[i], order[i] = int(math.Floor(x+1e-9)), i
		total -= whole[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(parts[b]-float64(whole[b]), parts[a]-float64(whole[a]))
	})
	for _, i := range order {
		if total <= 0 {
			break
		}
		whole[i]++
		total--
	}
	return whole
}
