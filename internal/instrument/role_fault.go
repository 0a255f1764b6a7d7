package instrument

import "math"

// RoleFault is what is wrong with what an account's own role profile asks for.
type RoleFault struct {
	Dimension string // "": the profile as a whole
	Code      string // one of the Role… codes
}

// What can be wrong with a role profile.
const (
	RoleSum     = "sum"     // the weights do not sum to 100 percent
	RoleWeight  = "weight"  // a weight is below 0 or above 100 percent
	RoleRange   = "range"   // a zone does not lie between 1 and 100
	RoleCrossed = "crossed" // a zone ends before it begins
	RoleNarrow  = "narrow"  // a zone is narrower than Narrowest: one person may lie on both sides of it by chance
)

// RoleFaults is what is wrong with the weights and zones of a role profile, in the order
// of the dimensions; nothing for a sound one. It must have a zone for each dimension, in
// the frozen order.
func (in *Instrument) RoleFaults(r Role) []RoleFault {
	var list []RoleFault
	sum := 0.0
	for _, z := range r.Zones {
		sum += z.Weight
		add := func(code string) { list = append(list, RoleFault{z.Dimension, code}) }
		if z.Weight < 0 || z.Weight > 1 {
			add(RoleWeight)
		}
		switch {
		case z.Low < 1 || z.High < 1 || z.Low > 100 || z.High > 100:
			add(RoleRange)
		case z.Low > z.High:
			add(RoleCrossed)
		case z.High-z.Low < float64(in.Narrowest(z.Dimension)):
			add(RoleNarrow)
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		list = append(list, RoleFault{"", RoleSum})
	}
	return list
}

// Narrowest is how many points a zone of a dimension must span at least: two standard
// errors, rounded up. 0 without a norm.
func (in *Instrument) Narrowest(dimension string) int {
	for _, d := range in.dimensions {
		if d.key == dimension && d.norm != nil {
			return int(math.Ceil(2*d.norm.sem - 1e-9))
		}
	}
	return 0
}
