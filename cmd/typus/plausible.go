package main

import (
	"math"
	"math/rand/v2"

	"typus/internal/assess"
	"typus/internal/instrument"
)

// plausible makes the answers of one fictitious person: a level per scale, a
// little noise per item, a few seconds' thought on each. The same seed makes the
// same person.
func plausible(test *instrument.Instrument, seed uint64) []assess.Given {
	random := rand.New(rand.NewPCG(seed, 97))
	level := map[string]float64{}
	given := make([]assess.Given, 0, len(test.Items()))
	for _, item := range test.Items() {
		g := assess.Given{ItemID: item.ID, ActiveMS: 2500 + random.IntN(6000)}
		if item.Type == instrument.Instructed {
			g.Value = item.Expect
			given = append(given, g)
			continue
		}
		if _, known := level[item.Scale]; !known {
			level[item.Scale] = 4.5 + 0.45*random.NormFloat64()
		}
		value := min(6, max(1, int(math.Round(level[item.Scale]+0.7*random.NormFloat64()))))
		if item.Minus {
			value = 7 - value
		}
		g.Value = value
		given = append(given, g)
	}
	return given
}
