package instrument

import "math"

// typology is the prepared set of prototypes. A persona is the shape of a profile, not
// its height: profiles and prototypes are centred on their own mean, which also removes a
// general tendency to look good.
type typology struct {
	dimensions []int // indices into Instrument.dimensions
	keys       []string
	prototypes [][]float64
	length     [][]float64 // distance between two prototypes
	se         [][]float64 // standard error of a profile in the direction from one to the other
	def        typologyDef
	repeat     *repetition // nil where a table gives the stability
}

func newTypology(def typologyDef, dimensions []int, scales []scale) *typology {
	t := &typology{def: def, dimensions: dimensions}
	for _, ty := range def.Types {
		t.keys = append(t.keys, ty.Key)
		t.prototypes = append(t.prototypes, prototype(ty.Shape, def.Radius))
	}
	for _, p := range t.prototypes {
		lengths := make([]float64, len(t.prototypes))
		ses := make([]float64, len(t.prototypes))
		for j, q := range t.prototypes {
			lengths[j] = distance(p, q)
			ses[j] = directedError(p, q, lengths[j], dimensions, scales)
		}
		t.length, t.se = append(t.length, lengths), append(t.se, ses)
	}
	return t
}

// prototype centres a shape and brings it to the length radius; the flat shape stays flat.
func prototype(shape []float64, radius float64) []float64 {
	p := centred(shape)
	var sum float64
	for _, x := range p {
		sum += float64(x * x)
	}
	if sum == 0 {
		return p
	}
	norm := math.Sqrt(sum)
	for i, x := range p {
		p[i] = radius * x / norm
	}
	return p
}

func centred(v []float64) []float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	mean := sum / float64(len(v))
	c := make([]float64, len(v))
	for i, x := range v {
		c[i] = x - mean
	}
	return c
}

func distance(a, b []float64) float64 {
	var sum float64
	for i := range a {
		d := a[i] - b[i]
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

func directedError(p, q []float64, length float64, dimensions []int, scales []scale) float64 {
	if length == 0 {
		return 0 // a prototype and itself: never asked for
	}
	var sum float64
	for i, d := range dimensions {
		u := (p[i] - q[i]) / length
		sum += float64(u * u * (1 - scales[d].norm.rel))
	}
	return math.Sqrt(sum)
}

// verdict is the two nearest prototypes and how surely the first one wins.
type verdict struct {
	first, second      int
	distance, runnerUp float64
	pairwise           float64
}

// classify takes the unclipped z scores of the typology's dimensions. Distances that
// agree to nine decimals are a tie, which goes to the type that stands first in the file.
func (t *typology) classify(z []float64) verdict {
	c := centred(z)
	v := verdict{first: -1, second: -1}
	for i, p := range t.prototypes {
		switch d := distance(c, p); {
		case v.first < 0 || nearer(d, v.distance):
			v.second, v.runnerUp = v.first, v.distance
			v.first, v.distance = i, d
		case v.second < 0 || nearer(d, v.runnerUp):
			v.second, v.runnerUp = i, d
		}
	}
	margin := (float64(v.runnerUp*v.runnerUp) - float64(v.distance*v.distance)) / (2 * t.length[v.first][v.second])
	v.pairwise = phi(margin / (math.Sqrt2 * t.se[v.first][v.second]))
	return v
}

func nearer(a, b float64) bool { return math.RoundToEven(a*1e9) < math.RoundToEven(b*1e9) }

// interpolate reads a table linearly; beyond its ends it stays level.
func interpolate(x float64, table [][2]float64) float64 {
	if x <= table[0][0] {
		return table[0][1]
	}
	for i, to := range table[1:] {
		if from := table[i]; x <= to[0] {
			return from[1] + (to[1]-from[1])*(x-from[0])/(to[0]-from[0])
		}
	}
	return table[len(table)-1][1]
}

// personaOf names the persona of a profile, nil for an instrument without types.
func (in *Instrument) personaOf(dims []Dimension) *Persona {
	if in.types == nil {
		return nil
	}
	z := make([]float64, len(in.types.dimensions))
	for i, d := range in.types.dimensions {
		z[i] = dims[d].Z
	}
	v := in.types.classify(z)
	first, second := in.types.keys[v.first], in.types.keys[v.second]
	texts := in.report[in.def.SourceLanguage].Personas
	a := &Persona{
		Key: first, Name: texts[first].Name, Subtitle: texts[first].Subtitle,
		Secondary: Secondary{Key: second, Name: texts[second].Name},
		Distances: [2]float64{v.distance, v.runnerUp},
		Pairwise:  v.pairwise,
	}
	if repeat := in.types.repeat; repeat != nil {
		counts := repeat.counts(z)
		a.Stability, a.SecondShare = repeat.percent(counts[v.first]), repeat.percent(counts[v.second])
		a.NeitherShare = 100 - a.Stability - a.SecondShare
	} else {
		a.Stability = round(100 * interpolate(v.pairwise, in.types.def.StabilityTable))
	}
	a.Level = in.types.level(a.Stability, a.SecondShare)
	return a
}

// level never calls clear what a repetition turns into the second persona more often.
func (t *typology) level(stability, second int) Level {
	switch {
	case second > stability:
		return LevelMixed
	case stability >= t.def.Levels.Clear:
		return LevelClear
	case stability >= t.def.Levels.Predominant:
		return LevelPredominant
	}
	return LevelMixed
}
