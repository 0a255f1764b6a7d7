package instrument

import (
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"typus"
)

func TestWhatNoTestPageCanProduceIsRefused(t *testing.T) {
	for name, change := range map[string]func(*Sheet){
		"too few answers":   func(s *Sheet) { s.Answers = s.Answers[:96] },
		"too many answers":  func(s *Sheet) { s.Answers = append(s.Answers, Answer{}) },
		"below the scale":   func(s *Sheet) { s.Answers[3].Value = -1 },
		"above the scale":   func(s *Sheet) { s.Answers[3].Value = 7 },
		"skipped and given": func(s *Sheet) { s.Answers[3] = Answer{Value: 3, Skipped: true} },
		"negative time":     func(s *Sheet) { s.Answers[3].ActiveMS = -1 },
		"negative changes":  func(s *Sheet) { s.Answers[3].Changes = -1 },
		"negative pause":    func(s *Sheet) { s.MaxPauseMS = -1 },
	} {
		s := attentive(t)
		change(&s)
		if _, err := Own().Score(s, "hunter"); typus.KindOf(err) != typus.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, role := range []string{"", "HUNTER", "leader"} {
		if _, err := Own().Score(attentive(t), role); typus.KindOf(err) != typus.Invalid {
			t.Errorf("role %q: %v", role, err)
		}
	}
}

func TestAWorkedExampleComesOutAsByHand(t *testing.T) {
	sums := map[string]int{
		"achievement_drive": 49, "contact_initiative": 37, "assertiveness": 44, "resilience": 41, "adaptability": 46,
		"customer_orientation": 47, "self_organization": 38, "learning_orientation": 45, "integrity": 50,
	}
	r, err := Own().Score(fromKeyedSums(sums), "general_sales")
	if err != nil {
		t.Fatal(err)
	}
	want := [][5]int{{61, 56, 71, 47, 76}, {40, 45, 31, 25, 55}, {54, 52, 57, 39, 68}, {48, 49, 45, 33, 62}, {58, 54, 65, 43, 72},
		{56, 53, 62, 42, 71}, {40, 45, 31, 25, 55}, {53, 51, 55, 38, 67}, {60, 55, 69, 45, 75}}
	for i, d := range r.Dimensions {
		if got := [5]int{d.Score, d.T, d.PR, d.Band[0], d.Band[1]}; got != want[i] {
			t.Errorf("%s: %v, want %v", d.Key, got, want[i])
		}
	}
	a := r.Persona
	if *r.Overall != 77 || math.Abs(r.OverallExact-77.35) > 0.005 || r.Fit.Key != "C" || !cmp.Equal(r.Fit.Borderline, []string{"B"}) {
		t.Errorf("overall %v %v, fit %+v", *r.Overall, r.OverallExact, r.Fit)
	}
	if a.Key != "allrounder" || a.Secondary.Key != "advisor" || a.Stability != 40 || a.SecondShare != 12 || a.NeitherShare != 48 || a.Level != LevelPredominant {
		t.Errorf("persona %+v", a)
	}
}

// fromKeyedSums spreads a sum over the items of each dimension, the first ones higher by one.
func fromKeyedSums(sums map[string]int) Sheet {
	s := Own().NewSheet()
	for _, d := range Own().dimensions {
		for i, p := range d.positions {
			v := sums[d.key] / 10
			if i < sums[d.key]%10 {
				v++
			}
			s.Answers[p].Value = Own().keyed(p, v)
		}
	}
	for _, p := range Own().hint.positions {
		s.Answers[p].Value = Own().keyed(p, 3)
	}
	s.Answers[Own().control].Value = 2
	return s
}

func TestAnIncompleteResultHasNoOverallFitAndPersona(t *testing.T) {
	s := attentive(t)
	for _, p := range Own().dimensions[0].positions[:3] {
		s.Answers[p] = Answer{}
	}
	r, err := Own().Score(s, "hunter")
	if err != nil || r.Complete() {
		t.Fatalf("complete %v, %v", r.Complete(), err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"overall":null`, `"fit":null`, `"archetype":null`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is missing in %s", want, data)
		}
	}
	if first := r.Dimensions[0]; first.Standing != nil || first.Answered != 7 {
		t.Errorf("%+v", first)
	}
}

func TestTheStoredFormHasTheNamesThatReadersRelyOn(t *testing.T) {
	r, err := Own().Score(attentive(t), "general_sales")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var stored map[string]any
	if err := json.Unmarshal(data, &stored); err != nil {
		t.Fatal(err)
	}
	keys := func(v any) []string { return sortedKeys(v.(map[string]any)) }
	for path, tc := range map[string]struct {
		value any
		want  []string
	}{
		"result":    {stored, []string{"archetype", "dimensionScores", "fit", "indices", "meta", "overall", "overall_exact", "overall_sem", "warnings"}},
		"fit":       {stored["fit"], []string{"borderline", "key", "label"}},
		"archetype": {stored["archetype"], []string{"distances", "key", "level", "name", "neither_share", "pairwise", "second_share", "secondary", "stability", "subtitle"}},
		"dimension": {stored["dimensionScores"].([]any)[0], []string{"answered", "band", "key", "name", "pomp", "pr", "score", "sum", "t", "z"}},
		"meta": {stored["meta"], []string{"instrument", "instrument_hash", "instrument_version", "language", "norm", "norm_kind",
			"role_profile", "scoring_version"}},
	} {
		if diff := cmp.Diff(tc.want, keys(tc.value)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", path, diff)
		}
	}
	want := map[string]any{"instrument": "salespersona", "instrument_version": "2.0.0", "instrument_hash": Own().Hash(), "language": "de",
		"norm": "theoretical-2026-11-28", "norm_kind": "theoretical", "role_profile": "general_sales@1", "scoring_version": "2"}
	if diff := cmp.Diff(want, stored["meta"]); diff != "" {
		t.Errorf("meta (-want +got)\n%s", diff)
	}
}

func TestTheWireShowsNineGermanDimensionsInTheFrozenOrder(t *testing.T) {
	r, err := Own().Score(attentive(t), "general_sales")
	if err != nil {
		t.Fatal(err)
	}
	scores := r.Scores()
	var names []string
	for i, d := range scores.Dimensions {
		names = append(names, d.Name)
		if d.Key != Own().Dimensions()[i] || d.Score != r.Dimensions[i].Score {
			t.Errorf("dimension %d: %+v", i, d)
		}
	}
	want := []string{"Leistungsantrieb", "Kontaktinitiative", "Durchsetzungsstärke", "Umgang mit Rückschlägen", "Gesprächsflexibilität",
		"Kundenorientierung", "Selbstorganisation", "Lernorientierung", "Transparenz und Verbindlichkeit"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
	if scores.Overall != *r.Overall || scores.Fit.Label != Own().FitLabel("de", scores.Fit.Key) || scores.Warnings == nil {
		t.Errorf("%+v", scores)
	}
	if a := scores.Persona; a.Name != Own().PersonaName("de", a.Key) || a.Subtitle != Own().PersonaSubtitle("de", a.Key) {
		t.Errorf("%+v", a)
	}
}

// Whoever sorts by the overall score has sorted by the class, too.
func TestTheClassFollowsFromTheOverallScoreAlone(t *testing.T) {
	in := Own()
	last := ""
	for overall := 100; overall >= 0; overall-- {
		f := in.fit(overall, float64(overall), 1)
		if wide := in.fit(overall, float64(overall), 20); f.Key < last || wide.Key != f.Key {
			t.Errorf("at %d the class is %s and %s, above it %s", overall, f.Key, wide.Key, last)
		}
		last = f.Key
	}
	if last != "E" {
		t.Errorf("the lowest class is %s", last)
	}
}
