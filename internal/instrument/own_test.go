package instrument

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// frozenOrder is the published order of all versions so far.
const frozenOrder = `
 1: ad01 as07 ap03 so09 in05 ci04 re10 co06 lo02 ap04 so10 in06 ci05 re01
15: co07 lo03 ad02 as08 im01 in07 ci06 re02 co08 lo04 ad03 as09 ap05 so01
29: im02 re03 co09 lo05 ad04 as10 ap06 so02 in08 ci07 lo06 ad05 as01 ap07
43: so03 in09 ci08 re04 co10 im03 as02 ap08 so04 in10 ci09 re05 co01 lo07
57: ad06 im04 so05 in01 ci10 re06 co02 lo08 ad07 as03 ap09 at01 ci01 re07
71: co03 lo09 ad08 as04 ap10 so06 in02 im05 co04 lo10 ad09 as05 ap01 so07
85: in03 ci02 re08 im06 ad10 as06 ap02 so08 in04 ci03 re09 co05 lo01
`

func TestTheOrderIsTheFrozenOne(t *testing.T) {
	var printed []string
	for _, word := range strings.Fields(frozenOrder) {
		if !strings.HasSuffix(word, ":") {
			printed = append(printed, word)
		}
	}
	for version := range releasedHashes {
		var loaded []string
		for _, it := range releasedAs(t, version).Items() {
			loaded = append(loaded, it.ID)
		}
		if diff := cmp.Diff(printed, loaded); diff != "" {
			t.Errorf("order of %s (-printed +loaded)\n%s", version, diff)
		}
		if diff := cmp.Diff(golden(t, version).Order, loaded); diff != "" {
			t.Errorf("order of %s (-reference +loaded)\n%s", version, diff)
		}
	}
}

func TestABlockHasNineScoredItemsOneOfEachDimension(t *testing.T) {
	if Own().Blocks() != 10 {
		t.Fatalf("%d blocks", Own().Blocks())
	}
	scales, others := make(map[int][]string), make(map[int][]string)
	for _, it := range Own().Items() {
		if it.Type == Scored {
			scales[it.Block] = append(scales[it.Block], it.Scale)
		} else {
			others[it.Block] = append(others[it.Block], it.ID)
		}
	}
	for b := 1; b <= 10; b++ {
		slices.Sort(scales[b])
		if all := slices.Sorted(slices.Values(Own().Dimensions())); !slices.Equal(scales[b], all) {
			t.Errorf("block %d: %v", b, scales[b])
		}
	}
	want := map[int][]string{2: {"im01"}, 3: {"im02"}, 5: {"im03"}, 6: {"im04"}, 7: {"at01"}, 8: {"im05"}, 9: {"im06"}}
	if diff := cmp.Diff(want, others); diff != "" {
		t.Errorf("items that are not scored (-want +got)\n%s", diff)
	}
}

func TestTheOwnFilesHoldTheValuesOfTheReference(t *testing.T) {
	for version, thresholds := range map[string]int{"1.0.0": 23, "2.0.0": 18} {
		t.Run(version, func(t *testing.T) {
			in, g := releasedAs(t, version), golden(t, version)
			compareThresholds(t, in, g, thresholds)
			compareTypes(t, in, g)
			compareRules(t, in, g)
			compareNormsAndKeys(t, in, g)
			compareRoles(t, in, g)
		})
	}
}

func compareThresholds(t *testing.T, in *Instrument, g goldenFile, number int) {
	t.Helper()
	thresholds := make(map[string]float64)
	q := reflect.ValueOf(*in.def.Quality)
	for i := range q.NumField() {
		name, _, _ := strings.Cut(q.Type().Field(i).Tag.Get("yaml"), ",")
		if !q.Field(i).IsZero() {
			thresholds[name] = q.Field(i).Convert(reflect.TypeFor[float64]()).Float()
		}
	}
	if diff := cmp.Diff(g.Thresholds, thresholds); diff != "" || len(thresholds) != number {
		t.Errorf("%d thresholds (-reference +loaded)\n%s", len(thresholds), diff)
	}
}

func compareTypes(t *testing.T, in *Instrument, g goldenFile) {
	t.Helper()
	approx := cmpopts.EquateApprox(0, 5e-7)
	shapes, prototypes := make(map[string][]float64), make(map[string][]float64)
	for i, ty := range in.def.Typology.Types {
		shapes[ty.Key], prototypes[ty.Key] = ty.Shape, in.types.prototypes[i]
	}
	if diff := cmp.Diff(g.Shapes, shapes) + cmp.Diff(g.Prototypes, prototypes, approx); diff != "" || g.Radius != in.def.Typology.Radius {
		t.Errorf("types (-reference +loaded)\n%s", diff)
	}
	var bounds [][2]any
	for _, class := range in.def.Fit.Classes {
		bounds = append(bounds, [2]any{class.Key, float64(class.From)})
	}
	if diff := cmp.Diff(g.FitBounds, bounds); diff != "" {
		t.Errorf("classes (-reference +loaded)\n%s", diff)
	}
}

// compareRules checks what the reference of 1.0.0 does not list, because there was
// nothing to choose.
func compareRules(t *testing.T, in *Instrument, g goldenFile) {
	t.Helper()
	repeat := in.types.repeat
	if repeat == nil {
		if in.def.Careless != nil || !slices.Equal(in.def.warningKeys(), everyWarning()) || g.Warnings != nil {
			t.Errorf("rules of another version: %v, %v", in.def.warningKeys(), in.def.Careless)
		}
		return
	}
	if diff := cmp.Diff(g.Warnings, in.def.warningKeys()) + cmp.Diff(g.Careless, *in.def.Careless) + cmp.Diff(g.Levels, in.types.def.Levels); diff != "" {
		t.Errorf("rules (-reference +loaded)\n%s", diff)
	}
	var rel []float64
	correlations := square(len(in.types.dimensions))
	for i, d := range in.types.dimensions {
		rel = append(rel, in.dimensions[d].norm.rel)
		for j, other := range in.types.dimensions {
			correlations[i][j] = g.Correlations[in.dimensions[d].key][in.dimensions[other].key]
		}
	}
	_, b, ok := predictive(rel, correlations)
	approx := cmpopts.EquateApprox(0, 1e-9)
	if diff := cmp.Diff(g.Predictive.A, repeat.shrink, approx) + cmp.Diff(g.Predictive.B, b, approx); diff != "" || !ok {
		t.Errorf("second test (-reference +loaded)\n%s", diff)
	}
	want := goldenConstants{ReliableDifference: in.TwoChosen(), HighestLowest: in.HighestLowest(), OverallDifference: make(map[string]int)}
	for _, r := range in.Roles() {
		want.OverallDifference[r.Key] = in.TwoPeople(r.Key)
	}
	if diff := cmp.Diff(g.Constants["norm"], want); diff != "" {
		t.Errorf("constants (-reference +loaded)\n%s", diff)
	}
	for k, q := range g.Range90 {
		near(t, fmt.Sprintf("range of %d", k), q, studentisedRange(k, 0.90), 1e-6)
	}
}

func compareNormsAndKeys(t *testing.T, in *Instrument, g goldenFile) {
	t.Helper()
	if len(g.Norms) != len(in.dimensions) {
		t.Errorf("%d norms, %d dimensions", len(g.Norms), len(in.dimensions))
	}
	for _, d := range in.dimensions {
		n := g.Norms[d.key]
		if n.Mu != d.norm.mu || n.SD != d.norm.sigma || n.Rel != d.norm.rel {
			t.Errorf("norm of %s: %+v, reference %+v", d.key, *d.norm, n)
		}
	}
	for _, it := range in.Items() {
		if slices.Contains(g.Reversed, it.ID) != it.Minus {
			t.Errorf("%s is keyed minus: %v", it.ID, it.Minus)
		}
	}
}

func compareRoles(t *testing.T, in *Instrument, g goldenFile) {
	t.Helper()
	roles := make(map[string]map[string][4]float64)
	for _, r := range in.Roles() {
		roles[r.Key] = make(map[string][4]float64)
		for _, z := range r.Zones {
			roles[r.Key][z.Dimension] = [4]float64{z.Weight, z.Low, z.High, z.Above}
		}
		if r.Below != 2 || r.Version != 1 {
			t.Errorf("role %+v", r)
		}
	}
	if diff := cmp.Diff(g.Roles, roles); diff != "" {
		t.Errorf("roles (-reference +loaded)\n%s", diff)
	}
	sems := map[string]string{"general_sales": "6.18", "hunter": "6.73", "sdr": "6.61", "inside_sales": "6.18", "farmer": "6.46", "key_account": "6.14", "technical_sales": "6.43"}
	for _, r := range in.Roles() {
		if got := fmt.Sprintf("%.2f", r.sem); got != sems[r.Key] {
			t.Errorf("standard error of %s: %s, want %s", r.Key, got, sems[r.Key])
		}
	}
}

func TestBothLanguagesHaveAllNamesAndStatements(t *testing.T) {
	in := Own()
	if diff := cmp.Diff([]string{"de", "en"}, in.Languages()); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff(sortedKeys(in.texts["de"].Items), sortedKeys(in.texts["en"].Items)); diff != "" {
		t.Errorf("ids (-German +English)\n%s", diff)
	}
	for _, lang := range in.Languages() {
		words := map[string]string{"title": in.Title(lang), "norm": in.NormStatement(lang)}
		for _, it := range in.Items() {
			words[it.ID] = in.Text(lang, it.ID)
		}
		for i, label := range in.Labels(lang) {
			words[fmt.Sprintf("label %d", i+1)] = label
		}
		for _, key := range in.Dimensions() {
			words[key] = in.DimensionName(lang, key)
		}
		for _, r := range in.Roles() {
			words[r.Key] = in.RoleName(lang, r.Key)
		}
		for _, key := range in.types.keys {
			words[key], words[key+" subtitle"] = in.PersonaName(lang, key), in.PersonaSubtitle(lang, key)
		}
		for _, key := range []string{"A", "B", "C", "D", "E"} {
			words[key] = in.FitLabel(lang, key)
		}
		for _, key := range in.def.warningKeys() {
			words[key] = in.WarningMessage(lang, key)
		}
		if want := 2 + 97 + 6 + 9 + 7 + 24 + 5 + 9; len(words) != want {
			t.Errorf("%s: %d names, want %d", lang, len(words), want)
		}
		for what, s := range words {
			if s == "" {
				t.Errorf("%s: no words for %s", lang, what)
			}
		}
	}
	if got := in.DimensionName("fr", "integrity") + in.DimensionName("de", "charm") + in.RoleName("de", "x") + in.Text("fr", "ad01") + in.Text("de", "zz99"); got != "" {
		t.Errorf("names of nothing: %q", got)
	}
}

func TestTheRoleSnapshotHoldsAllThatTheScoreTookFromTheRole(t *testing.T) {
	data, err := Own().RoleSnapshot("hunter")
	if err != nil {
		t.Fatal(err)
	}
	const start = `{"key":"hunter","version":1,"below":2,"zones":[{"dimension":"achievement_drive","weight":0.17,"low":70,"high":100,"above":0},` +
		`{"dimension":"contact_initiative","weight":0.2,"low":70,"high":100,"above":0},{"dimension":"assertiveness","weight":0.15,"low":65,"high":95,"above":0.5},`
	if !strings.HasPrefix(string(data), start) {
		t.Errorf("%s", data)
	}
	if _, err := Own().RoleSnapshot("leader"); err == nil {
		t.Error("a role that does not exist has a snapshot")
	}
	if first := Own().Roles()[0]; first.Key != "general_sales" || first.Ref() != "general_sales@1" {
		t.Errorf("first role %+v", first)
	}
}
