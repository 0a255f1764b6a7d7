package instrument

import (
	"math"
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// goldenFiles hold, for each version, what testdata/instrument_reference*.py says of
// known sheets.
var goldenFiles = map[string]string{"1.0.0": "golden_vectors.json", "2.0.0": "golden_vectors_2.json"}

type goldenFile struct {
	Version    string                                   `json:"version"`
	Order      []string                                 `json:"order"`
	Points     int                                      `json:"points"`
	Reversed   []string                                 `json:"reversed"`
	Norms      map[string]struct{ Mu, SD, Rel float64 } `json:"norms"`
	Roles      map[string]map[string][4]float64         `json:"roles"`
	FitBounds  [][2]any                                 `json:"fit_bounds"`
	Shapes     map[string][]float64                     `json:"shapes"`
	Radius     float64                                  `json:"radius"`
	Thresholds map[string]float64                       `json:"thresholds"`
	Prototypes map[string][]float64                     `json:"prototypes"`
	Vectors    []goldenVector                           `json:"vectors"`

	// From version 2.0.0 on.
	Warnings     []string                      `json:"warnings"`
	Careless     carelessDef                   `json:"careless"`
	Levels       levelsDef                     `json:"levels"`
	Correlations map[string]map[string]float64 `json:"correlations"`
	Predictive   struct{ A, B [][]float64 }    `json:"predictive"`
	Range90      map[int]float64               `json:"studentised_range_90"`
	Constants    map[string]goldenConstants    `json:"constants"`
}

// goldenConstants are the differences that can be told apart at one reliability.
type goldenConstants struct {
	ReliableDifference int            `json:"reliable_difference"`
	HighestLowest      int            `json:"highest_lowest"`
	OverallDifference  map[string]int `json:"overall_difference"`
}

type goldenVector struct {
	Name    string   `json:"name"`
	Role    string   `json:"role"`
	Answers []*int   `json:"answers"`
	RTMS    []int    `json:"rt_ms"`
	GapsMS  []int    `json:"gaps_ms"`
	Expect  expected `json:"expect"`
}

// expected is what the reference says of one sheet; nil where it says null or nothing.
type expected struct {
	Overall      *int     `json:"overall"`
	OverallExact *float64 `json:"overall_exact"`
	OverallSEM   *float64 `json:"overall_sem"` // not in the golden file
	Fit          *string  `json:"fit"`
	Borderline   []int    `json:"borderline"`
	Persona      *struct {
		Key       string  `json:"key"`
		Secondary string  `json:"secondary"`
		Pairwise  float64 `json:"pairwise"`
		Stability int     `json:"stability"`
		Level     Level   `json:"level"`
		D1        float64 `json:"d1"`
		D2        float64 `json:"d2"`

		SecondShare  int            `json:"second_share"` // from version 2.0.0 on
		NeitherShare int            `json:"neither_share"`
		Draws        map[string]int `json:"draws"`
	} `json:"archetype"`
	Dimensions []struct {
		Key      string   `json:"key"`
		RawSum   int      `json:"raw_sum"`
		Answered int      `json:"answered"`
		POMP     *float64 `json:"pomp"`
		Z        *float64 `json:"z"`
		Score    *int     `json:"score"`
		T        int      `json:"t"`
		PR       int      `json:"pr"`
		Lo90     int      `json:"lo90"`
		Hi90     int      `json:"hi90"`
	} `json:"dimensions"`
	Warnings []struct {
		Code     string `json:"code"`
		Severity string `json:"severity"`
	} `json:"warnings"`
	Indices map[string]*float64 `json:"indices"`
}

func golden(t *testing.T, version string) goldenFile {
	t.Helper()
	data, err := os.ReadFile("testdata/" + goldenFiles[version])
	if err != nil {
		t.Fatal(err)
	}
	var g goldenFile
	if err := json.Unmarshal(data, &g, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	return g
}

func (v goldenVector) sheet() Sheet {
	s := Sheet{Answers: make([]Answer, len(v.Answers))}
	for i, a := range v.Answers {
		if a != nil {
			s.Answers[i].Value = *a
		}
		s.Answers[i].ActiveMS = v.RTMS[i]
	}
	for _, gap := range v.GapsMS {
		s.MaxPauseMS = max(s.MaxPauseMS, gap)
	}
	return s
}

func TestEveryGoldenVectorIsScoredAsExpected(t *testing.T) {
	for version, vectors := range map[string]int{"1.0.0": 34, "2.0.0": 97} {
		g, in := golden(t, version), releasedAs(t, version)
		if len(g.Vectors) != vectors || g.Version != version {
			t.Fatalf("%d vectors of %s", len(g.Vectors), g.Version)
		}
		for _, v := range g.Vectors {
			t.Run(version+"/"+v.Name, func(t *testing.T) {
				r, err := in.Score(v.sheet(), v.Role)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, v.Expect, r)
				if v.Expect.Persona != nil {
					compareDraws(t, in, v.Expect.Persona.Draws, r)
				}
			})
		}
	}
}

func releasedAs(t testing.TB, version string) *Instrument {
	t.Helper()
	in, ok := Released(ownID + "@" + version)
	if !ok {
		t.Fatalf("version %s was never released", version)
	}
	return in
}

// compareDraws checks to which type each of the draws fell. Version 1.0.0 has none.
func compareDraws(t *testing.T, in *Instrument, want map[string]int, r Result) {
	t.Helper()
	if in.types.repeat == nil {
		if want != nil || r.Persona.Shared() {
			t.Errorf("persona %+v, draws %v", *r.Persona, want)
		}
		return
	}
	var z []float64
	for _, d := range in.types.dimensions {
		z = append(z, r.Dimensions[d].Z)
	}
	got := make(map[string]int)
	for i, n := range in.types.repeat.counts(z) {
		got[in.types.keys[i]] = n
	}
	if diff := cmp.Diff(want, got); diff != "" || !r.Persona.Shared() {
		t.Errorf("draws of %+v (-want +got)\n%s", *r.Persona, diff)
	}
}

// compare checks every value. The reference gives POMP and z with four decimals, all else
// with six or more.
func compare(t *testing.T, want expected, got Result) {
	t.Helper()
	compareOverall(t, want, got)
	compareArchetype(t, want, got)
	compareDimensions(t, want, got)
	compareIndices(t, want.Indices, got.Indices)
	warnings := [][2]string{}
	for _, w := range got.Warnings {
		warnings = append(warnings, [2]string{w.Key, string(w.Severity)})
		if w.Message == "" {
			t.Errorf("%s has no message", w.Key)
		}
	}
	expectedWarnings := [][2]string{}
	for _, w := range want.Warnings {
		expectedWarnings = append(expectedWarnings, [2]string{w.Code, w.Severity})
	}
	if diff := cmp.Diff(expectedWarnings, warnings); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
}

func compareOverall(t *testing.T, want expected, got Result) {
	t.Helper()
	if diff := cmp.Diff(want.Overall, got.Overall); diff != "" {
		t.Fatalf("overall (-want +got)\n%s", diff)
	}
	if (want.Fit == nil) != (got.Fit == nil) {
		t.Fatalf("fit %v, want %v", got.Fit, want.Fit)
	}
	if want.Overall == nil {
		return
	}
	near(t, "overall_exact", *want.OverallExact, got.OverallExact, 1e-6)
	if want.OverallSEM != nil {
		near(t, "overall_sem", *want.OverallSEM, got.OverallSEM, 1e-9)
	}
	if *want.Fit != got.Fit.Key {
		t.Errorf("fit %s, want %s", got.Fit.Key, *want.Fit)
	}
	if diff := cmp.Diff(neighbours(*want.Fit, want.Borderline), got.Fit.Borderline); diff != "" {
		t.Errorf("borderline (-want +got)\n%s", diff)
	}
}

// neighbours turns boundaries, as the reference lists them, into the classes beyond them.
func neighbours(own string, boundaries []int) []string {
	above := map[int]string{90: "A", 78: "B", 62: "C", 45: "D"}
	below := map[int]string{90: "B", 78: "C", 62: "D", 45: "E"}
	keys := []string{}
	for _, b := range boundaries {
		if own <= above[b] {
			keys = append(keys, below[b])
		} else {
			keys = append(keys, above[b])
		}
	}
	return keys
}

func compareArchetype(t *testing.T, want expected, got Result) {
	t.Helper()
	w, a := want.Persona, got.Persona
	if (w == nil) != (a == nil) {
		t.Fatalf("persona %v, want %v", a, w)
	}
	if w == nil {
		return
	}
	if w.Key != a.Key || w.Secondary != a.Secondary.Key || w.Stability != a.Stability || w.Level != a.Level ||
		w.SecondShare != a.SecondShare || w.NeitherShare != a.NeitherShare {
		t.Errorf("persona %+v, want %+v", *a, *w)
	}
	near(t, "pairwise", w.Pairwise, a.Pairwise, 1e-6)
	near(t, "d1", w.D1, a.Distances[0], 1e-6)
	near(t, "d2", w.D2, a.Distances[1], 1e-6)
}

func compareDimensions(t *testing.T, want expected, got Result) {
	t.Helper()
	if len(want.Dimensions) != len(got.Dimensions) {
		t.Fatalf("%d dimensions, want %d", len(got.Dimensions), len(want.Dimensions))
	}
	for i, w := range want.Dimensions {
		d := got.Dimensions[i]
		if w.Key != d.Key || w.Answered != d.Answered || (w.Score == nil) != (d.Standing == nil) {
			t.Errorf("dimension %+v, want %+v", d, w)
		}
		if w.Score == nil {
			continue
		}
		ints := [6]int{d.Sum, d.Score, d.T, d.PR, d.Band[0], d.Band[1]}
		if expectedInts := [6]int{w.RawSum, *w.Score, w.T, w.PR, w.Lo90, w.Hi90}; ints != expectedInts {
			t.Errorf("%s: sum, score, t, pr and band %v, want %v", d.Key, ints, expectedInts)
		}
		near(t, d.Key+" pomp", *w.POMP, d.POMP, 5.1e-5)
		near(t, d.Key+" z", *w.Z, d.Z, 5.1e-5)
	}
}

// compareIndices checks all fifteen. What the reference leaves out (times that were not
// recorded) is undefined.
func compareIndices(t *testing.T, want map[string]*float64, ix Indices) {
	t.Helper()
	number := func(n int) Index { return defined(float64(n)) }
	got := map[string]Index{
		"longest_run": number(ix.LongestRun), "irv": ix.IRV, "inconsistency": ix.Inconsistency,
		"inconsistency_ratio": ix.InconsistencyRatio, "acquiescence": ix.Acquiescence, "even_odd": ix.EvenOdd,
		"impression_management": ix.ImpressionManagement, "extreme_share": ix.ExtremeShare, "mid_share": ix.MidShare,
		"missing": number(ix.Missing), "attention": {Value: float64(ix.Attention), Defined: ix.Attention != 0},
		"median_ms": ix.MedianMS, "fast_share": ix.FastShare, "very_fast_share": ix.VeryFastShare, "max_gap_ms": number(ix.MaxPauseMS),
	}
	for name := range want {
		if _, known := got[name]; !known {
			t.Errorf("index %s is not compared", name)
		}
	}
	for name, index := range got {
		if w := want[name]; (w == nil) == index.Defined {
			t.Errorf("index %s: %+v, want %v", name, index, w)
		} else if w != nil {
			near(t, name, *w, index.Value, 1e-6)
		}
	}
}

func near(t *testing.T, name string, want, got, tolerance float64) {
	t.Helper()
	if !(math.Abs(want-got) <= tolerance) {
		t.Errorf("%s = %.9g, want %.9g", name, got, want)
	}
}
