package instrument

import (
	"errors"
	"testing"
	"testing/fstest"

	"typus"
)

// A whole instrument in little: two dimensions, three types, one role, thresholds, no words.
const (
	smallDefinition = `
schema: instrument/1
id: small
version: 2.1.0
scale: {min: 1, max: 4}
scales:
  - {key: pace, role: dimension, min_answered: 3, missing: mean}
  - {key: depth, role: dimension, min_answered: 3, missing: mean}
  - {key: gloss, role: hint, min_answered: 1, missing: mean}
items:
  - {id: pa01, type: scored, scale: pace, keyed: plus}
  - {id: de01, type: scored, scale: depth, keyed: minus}
  - {id: pa02, type: scored, scale: pace, keyed: minus}
  - {id: de02, type: scored, scale: depth, keyed: plus}
  - {id: gl01, type: hint, scale: gloss, keyed: plus}
  - {id: pa03, type: scored, scale: pace, keyed: plus}
  - {id: de03, type: scored, scale: depth, keyed: minus}
  - {id: at01, type: instructed, expect: 3}
  - {id: pa04, type: scored, scale: pace, keyed: minus}
  - {id: de04, type: scored, scale: depth, keyed: plus}
order: {mode: fixed, block_size: 2, list: [pa01, de01, pa02, de02, gl01, pa03, de03, at01, pa04, de04]}
pairs: [{a: pa01, b: pa03, kind: synonym}, {a: de01, b: de02, kind: antonym}]
quality: {inc_notice: 1, inc_ratio_notice: 0.9, inc_caution: 2, inc_ratio_caution: 0.95, pairs_min: 1, run_notice: 3, run_caution: 5,
  irv_caution: 0.5, fast_item_ms: 2000, fast_share_notice: 0.25, fast_share_caution: 0.5, very_fast_ms: 1000,
  very_fast_share_caution: 0.1, very_fast_share_doubtful: 0.5, even_odd_low: 0.3, pause_ms: 600000, im_notice: 85,
  elevated_mean_z: 1.4, extreme_share: 0.75, mid_share: 0.8, acq: 1, missing_share_notice: 0.03, stability_ambiguous_pct: 33}
typology:
  dimensions: [pace, depth]
  center: person_mean
  radius: 1.6
  types: [{key: sprinter, shape: [1, 0]}, {key: diver, shape: [0, 1]}, {key: both, shape: [0, 0]}]
  stability_table: [[0.5, 0.4], [1, 0.9]]
  levels: {clear: 55, predominant: 40}
fit: {borderline_sem: 0.5, classes: [{key: A, from: 70}, {key: B, from: 40}, {key: C, from: 0}]}
scoring: {version: 3, score: {mean: 50, sd: 20, clip: [0, 100]}, outputs: [sum, z]}
`
	smallNorm = `
norm: {id: n, kind: theoretical, instrument: small@2, language: any, n: 0}
values: {pace: {mu: 50, sigma: 20, rel: 0.8}, depth: {mu: 50, sigma: 20, rel: 0.8}}
`
	smallRole = `
role: {key: r, version: 4, below: 2, zones: {pace: {w: 0.5, lo: 60, hi: 90, above: 1}, depth: {w: 0.5, lo: 40, hi: 100, above: 0}}}
`
)

func smallFiles(definition, norm, role string) fstest.MapFS {
	return fstest.MapFS{definitionFile: {Data: []byte(definition)}, "norms/n.yaml": {Data: []byte(norm)}, "roles/r@4.yaml": {Data: []byte(role)}}
}

func TestAnInstrumentWithoutWordsIsNamedByItsKeys(t *testing.T) {
	in, err := Load(smallFiles(smallDefinition, smallNorm, smallRole))
	if err != nil {
		t.Fatal(err)
	}
	if in.Ref() != "small@2.1.0" || in.ScoringVersion() != "3" || in.NormID() != "n" || in.Blocks() != 4 {
		t.Errorf("%s, scoring %s, norm %s, %d blocks", in.Ref(), in.ScoringVersion(), in.NormID(), in.Blocks())
	}
	s := sheetOf([]int{4, 3, 1, 2, 1, 4, 3, 3, 1, 2}) // all pace, average depth
	r, err := in.Score(s, "r")
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Dimensions[0]; d.Name != "pace" || d.Sum != 16 || d.POMP != 100 || d.Z != 2.5 || d.Score != 100 {
		t.Errorf("%+v %+v", d, d.Standing)
	}
	if d := r.Dimensions[1]; d.Sum != 8 || d.Score != 33 {
		t.Errorf("%+v %+v", d, d.Standing)
	}
	// pace: 100 is 10 above the zone, 90 of 100; depth: 33 1/3 is 6 2/3 below it, 86 2/3
	// of 100.
	near(t, "overall", 0.5*90+0.5*(100-2*20.0/3), r.OverallExact, 1e-9)
	if r.Fit.Key != "A" || r.Persona.Key != "sprinter" || r.Persona.Secondary.Key != "both" || r.Meta.RoleProfile != "r@4" {
		t.Errorf("%+v %+v %+v", r.Fit, r.Persona, r.Meta)
	}
}

// Whatever the files hold, loading ends with an instrument that can be used or with a
// refusal that names faults.
func FuzzLoadingAnInstrument(f *testing.F) {
	f.Add(smallDefinition, smallNorm, smallRole)
	f.Fuzz(func(t *testing.T, definition, norm, role string) {
		if len(definition)+len(norm)+len(role) > 16<<10 {
			t.Skip("the YAML parser is slow on long nonsense")
		}
		in, err := Load(smallFiles(definition, norm, role))
		if err != nil {
			var refusal *typus.Error
			if !errors.As(err, &refusal) || refusal.Kind != typus.Invalid || len(refusal.Fields) == 0 {
				t.Fatalf("refused without a reason: %v", err)
			}
			return
		}
		s := in.NewSheet()
		for _, p := range in.Open(s) {
			s.Answers[p] = Answer{Value: in.def.Scale.Min, ActiveMS: 1}
		}
		if _, err := in.Score(s, "r"); err != nil {
			t.Fatal(err)
		}
	})
}
