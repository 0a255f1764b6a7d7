package instrument

import (
	"math"
	"sync"
)

// z90 is how many standard errors to either side hold 90 % of the normal distribution.
const z90 = 1.645

// Margin is how far a 90 % band reaches to either side of a score with this standard error.
func Margin(sem float64) float64 { return z90 * sem }

// TwoChosen is the least difference, in points, that is reliable (90 %) between two scores of
// one person which were chosen before they were seen: 1.645 · √2 standard errors of the
// dimension that the norm measures least well. 0 without a norm.
func (in *Instrument) TwoChosen() int { return ReliableDifference(in.StandardError()) }

// HighestLowest is the least difference, in points, that is reliable (90 %) between the
// highest and the lowest score of one profile. It is more than TwoChosen, because the largest
// of all differences was picked out: the 90 % point of the studentised range of as many values
// as there are dimensions. 0 without a norm.
func (in *Instrument) HighestLowest() int { return in.span() }

func (in *Instrument) highestLowest() int {
	if in.StandardError() == 0 {
		return 0
	}
	return round(studentisedRange(len(in.dimensions), 0.90) * in.StandardError())
}

// TwoPeople is from how many points on the overall scores of two people, compared with
// the same role, differ reliably (90 %). 0 for a role that there is not.
func (in *Instrument) TwoPeople(role string) int {
	r, _ := in.Role(role)
	return ReliableDifference(r.sem)
}

// Among is from how many points on two of so many people differ reliably (90 %) in a
// dimension, whichever two are picked out: TwoChosen for two people, and more for more,
// as for HighestLowest. 0 without a norm.
func (in *Instrument) Among(people int) int { return ReliableAmong(people, in.StandardError()) }

// ReliableAmong is ReliableDifference for two of so many people, whichever two are picked out.
func ReliableAmong(people int, sem float64) int {
	if people <= 2 {
		return ReliableDifference(sem)
	}
	return round(widest(people) * sem)
}

// widest are the 90 % points of the studentised range, each worked out once.
func widest(people int) float64 {
	if known, there := ranges.Load(people); there {
		return known.(float64) //nolint:forcetypeassert // nothing else is put there
	}
	w := studentisedRange(people, 0.90)
	ranges.Store(people, w)
	return w
}

var ranges sync.Map

// ReliableDifference is from how many points on two scores with this standard error
// differ reliably (90 %).
func ReliableDifference(sem float64) int { return round(z90 * math.Sqrt2 * sem) }

// Reliability is the lowest of the dimensions in the norm: what is said of it holds for
// every one. 0 without a norm.
func (in *Instrument) Reliability() float64 {
	lowest := 0.0
	for _, d := range in.dimensions {
		if d.norm != nil && (lowest == 0 || d.norm.rel < lowest) {
			lowest = d.norm.rel
		}
	}
	return lowest
}

// StandardError is that of a score in the dimension that the norm measures least well. 0
// without a norm.
func (in *Instrument) StandardError() float64 {
	largest := 0.0
	for _, d := range in.dimensions {
		if d.norm != nil {
			largest = max(largest, d.norm.sem)
		}
	}
	return largest
}

// studentisedRange is the p point of the range of k independent standard normal values:
// it solves k · ∫ φ(x) (Φ(x+w) − Φ(x))^(k−1) dx = p for w, by Simpson's rule and
// bisection.
func studentisedRange(k int, p float64) float64 {
	const edge, steps = 8.0, 800
	const width = 2 * edge / steps
	var x, density, below [steps + 1]float64
	for i := range x {
		x[i] = width*float64(i) - edge
		density[i] = simpson(i, steps) * width / 3 * math.Exp(-x[i]*x[i]/2) / math.Sqrt(2*math.Pi)
		below[i] = phi(x[i])
	}
	low, high := 0.0, 2*edge
	for range 60 {
		w := (low + high) / 2
		var sum float64
		for i := range x {
			sum += float64(density[i] * math.Pow(phi(x[i]+w)-below[i], float64(k-1)))
		}
		if float64(k)*sum < p {
			low = w
		} else {
			high = w
		}
	}
	return (low + high) / 2
}

func simpson(i, last int) float64 {
	switch {
	case i == 0 || i == last:
		return 1
	case i%2 == 1:
		return 4
	}
	return 2
}
