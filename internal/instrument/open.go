package instrument

import "slices"

// Open lists the positions (0-based) that still need an answer before the test can be
// handed in: those neither answered nor skipped, and the skipped ones of dimensions in
// which so many are skipped that they could not be scored. Items that are not scored may
// always be skipped. A sheet that is too short counts as unanswered where it ends.
func (in *Instrument) Open(s Sheet) []int {
	missed := in.missed(s)
	var open []int
	for p := range in.items {
		if p >= len(s.Answers) || s.Answers[p].Value == 0 && (!s.Answers[p].Skipped || missed[p]) {
			open = append(open, p)
		}
	}
	return open
}

// missed marks the positions of the scales with more skipped items than they can spare.
func (in *Instrument) missed(s Sheet) []bool {
	missed := make([]bool, len(in.items))
	for _, sc := range slices.Concat(in.dimensions, in.facets) {
		skipped := 0
		for _, p := range sc.positions {
			if p < len(s.Answers) && s.Answers[p].Skipped {
				skipped++
			}
		}
		if skipped <= len(sc.positions)-sc.needed {
			continue
		}
		for _, p := range sc.positions {
			missed[p] = true
		}
	}
	return missed
}
