package instrument

import "math"

// match compares the profile with what the role asks for: the weighted attainment of its
// target zones. It is a distance to a stated requirement, not a rank among people.
func (in *Instrument) match(r *Result, role Role) {
	r.OverallExact = in.overall(r.Dimensions, role)
	r.OverallSEM = role.sem
	overall := round(r.OverallExact)
	r.Overall = &overall
	r.Fit = in.fit(overall, r.OverallExact, role.sem)
}

func (in *Instrument) overall(dims []Dimension, role Role) float64 {
	var total float64
	for i, z := range role.Zones {
		total += float64(z.Weight * z.attainment(in.Place(dims[i].Z), role.Below))
	}
	return total
}

// attainment is 100 inside the zone and falls with the distance to it, never below 0.
func (z Zone) attainment(score, below float64) float64 {
	switch {
	case score < z.Low:
		return max(0, 100-float64(below*(z.Low-score)))
	case score > z.High:
		return max(0, 100-float64(z.Above*(score-z.High)))
	}
	return 100
}

// overallSEM is conservative: it takes every dimension as below its zone, where
// attainment moves fastest.
func overallSEM(dims []scale, zones []Zone, below float64) float64 {
	var sum float64
	for i, z := range zones {
		part := z.Weight * below * dims[i].norm.sem
		sum += float64(part * part)
	}
	return math.Sqrt(sum)
}

// fit finds the class of the overall score and the neighbours beyond each boundary that
// is too near.
func (in *Instrument) fit(overall int, exact, sem float64) *Fit {
	classes := in.def.Fit.Classes
	own := 0
	for overall < classes[own].From {
		own++
	}
	f := &Fit{Key: classes[own].Key, Label: in.FitLabel(in.def.SourceLanguage, classes[own].Key), Borderline: []string{}}
	for upper := range len(classes) - 1 {
		if math.Abs(exact-float64(classes[upper].From)) >= in.def.Fit.BorderlineSEM*sem {
			continue
		}
		neighbour := upper
		if own <= upper {
			neighbour = upper + 1
		}
		f.Borderline = append(f.Borderline, classes[neighbour].Key)
	}
	return f
}
