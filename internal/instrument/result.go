package instrument

import "typus"

// Result is everything a sheet says. Its JSON is the form in which a result is stored;
// the wire carries only what Scores gives. Names, labels and messages are in the
// instrument's source language.
type Result struct {
	Overall      *int        `json:"overall"`       // 0 to 100; nil if a dimension has too few answers
	OverallExact float64     `json:"overall_exact"` // before rounding
	OverallSEM   float64     `json:"overall_sem"`   // standard error of Overall, constant for a role
	Fit          *Fit        `json:"fit"`           // nil with Overall
	Persona      *Persona    `json:"archetype"`     // nil with Overall
	Dimensions   []Dimension `json:"dimensionScores"`
	Facets       []Dimension `json:"facetScores,omitempty"`
	Indices      Indices     `json:"indices"`
	Warnings     []Warning   `json:"warnings"` // may be empty, never nil
	Meta         Meta        `json:"meta"`
}

// Fit is the class of the overall score, with the neighbouring classes that are too
// near to be told apart from it.
type Fit struct {
	Key        string   `json:"key"`
	Label      string   `json:"label"`
	Borderline []string `json:"borderline"` // may be empty, never nil
}

// Persona is the persona type nearest to the profile, and the second nearest. The
// stored JSON calls it archetype.
type Persona struct {
	Key       string    `json:"key"`
	Name      string    `json:"name"`
	Subtitle  string    `json:"subtitle"`
	Secondary Secondary `json:"secondary"`
	Stability int       `json:"stability"` // percent: the probability that a repeated test gives the same persona
	// SecondShare and NeitherShare are the percent of repeated tests that give the second
	// persona, and neither of the two; with Stability they make 100. Both are 0 in results of
	// versions that do not know them, which Shared tells.
	SecondShare  int `json:"second_share,omitzero"`
	NeitherShare int `json:"neither_share,omitzero"`

	Level     Level      `json:"level"`
	Distances [2]float64 `json:"distances"` // of the profile to the first and the second, in standard deviations
	Pairwise  float64    `json:"pairwise"`  // probability that the first is nearer than the second on repetition
}

// Shared reports whether the result says what a repeated test gives where it does not give
// the same persona: SecondShare and NeitherShare.
func (p Persona) Shared() bool { return p.Stability+p.SecondShare+p.NeitherShare == 100 }

// Secondary is the persona that comes second.
type Secondary struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

// Level says how clear a persona is. Mixed: both personas are to be named with equal
// rank.
type Level string

// The levels.
const (
	LevelClear       Level = "clear"
	LevelPredominant Level = "predominant"
	LevelMixed       Level = "mixed"
)

// Dimension is one dimension or facet.
type Dimension struct {
	Key       string  `json:"key"`
	Name      string  `json:"name"`
	Answered  int     `json:"answered"`
	Sum       int     `json:"sum"`  // of the keyed answers
	POMP      float64 `json:"pomp"` // percent of maximum possible, of the answered items; 0 if there is none
	*Standing         // nil with too few answers or without a norm
}

// Standing is where a dimension stands in the norm.
type Standing struct {
	Z     float64 `json:"z"`     // standard deviations from the norm's mean, not clipped
	Score int     `json:"score"` // 0 to 100, mean 50, standard deviation 20
	T     int     `json:"t"`     // 20 to 80, mean 50, standard deviation 10
	PR    int     `json:"pr"`    // percentile, 1 to 99
	Band  [2]int  `json:"band"`  // 90 % confidence band of Score
}

// Warning is a remark on the quality of the answers. It never changes a score.
type Warning struct {
	Key      string         `json:"key"`
	Severity typus.Severity `json:"severity"`
	Message  string         `json:"message"`
}

// Meta says what a result was made with; with the answers, enough to make it again.
type Meta struct {
	Instrument        string `json:"instrument"`
	InstrumentVersion string `json:"instrument_version"`
	InstrumentHash    string `json:"instrument_hash"`
	Norm              string `json:"norm"`
	NormKind          string `json:"norm_kind"`
	ScoringVersion    string `json:"scoring_version"`
	RoleProfile       string `json:"role_profile"` // key@version
	Language          string `json:"language"`     // of the names, labels and messages
}

// Complete reports whether everything could be scored; only then Scores may be called.
func (r Result) Complete() bool { return r.Overall != nil && r.Persona != nil }

// Scores is the wire part of a complete result (API description 2.3, 2.4).
func (r Result) Scores() typus.Scores {
	s := typus.Scores{
		Overall:    *r.Overall,
		Fit:        typus.Fit{Key: r.Fit.Key, Label: r.Fit.Label},
		Persona:    typus.Persona{Key: r.Persona.Key, Name: r.Persona.Name, Subtitle: r.Persona.Subtitle},
		Dimensions: make([]typus.DimensionScore, 0, len(r.Dimensions)),
		Warnings:   make([]typus.Warning, 0, len(r.Warnings)),
	}
	for _, d := range r.Dimensions {
		s.Dimensions = append(s.Dimensions, typus.DimensionScore{Key: d.Key, Name: d.Name, Score: d.Score})
	}
	for _, w := range r.Warnings {
		s.Warnings = append(s.Warnings, typus.Warning{Key: w.Key, Severity: w.Severity, Message: w.Message})
	}
	return s
}
