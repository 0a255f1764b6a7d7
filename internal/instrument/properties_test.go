package instrument

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"typus"
)

// fullSheet draws a sheet with every item answered.
func fullSheet() *rapid.Generator[Sheet] {
	return rapid.Custom(func(t *rapid.T) Sheet {
		s := Own().NewSheet()
		for p := range s.Answers {
			s.Answers[p] = Answer{Value: rapid.IntRange(1, 6).Draw(t, "value"), ActiveMS: rapid.IntRange(0, 9000).Draw(t, "active")}
		}
		return s
	})
}

func anyRole() *rapid.Generator[string] {
	return rapid.Map(rapid.SampledFrom(Own().Roles()), func(r Role) string { return r.Key })
}

func scored(t *rapid.T, in *Instrument, s Sheet, role string) Result {
	t.Helper()
	r, err := in.Score(s, role)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRaisingAKeyedAnswerNeverLowersItsDimension(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := fullSheet().Draw(t, "sheet")
		p := rapid.SampledFrom(Own().scored).Draw(t, "position")
		before := scored(t, Own(), s, "hunter")
		switch a := &s.Answers[p]; {
		case Own().Items()[p].Minus && a.Value > 1:
			a.Value--
		case !Own().Items()[p].Minus && a.Value < 6:
			a.Value++
		}
		after := scored(t, Own(), s, "hunter")
		for i, d := range after.Dimensions {
			if b := before.Dimensions[i]; d.Score < b.Score || d.Z < b.Z || d.PR < b.PR || d.T < b.T {
				t.Fatalf("%s fell from %+v to %+v", d.Key, b.Standing, d.Standing)
			}
		}
	})
}

func TestTheOppositeAnswersMirrorThePercentOfMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := fullSheet().Draw(t, "sheet")
		before := scored(t, Own(), s, "hunter")
		for p := range s.Answers {
			s.Answers[p].Value = 7 - s.Answers[p].Value
		}
		for i, d := range scored(t, Own(), s, "hunter").Dimensions {
			if sum := d.POMP + before.Dimensions[i].POMP; math.Abs(sum-100) > 1e-9 {
				t.Fatalf("%s: %v and %v", d.Key, before.Dimensions[i].POMP, d.POMP)
			}
		}
	})
}

func TestAPersonaIsTheShapeOfAProfileNotItsHeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.SliceOfN(rapid.Float64Range(-3, 3), 8, 8).Draw(t, "z")
		height := rapid.Float64Range(-2, 2).Draw(t, "height")
		before := Own().types.classify(z)
		for i := range z {
			z[i] += height
		}
		after := Own().types.classify(z)
		if before.runnerUp-before.distance < 1e-6 {
			return // on the boundary between two types either is right
		}
		if after.first != before.first || math.Abs(after.distance-before.distance) > 1e-9 || math.Abs(after.pairwise-before.pairwise) > 1e-6 {
			t.Fatalf("%+v became %+v", before, after)
		}
	})
}

func TestTheThreeSharesOfARepeatedTestMakeAHundred(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := *scored(t, Own(), fullSheet().Draw(t, "sheet"), anyRole().Draw(t, "role")).Persona
		if p.Stability+p.SecondShare+p.NeitherShare != 100 || min(p.Stability, p.SecondShare, p.NeitherShare) < 0 || !p.Shared() {
			t.Fatalf("%+v", p)
		}
		if p.Level != LevelMixed && (p.SecondShare > p.Stability || p.Stability < Own().def.Typology.Levels.Predominant) {
			t.Fatalf("named first although the second is likelier: %+v", p)
		}
	})
}

// Breaks are offered by the test itself.
func TestAPauseIsHeldAgainstNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySheet(Own()).Draw(t, "sheet")
		before := scored(t, Own(), s, "hunter")
		s.MaxPauseMS = rapid.IntRange(0, 1<<40).Draw(t, "pause")
		after := scored(t, Own(), s, "hunter")
		after.Indices.MaxPauseMS = before.Indices.MaxPauseMS
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("(-before +with a pause)\n%s", diff)
		}
	})
}

func TestNothingButCarelessnessMakesAnswersDoubtful(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := scored(t, Own(), anySheet(Own()).Draw(t, "sheet"), "hunter")
		if !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Key == WarnDoubtful }) {
			return
		}
		careless := func(w Warning) bool {
			return w.Key != WarnDoubtful && w.Severity == typus.SeverityCaution && Own().careless(w)
		}
		if !slices.ContainsFunc(r.Warnings, careless) {
			t.Fatalf("doubtful by %+v", r.Warnings)
		}
	})
}

// The scores need not swap: the dimensions have different means in the norm.
func TestSwappingTheAnswersOfTwoDimensionsSwapsTheirPercentOfMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := fullSheet().Draw(t, "sheet")
		before := scored(t, Own(), s, "hunter").Dimensions
		i, j := rapid.IntRange(0, 8).Draw(t, "one"), rapid.IntRange(0, 8).Draw(t, "other")
		for n, p := range Own().dimensions[i].positions {
			q := Own().dimensions[j].positions[n]
			s.Answers[p], s.Answers[q] = s.Answers[q], s.Answers[p]
		}
		after := scored(t, Own(), s, "hunter").Dimensions
		if before[i].POMP != after[j].POMP || before[j].POMP != after[i].POMP {
			t.Fatalf("%v and %v became %v and %v", before[i].POMP, before[j].POMP, after[i].POMP, after[j].POMP)
		}
	})
}

// The dimension that leads a pattern need not be the highest of a profile, nor above the
// average: no subtitle may say so.
func TestNoSubtitleClaimsAHeight(t *testing.T) {
	claims := regexp.MustCompile(`(?i)hoch|höch|hoh|stark|stärk|best|sehr|high|strong|great|very|above|über`)
	for _, lang := range Own().Languages() {
		for _, key := range Own().types.keys {
			if said := Own().PersonaSubtitle(lang, key); claims.MatchString(said) {
				t.Errorf("%s: %q", key, said)
			}
		}
	}
}

func TestEveryPrototypeIsItsOwnType(t *testing.T) {
	for i, p := range Own().types.prototypes {
		if v := Own().types.classify(p); v.first != i || v.distance > 1e-12 {
			t.Errorf("%s became %+v", Own().types.keys[i], v)
		}
	}
}

func TestATieGoesToTheTypeThatStandsFirst(t *testing.T) {
	prototypes := Own().types.prototypes
	for i, p := range prototypes {
		for j, q := range prototypes[:i] {
			middle := make([]float64, len(p))
			for d := range p {
				middle[d] = (p[d] + q[d]) / 2
			}
			v := Own().types.classify(middle)
			if (v.first == j || v.first == i) && (v.first != j || v.second != i) {
				t.Errorf("between %s and %s: %+v", Own().types.keys[j], Own().types.keys[i], v)
			}
		}
	}
}

func TestTheOverallScoreStaysBetween0And100(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := scored(t, Own(), fullSheet().Draw(t, "sheet"), anyRole().Draw(t, "role"))
		if *r.Overall < 0 || *r.Overall > 100 {
			t.Fatalf("overall %d", *r.Overall)
		}
		for _, d := range r.Dimensions {
			if d.Score < 0 || d.Score > 100 || d.Band[0] > d.Score || d.Band[1] < d.Score {
				t.Fatalf("%+v", d.Standing)
			}
		}
	})
}

func TestComingNearerToAZoneNeverLowersTheOverallScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		role, _ := Own().Role(anyRole().Draw(t, "role"))
		dims := make([]Dimension, len(role.Zones))
		for i := range dims {
			dims[i].Standing = &Standing{Z: rapid.Float64Range(-3, 3).Draw(t, "z")}
		}
		before := Own().overall(dims, role)
		i := rapid.IntRange(0, len(dims)-1).Draw(t, "dimension")
		top := (role.Zones[i].High - 50) / 20
		if z := &dims[i].Z; *z < top {
			*z = rapid.Float64Range(*z, top).Draw(t, "nearer")
		}
		if after := Own().overall(dims, role); after < before-1e-9 {
			t.Fatalf("overall fell from %v to %v", before, after)
		}
	})
}

func TestAMissingAnswerCountsAsTheMeanOfTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := fullSheet().Draw(t, "sheet")
		i := rapid.IntRange(0, 8).Draw(t, "dimension")
		positions := Own().dimensions[i].positions
		level := rapid.IntRange(2, 5).Draw(t, "level")
		for k := 0; k < 8; k += 2 { // pairs around the level: the mean is a whole answer
			off := rapid.IntRange(0, min(level-1, 6-level)).Draw(t, "off")
			s.Answers[positions[k]].Value = Own().keyed(positions[k], level-off)
			s.Answers[positions[k+1]].Value = Own().keyed(positions[k+1], level+off)
		}
		for _, p := range positions[8:] {
			s.Answers[p].Value = Own().keyed(p, level)
		}
		full := scored(t, Own(), s, "sdr")
		for _, p := range positions[8:] {
			s.Answers[p].Value = 0
		}
		missing := scored(t, Own(), s, "sdr")
		if diff := cmp.Diff(*full.Dimensions[i].Standing, *missing.Dimensions[i].Standing); diff != "" {
			t.Fatalf("(-imputed +missing)\n%s", diff)
		}
		if *full.Overall != *missing.Overall || full.Persona.Key != missing.Persona.Key {
			t.Fatalf("%d %s became %d %s", *full.Overall, full.Persona.Key, *missing.Overall, missing.Persona.Key)
		}
	})
}

func TestScoringTwiceGivesTheSameBytesAndTheyReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySheet(Own()).Draw(t, "sheet")
		role := anyRole().Draw(t, "role")
		first, second := scored(t, Own(), s, role), scored(t, Own(), s, role)
		a, errA := json.Marshal(first)
		b, errB := json.Marshal(second)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Fatalf("%s\n%s\n%v %v", a, b, errA, errB)
		}
		var back Result
		if err := json.Unmarshal(a, &back, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, back); diff != "" {
			t.Fatalf("(-scored +read back)\n%s", diff)
		}
	})
}

// foreign is our own instrument under another id, with a change; as a foreign one it may
// break the rules of order.
func foreign(t *testing.T, old, new string) *Instrument {
	t.Helper()
	m := edited(t, "instrument.yaml", old, new)
	m["instrument.yaml"].Data = bytes.Replace(m["instrument.yaml"].Data, []byte("id: salespersona"), []byte("id: another"), 1)
	norms := m["norms/theoretical-2026-11-28.yaml"]
	norms.Data = bytes.Replace(norms.Data, []byte("salespersona@2"), []byte("another@2"), 1)
	delete(m, "RELEASE")
	in, err := Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestTheLanguageChangesNoNumber(t *testing.T) {
	english := foreign(t, "source_language: de", "source_language: en")
	rapid.Check(t, func(t *rapid.T) {
		s := fullSheet().Draw(t, "sheet")
		de, en := scored(t, Own(), s, "hunter"), scored(t, english, s, "hunter")
		if de.Dimensions[0].Name == en.Dimensions[0].Name {
			t.Fatal("the names should differ")
		}
		if diff := cmp.Diff(numbers(de), numbers(en)); diff != "" {
			t.Fatalf("(-German +English)\n%s", diff)
		}
	})
}

// numbers is a result without its words.
func numbers(r Result) Result {
	r.Meta = Meta{}
	r.Fit = &Fit{Key: r.Fit.Key, Borderline: r.Fit.Borderline}
	a := *r.Persona
	a.Name, a.Subtitle, a.Secondary.Name = "", "", ""
	r.Persona = &a
	r.Dimensions = slices.Clone(r.Dimensions)
	for i := range r.Dimensions {
		r.Dimensions[i].Name = ""
	}
	r.Warnings = slices.Clone(r.Warnings)
	for i := range r.Warnings {
		r.Warnings[i].Message = ""
	}
	return r
}

func TestTheOrderOfPresentationChangesNoScore(t *testing.T) {
	text := string(ownCopy(t)["instrument.yaml"].Data)
	from := strings.Index(text, "    [\n")
	list := text[from : from+strings.Index(text[from:], "]")+1]
	ids := make([]string, len(Own().Items()))
	for i, it := range Own().Items() {
		ids[i] = it.ID
	}
	slices.Sort(ids)
	sorted := foreign(t, list, "    ["+strings.Join(ids, ", ")+"]")
	if len(sorted.Warnings()) == 0 {
		t.Fatal("the sorted order should break the rules of order")
	}
	rapid.Check(t, func(t *rapid.T) {
		s := fullSheet().Draw(t, "sheet")
		byID := make(map[string]Answer)
		for p, it := range Own().Items() {
			byID[it.ID] = s.Answers[p]
		}
		other := sorted.NewSheet()
		for p, it := range sorted.Items() {
			other.Answers[p] = byID[it.ID]
		}
		a, b := numbers(scored(t, Own(), s, "farmer")), numbers(scored(t, sorted, other, "farmer"))
		a.Indices.LongestRun, b.Indices.LongestRun = 0, 0 // the one figure that is about the order
		a.Indices.IRV, b.Indices.IRV = Index{}, Index{}   // sums squares in another order
		a.Warnings, b.Warnings = nil, nil
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("(-frozen order +sorted order)\n%s", diff)
		}
	})
}
