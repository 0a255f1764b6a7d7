package report

import (
	"math"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"typus"
	"typus/internal/instrument"
)

// anyDamaged draws a result that no scorer makes: figures from anywhere, in any order.
func anyDamaged() *rapid.Generator[Stored] {
	return rapid.Custom(func(r *rapid.T) Stored {
		anywhere := func(what string) int { return rapid.IntRange(-1000, 1000).Draw(r, what) }
		score := anywhere("overall")
		s := Stored{Result: instrument.Result{
			Overall: &score, OverallExact: rapid.Float64Range(-500, 500).Draw(r, "exact"), OverallSEM: rapid.Float64Range(0, 500).Draw(r, "sem"),
			Persona: &instrument.Persona{Key: "driver", Stability: anywhere("stability")},
		}}
		for _, key := range instrument.Own().Dimensions() {
			s.Result.Dimensions = append(s.Result.Dimensions, instrument.Dimension{Key: key, Standing: &instrument.Standing{
				Score: anywhere("score"), Band: [2]int{anywhere("low"), anywhere("high")},
			}})
			s.Role.Zones = append(s.Role.Zones, instrument.Zone{
				Dimension: key, Weight: rapid.Float64Range(-3, 3).Draw(r, "weight"),
				Low: float64(anywhere("zone low")), High: float64(anywhere("zone high")),
			})
		}
		return s
	})
}

func TestNoFigureLeavesTheScaleAndEveryBandHoldsItsScore(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.OneOf(rapid.SampledFrom(drawn()), anyDamaged()).Draw(r, "stored")
		got := Of(instrument.Own(), s, "de")
		ordered := func(what string, figures ...int) {
			for i, x := range figures {
				if x < 0 || x > 100 || i > 0 && x < figures[i-1] {
					r.Fatalf("%s: %v", what, figures)
				}
			}
		}
		if o := got.Overall; o != nil {
			ordered("overall", o.Low, o.Score, o.High)
		}
		if got.Persona != nil {
			ordered("stability", got.Persona.Stability)
		}
		for _, d := range got.Dimensions {
			ordered(d.Key, d.Low, d.Score, d.High)
			ordered("weight of "+d.Key, d.Weight)
			ordered("zone of "+d.Key, d.Zone.Low, d.Zone.High)
		}
	})
}

func TestTheLanguageOfAReportChangesNoFigure(t *testing.T) {
	everyDrawn(t, func(t *testing.T, s Stored, _ string) {
		de, en := Of(instrument.Own(), s, "de"), Of(instrument.Own(), s, "en")
		if !reflect.DeepEqual(de.Overall, en.Overall) || de.Quality.Grade != en.Quality.Grade || len(de.Dimensions) != len(en.Dimensions) {
			t.Errorf("%+v\n%+v", de, en)
		}
		if !sameFigures(Bars(de.Dimensions, chartArea), Bars(en.Dimensions, chartArea)) {
			t.Errorf("%+v\n%+v", de.Dimensions, en.Dimensions)
		}
	})
}

var chartArea = Area{Width: 100, Row: 4}

func sameFigures(a, b Chart) bool {
	for i := range a.Rows {
		a.Rows[i].Name, b.Rows[i].Name = "", ""
	}
	return reflect.DeepEqual(a, b)
}

// A sentence about a difference exists if and only if the difference is reliable.
func TestASentenceAboutADifferenceIsThereWhereItIsReliableAndNowhereElse(t *testing.T) {
	everyDrawn(t, func(t *testing.T, s Stored, lang string) {
		got := Of(instrument.Own(), s, lang)
		low, high, integrity := 100, 0, -1
		plain := !got.Doubtful() // else nothing is interpreted
		for _, d := range got.Dimensions {
			far := plain && d.Scored && (d.Score >= 50+twoDiffer || d.Score <= 50-twoDiffer)
			if (d.Stands != "") != (far && d.Key != unasked) {
				t.Errorf("%s at %d: %s", d.Key, d.Score, d.Stands)
			}
			if apart := plain && d.Scored && d.Zone != nil && d.Key != unasked && (d.High < d.Zone.Low || d.Low > d.Zone.High); (d.Misses != "") != apart {
				t.Errorf("%s from %d to %d, zone %+v: %s", d.Key, d.Low, d.High, *d.Zone, d.Misses)
			}
			if d.Scored {
				low, high = min(low, d.Score), max(high, d.Score)
			}
			if d.Scored && d.Key == unasked {
				integrity = d.Score
			}
		}
		if (got.Extremes != "") != (plain && high-low >= extremesDiffer && integrity != low && integrity != high) {
			t.Errorf("from %d to %d: %s", low, high, got.Extremes)
		}
	})
}

// lofty says of what it describes that it is high.
var lofty = regexp.MustCompile(`(?i)\bhoch\b|\bhohe[nrs]?\b|\bhigh\b`)

func TestNoTextSaysHighOfAScoreThatIsNot(t *testing.T) {
	for lang, v := range words() {
		for key, d := range v.Dimensions {
			if lofty.MatchString(d.Low + d.Middle) {
				t.Errorf("%s in %s: %q, %q", key, lang, d.Low, d.Middle)
			}
		}
		for key, p := range v.Patterns {
			for _, said := range []string{p.Strengths, p.Overdone, p.Coaching, p.Focus} {
				if lofty.MatchString(said) {
					t.Errorf("%s in %s says how high something is: %s", key, lang, said)
				}
			}
		}
	}
	everyDrawn(t, func(t *testing.T, s Stored, lang string) {
		for _, d := range Of(instrument.Own(), s, lang).Dimensions {
			if d.Score < 50+twoDiffer && (lofty.MatchString(d.Stands) || d.Stands != "" && d.Stands == words()[lang].Dimensions[d.Key].High) {
				t.Errorf("%s at %d: %s", d.Key, d.Score, d.Stands)
			}
		}
	})
}

// What is said of a dimension follows from where it stands in the norm and from nothing
// else: who stands in it as in another gets the sentence that the other had. It cannot be
// said of the answers themselves: each dimension has a mean of its own in the norm, so
// that the same answers stand higher in one than in another. What swapped answers do swap
// is in the properties of the instrument.
func TestWhoSwapsTheStandingsOfTwoDimensionsSwapsTheirTexts(t *testing.T) {
	in := instrument.Own()
	end := func(d Dimension, said dimensionWords) string {
		switch d.Stands {
		case "":
			return "none"
		case said.High:
			return "high"
		case said.Low:
			return "low"
		}
		return d.Stands
	}
	rapid.Check(t, func(r *rapid.T) {
		eight := slices.DeleteFunc(slices.Clone(in.Dimensions()), func(key string) bool { return key == unasked })
		first := rapid.SampledFrom(eight).Draw(r, "first")
		second := rapid.SampledFrom(eight).Draw(r, "second")
		z := map[string]float64{}
		for _, key := range in.Dimensions() {
			z[key] = rapid.Float64Range(-3, 3).Draw(r, key)
		}
		before := Of(in, placed(z), "de").Dimensions
		z[first], z[second] = z[second], z[first]
		after := Of(in, placed(z), "de").Dimensions
		said := words()["de"].Dimensions
		i, j := slices.Index(in.Dimensions(), first), slices.Index(in.Dimensions(), second)
		if end(before[i], said[first]) != end(after[j], said[second]) || end(before[j], said[second]) != end(after[i], said[first]) {
			r.Fatalf("%+v\n%+v", before, after)
		}
	})
}

// placed is a result whose dimensions lie so many standard deviations from the mean.
func placed(z map[string]float64) Stored {
	s := Stored{}
	for _, key := range instrument.Own().Dimensions() {
		score := min(100, max(0, 50+20*z[key]))
		s.Result.Dimensions = append(s.Result.Dimensions, instrument.Dimension{Key: key, Standing: &instrument.Standing{
			Z: z[key], Score: round(score), Band: [2]int{round(max(0, score-15)), round(min(100, score+15))},
		}})
	}
	return s
}

// The costs take from 100 what the overall score lacks, to the point, and no more; each
// is what its dimension misses of the zone times its weight, rounded down or up so that
// they add up.
func TestTheCostsOfAResultAddUpToWhatItLacks(t *testing.T) {
	everyDrawn(t, func(t *testing.T, s Stored, lang string) {
		got := Of(instrument.Own(), s, lang)
		if got.Overall == nil || got.Doubtful() {
			return
		}
		left := 100
		for i, c := range got.Costs {
			left -= c.Points
			if c.After != left || c.Points < 1 || i > 0 && c.Points > got.Costs[i-1].Points {
				t.Errorf("%+v", got.Costs)
			}
			exact, above := missed(s, c.Key)
			if c.Above != above || math.Abs(float64(c.Points)-exact) > 1 {
				t.Errorf("%s takes %d, above: %t; it misses %v", c.Key, c.Points, c.Above, exact)
			}
		}
		if got.Costs == nil || left != got.Overall.Score {
			t.Errorf("%d is left of 100, the overall score is %d", left, got.Overall.Score)
		}
	})
}

// missed is by how many points a dimension lowers the overall score, and whether it lies
// above its zone.
func missed(s Stored, dimension string) (float64, bool) {
	i := slices.IndexFunc(s.Result.Dimensions, func(d instrument.Dimension) bool { return d.Key == dimension })
	score, z := min(100, max(0, 50+20*s.Result.Dimensions[i].Z)), s.Role.Zones[i]
	if score > z.High {
		return z.Weight * min(100, z.Above*(score-z.High)), true
	}
	return z.Weight * min(100, s.Role.Below*max(0, z.Low-score)), false
}

func TestAnOverallScoreThatNoFormulaGivesIsNotTakenApart(t *testing.T) {
	s := vectors(t, "1.0.0")[20].stored(t)
	s.Result.OverallExact += 1.5
	if got := Of(instrument.Own(), s, "de"); got.Costs != nil || got.Overall == nil {
		t.Errorf("%+v", got.Costs)
	}
}

// What the report says of the answers, alone or together, changes no figure and no word
// about one; only a doubtful result is not interpreted.
func TestAWarningChangesNoFigure(t *testing.T) {
	in := instrument.Own()
	bare := func(s Stored, lang string, warnings ...instrument.Warning) Report {
		s.Result.Warnings = warnings
		r := Of(in, s, lang)
		if r.Persona != nil {
			r.Persona.Ambiguous, r.Persona.Level = "", ""
		}
		return r
	}
	everyDrawn(t, func(t *testing.T, s Stored, lang string) {
		without := bare(s, lang)
		if without.Quality.Grade != GradeClear {
			t.Errorf("without warnings the quality is %s", without.Quality.Grade)
		}
		sets := [][]instrument.Warning{s.Result.Warnings}
		for _, key := range in.WarningKeys() {
			sets = append(sets, []instrument.Warning{{Key: key, Severity: typus.SeverityCaution}})
		}
		for _, set := range sets {
			with := bare(s, lang, set...)
			if !reflect.DeepEqual(with.Overall, without.Overall) || !sameFigures(Bars(with.Dimensions, chartArea), Bars(without.Dimensions, chartArea)) {
				t.Errorf("%v changed a figure", set)
			}
			with.Quality = without.Quality
			if doubtful := slices.ContainsFunc(set, func(w instrument.Warning) bool { return w.Key == instrument.WarnDoubtful }); !doubtful && !reflect.DeepEqual(with, without) {
				t.Errorf("%v changed what is said of the figures", set)
			}
		}
	})
}

func TestEveryWarningIsShownOnce(t *testing.T) {
	everyDrawn(t, func(t *testing.T, s Stored, _ string) {
		s.Result.Warnings = append(slices.Clone(s.Result.Warnings), instrument.Warning{Key: "of_tomorrow", Severity: typus.SeverityNotice, Message: "Etwas Neues."})
		got := Of(instrument.Own(), s, "de")
		shown := map[string]int{got.Quality.Advice: 1}
		for _, c := range got.Quality.Checks {
			for _, m := range c.Messages {
				shown[m]++
			}
		}
		if got.Persona != nil && got.Persona.Ambiguous != "" {
			if said := words()["de"].Levels; got.Persona.Level != said["ambiguous"] {
				t.Errorf("an ambiguous pattern is called %s", got.Persona.Level)
			}
			shown[got.Persona.Ambiguous]++
		}
		for _, x := range s.Result.Warnings {
			if hidden := x.Key == instrument.WarnAmbiguous && got.Persona == nil; shown[x.Message] != 1 && !hidden {
				t.Errorf("%s is shown %d times", x.Key, shown[x.Message])
			}
		}
	})
}

// Whatever a team chooses is asked of everybody, in its order and once; what is chosen of a
// dimension is asked of it nowhere else, and never does a score or a role ask about integrity.
func TestAGuideBeginsWithWhatTheTeamHasChosen(t *testing.T) {
	in := instrument.Own()
	chosen := rapid.Custom(func(r *rapid.T) []typus.CoreQuestion {
		var bank []typus.CoreQuestion
		for _, topic := range Bank(in, "de") {
			for _, q := range topic.Questions {
				bank = append(bank, typus.CoreQuestion{Key: q.Key})
			}
		}
		list := rapid.SliceOfNDistinct(rapid.SampledFrom(bank), 2, 7, func(q typus.CoreQuestion) string { return q.Key }).Draw(r, "bank")
		return append(list, typus.CoreQuestion{Key: "own7", Ask: typus.OwnWords{EN: "Why?"}})
	})
	rapid.Check(t, func(r *rapid.T) {
		s, core := rapid.SampledFrom(drawn()).Draw(r, "stored"), chosen.Draw(r, "chosen")
		g := GuideOf(in, s.Role, "de", core...)
		asked := map[string]bool{}
		for i, q := range g.Core {
			if len(g.Core) != len(core) || q.Key != core[i].Key || asked[q.Key] || q.Ask == "" {
				r.Fatalf("chosen are %+v, asked %+v", core, g.Core)
			}
			asked[q.Key] = true
		}
		if last := g.Core[len(core)-1]; !last.Own || last.Lang != "en" || last.High != "" {
			r.Fatalf("the own question is %+v", last)
		}
		for _, topic := range append(g.Role, FollowUps(in, s, "de", core...)...) {
			if topic.Key == unasked || len(topic.Questions) == 0 || len(topic.Questions) > 2 {
				r.Fatalf("%+v", topic)
			}
			for _, q := range topic.Questions {
				if asked[q.Key] {
					r.Fatalf("%s is asked twice", q.Key)
				}
				asked[q.Key] = true
			}
		}
	})
}

// The guide asks what everybody is asked and what the role weighs most; the result adds two
// questions where a score lies more than a standard error below its zone, never about
// integrity, and asks nothing twice.
func TestAGuideAsksByTheRoleAndFollowsUpByTheResult(t *testing.T) {
	in := instrument.Own()
	everyDrawn(t, func(t *testing.T, s Stored, lang string) {
		g, report := GuideOf(in, s.Role, lang), Of(in, s, lang)
		if !reflect.DeepEqual(g, GuideOf(in, s.Role, lang)) || len(g.Core) < 3 || len(g.Core) > 8 || len(g.Role) != 2 {
			t.Errorf("%+v", g)
		}
		asked := map[string]bool{}
		once := func(q Question) {
			if asked[q.Key] || q.Ask == "" || q.High == "" || q.Low == "" {
				t.Errorf("%+v", q)
			}
			asked[q.Key] = true
		}
		for _, q := range g.Questions() {
			once(q)
		}
		followed := map[string]bool{}
		for _, topic := range FollowUps(in, s, lang) {
			followed[topic.Key] = len(topic.Questions) == 2
			for _, q := range topic.Questions {
				once(q)
			}
		}
		for _, d := range report.Dimensions {
			below := d.Scored && d.Key != unasked && d.Zone.Low-d.Score >= moreThanAnSEM && !report.Doubtful()
			if followed[d.Key] != below {
				t.Errorf("%s at %d, zone %+v: followed up %t", d.Key, d.Score, *d.Zone, followed[d.Key])
			}
		}
	})
}
