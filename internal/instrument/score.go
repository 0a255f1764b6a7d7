package instrument

import (
	"math"
	"slices"

	"github.com/go-json-experiment/json"

	"typus"
)

// Rounding happens once, at the very end, half up; the small addend settles ties that
// binary fractions miss. Products that are added to something stand in float64(…): that
// forbids fusing the two, so that every machine gets the same bits.
func round(x float64) int { return int(math.Floor(x + 0.5 + 1e-9)) }

func clip(x, low, high float64) float64 { return min(high, max(low, x)) }

func phi(x float64) float64 { return 0.5 * (1 + math.Erf(x/math.Sqrt2)) }

// Score is a pure function of the sheet and the role. The role is "" for an instrument
// without roles. Invalid: a value out of range, a negative time, a skipped item with a
// value, a wrong number of answers, an unknown role.
func (in *Instrument) Score(s Sheet, role string) (Result, error) {
	profile, known := in.Role(role)
	if !known && (role != "" || len(in.roles) > 0) {
		return Result{}, unknownRole(role)
	}
	return in.evaluate(s, profile, known)
}

// ScoreAgain scores a sheet with the role profile of a snapshot, as it was on the day of
// a result. Invalid: as Score says, or the snapshot is none of this instrument.
func (in *Instrument) ScoreAgain(s Sheet, snapshot []byte) (Result, error) {
	var profile Role
	if err := json.Unmarshal(snapshot, &profile); err != nil {
		return Result{}, typus.Errorf(typus.Invalid, "the role profile cannot be read").WithCause(err)
	}
	if !slices.EqualFunc(profile.Zones, in.dimensions, func(z Zone, d scale) bool { return z.Dimension == d.key }) {
		return Result{}, typus.Errorf(typus.Invalid, "the role profile has other dimensions than the test")
	}
	profile.sem = overallSEM(in.dimensions, profile.Zones, profile.Below)
	return in.evaluate(s, profile, true)
}

func (in *Instrument) evaluate(s Sheet, profile Role, known bool) (Result, error) {
	if err := in.checkSheet(s); err != nil {
		return Result{}, err
	}
	r := Result{
		Dimensions: in.tally(in.dimensions, s.Answers),
		Facets:     in.tally(in.facets, s.Answers),
		Warnings:   []Warning{},
		Meta:       in.meta(),
	}
	if known {
		r.Meta.RoleProfile = profile.Ref()
	}
	if known && located(r.Dimensions) {
		in.match(&r, profile)
		r.Persona = in.personaOf(r.Dimensions)
	}
	if in.def.Quality != nil {
		r.Indices = in.indices(s)
		r.Warnings = in.remarks(r)
	}
	return r, nil
}

// checkSheet refuses what no test page can have produced.
func (in *Instrument) checkSheet(s Sheet) error {
	if len(s.Answers) != len(in.items) {
		return typus.Errorf(typus.Invalid, "%d answers, but the test has %d items", len(s.Answers), len(in.items))
	}
	if s.MaxPauseMS < 0 {
		return typus.Errorf(typus.Invalid, "the longest pause is negative")
	}
	for p, a := range s.Answers {
		switch {
		case a.Value != 0 && (a.Value < in.def.Scale.Min || a.Value > in.def.Scale.Max):
			return typus.Errorf(typus.Invalid, "item %s: %d is not on the scale", in.items[p].ID, a.Value)
		case a.Value != 0 && a.Skipped:
			return typus.Errorf(typus.Invalid, "item %s is both answered and skipped", in.items[p].ID)
		case a.ActiveMS < 0 || a.Changes < 0:
			return typus.Errorf(typus.Invalid, "item %s has a negative time or number of changes", in.items[p].ID)
		}
	}
	return nil
}

func (in *Instrument) meta() Meta {
	return Meta{
		Instrument: in.def.ID, InstrumentVersion: in.def.Version, InstrumentHash: in.hash,
		Norm: in.norm.ID, NormKind: in.norm.Kind,
		ScoringVersion: in.ScoringVersion(), Language: in.def.SourceLanguage,
	}
}

// keyed turns an answer so that more always means more of the scale.
func (in *Instrument) keyed(position, value int) int {
	if in.items[position].Minus {
		return in.def.Scale.Min + in.def.Scale.Max - value
	}
	return value
}

// tally scores each scale; missing answers count as the mean of the given ones.
func (in *Instrument) tally(scales []scale, answers []Answer) []Dimension {
	if len(scales) == 0 {
		return nil
	}
	dims := make([]Dimension, len(scales))
	standings := make([]Standing, len(scales)) // in one piece: one allocation instead of nine
	for i, sc := range scales {
		dims[i] = Dimension{Key: sc.key, Name: sc.name}
		d := &dims[i]
		d.Sum, d.Answered = in.sum(sc, answers)
		if d.Answered > 0 {
			d.POMP = in.pomp(d.Sum, d.Answered)
		}
		if sc.norm != nil && d.Answered >= sc.needed {
			standings[i] = in.standing(d.POMP, *sc.norm)
			d.Standing = &standings[i]
		}
	}
	return dims
}

// sum adds the keyed answers of a scale and counts them.
func (in *Instrument) sum(sc scale, answers []Answer) (int, int) {
	sum, answered := 0, 0
	for _, p := range sc.positions {
		if v := answers[p].Value; v != 0 {
			sum += in.keyed(p, v)
			answered++
		}
	}
	return sum, answered
}

// pomp is the percent of the maximum possible that a sum of n keyed answers reaches.
func (in *Instrument) pomp(sum, n int) float64 {
	mean := float64(sum) / float64(n)
	return 100 * (mean - float64(in.def.Scale.Min)) / float64(in.def.Scale.Max-in.def.Scale.Min)
}

// Middle is the score of who lies at the mean of the norm.
func (in *Instrument) Middle() float64 { return in.def.Scoring.Score.Mean }

// Place is where so many standard deviations from the mean of the norm lie on the scale
// of the scores, from 0 to 100 and not rounded.
func (in *Instrument) Place(z float64) float64 {
	s := in.def.Scoring.Score
	return clip(s.Mean+float64(s.SD*z), s.Clip[0], s.Clip[1])
}

// standing places a dimension in its norm.
func (in *Instrument) standing(pomp float64, n reference) Standing {
	z := (pomp - n.mu) / n.sigma
	s := in.Place(z)
	margin := Margin(n.sem)
	limits := in.def.Scoring.Score.Clip
	return Standing{
		Z:     z,
		Score: round(s),
		T:     round(clip(50+float64(10*z), 20, 80)),
		PR:    min(99, max(1, round(100*phi(z)))),
		Band:  [2]int{round(max(limits[0], s-margin)), round(min(limits[1], s+margin))},
	}
}

// located reports whether every dimension has its place in the norm.
func located(dims []Dimension) bool {
	for _, d := range dims {
		if d.Standing == nil {
			return false
		}
	}
	return true
}
