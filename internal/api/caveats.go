package api

import (
	"typus"
	"typus/internal/report"
	"typus/internal/store"
)

// caveatsView is the part of extra that says how exact a result is, and whether it may be
// read. All of it is null before the test is finished.
type caveatsView struct {
	Instrument    *string       `json:"instrument"`
	OverallBand   *[2]int       `json:"overall_band"` // also null where none was stored
	FitBorderline *[]string     `json:"fit_borderline"`
	Archetype     *patternView  `json:"archetype"`
	Norm          *normOfResult `json:"norm"`
	Interpretable *bool         `json:"interpretable"`
}

// patternView is how far the pattern of a result can be trusted.
type patternView struct {
	Secondary   *namedView `json:"secondary"`
	Stability   int        `json:"stability"`
	SecondShare *int       `json:"second_share"` // null for a result of before 2.0.0
	Level       string     `json:"level"`
}

type namedView struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

// normOfResult is whom a result is compared with.
type normOfResult struct {
	Key         string   `json:"key"`
	Kind        string   `json:"kind"`
	Reliability *float64 `json:"reliability"` // null for a version that this program does not have
	Assumed     bool     `json:"assumed"`
}

// viewCaveats is about a candidate's stored result, and empty without one.
func (a *api) viewCaveats(c typus.Candidate, result store.Result) (caveatsView, error) {
	if c.Scores == nil || result.Scores == nil {
		return caveatsView{}, nil
	}
	found, err := report.CaveatsOf(result.Scores)
	if err != nil {
		return caveatsView{}, err
	}
	v := caveatsView{
		Instrument: &result.Instrument, FitBorderline: new(append([]string{}, found.Borderline...)),
		Archetype:     &patternView{Stability: found.Stability, SecondShare: found.SecondShare, Level: string(found.Level)},
		Norm:          &normOfResult{Key: found.Norm, Kind: found.NormKind, Assumed: found.Assumed()},
		Interpretable: new(!c.Scores.Doubtful()),
	}
	if in, known := a.tests.Version(result.Instrument); known {
		reliability := in.Reliability()
		v.Norm.Reliability = &reliability
	}
	if found.Band != nil {
		v.OverallBand = &[2]int{found.Band.Low, found.Band.High}
	}
	if found.Second.Key != "" {
		v.Archetype.Secondary = new(namedView(found.Second))
	}
	return v, nil
}
