package report

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"typus"
	"typus/internal/instrument"
)

// anyStored draws a real result of any answers for any role.
func anyStored(t testing.TB) *rapid.Generator[Stored] {
	return rapid.Custom(func(r *rapid.T) Stored {
		in := instrument.Own()
		s := in.NewSheet()
		for p := range s.Answers {
			s.Answers[p] = instrument.Answer{Value: rapid.IntRange(0, 6).Draw(r, "value"), ActiveMS: rapid.IntRange(0, 9000).Draw(r, "active")}
		}
		role := rapid.SampledFrom(in.Roles()).Draw(r, "role")
		return stored(t, in, s, role.Key)
	})
}

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
		s := rapid.OneOf(anyStored(t), anyDamaged()).Draw(r, "stored")
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
	rapid.Check(t, func(r *rapid.T) {
		s := anyStored(t).Draw(r, "stored")
		de, en := Of(instrument.Own(), s, "de"), Of(instrument.Own(), s, "en")
		if !reflect.DeepEqual(de.Overall, en.Overall) || de.Quality.Grade != en.Quality.Grade || len(de.Dimensions) != len(en.Dimensions) {
			r.Fatalf("%+v\n%+v", de, en)
		}
		if !sameFigures(Bars(de.Dimensions, chartArea), Bars(en.Dimensions, chartArea)) {
			r.Fatalf("%+v\n%+v", de.Dimensions, en.Dimensions)
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
	rapid.Check(t, func(r *rapid.T) {
		s := anyStored(t).Draw(r, "stored")
		lang := rapid.SampledFrom([]string{"de", "en"}).Draw(r, "lang")
		got := Of(instrument.Own(), s, lang)
		low, high, integrity := 100, 0, -1
		plain := !got.Doubtful() // else nothing is interpreted
		for _, d := range got.Dimensions {
			far := plain && d.Scored && (d.Score >= 50+got.Reliable.Two || d.Score <= 50-got.Reliable.Two)
			if (d.Stands != "") != (far && d.Key != unasked) {
				r.Fatalf("%s at %d: %s", d.Key, d.Score, d.Stands)
			}
			if apart := plain && d.Scored && d.Zone != nil && d.Key != unasked && (d.High < d.Zone.Low || d.Low > d.Zone.High); (d.Misses != "") != apart {
				r.Fatalf("%s from %d to %d, zone %+v: %s", d.Key, d.Low, d.High, *d.Zone, d.Misses)
			}
			if d.Scored {
				low, high = min(low, d.Score), max(high, d.Score)
			}
			if d.Scored && d.Key == unasked {
				integrity = d.Score
			}
		}
		if (got.Extremes != "") != (plain && high-low >= got.Reliable.Extremes && integrity != low && integrity != high) {
			r.Fatalf("from %d to %d: %s", low, high, got.Extremes)
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
	rapid.Check(t, func(r *rapid.T) {
		got := Of(instrument.Own(), anyStored(t).Draw(r, "stored"), rapid.SampledFrom([]string{"de", "en"}).Draw(r, "lang"))
		for _, d := range got.Dimensions {
			if d.Score < 50+got.Reliable.Two && (lofty.MatchString(d.Stands) || d.Stands != "" && d.Stands == words()[got.Language].Dimensions[d.Key].High) {
				r.Fatalf("%s at %d: %s", d.Key, d.Score, d.Stands)
			}
		}
	})
}

// What is said of a dimension follows from its own answers: who gives those of another
// dimension gets the sentence that the other had.
func TestWhoSwapsTheAnswersOfTwoDimensionsSwapsTheirTexts(t *testing.T) {
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

// The costs take from 100 what the overall score lacks, to the point, and no more.
func TestTheCostsOfAResultAddUpToWhatItLacks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := anyStored(t).Draw(r, "stored")
		got := Of(instrument.Own(), s, "de")
		if got.Overall == nil || got.Doubtful() {
			return
		}
		left := 100
		for i, c := range got.Costs {
			left -= c.Points
			inside := c.Score >= c.Zone.Low && c.Score <= c.Zone.High
			if c.After != left || c.Points < 1 || i > 0 && c.Points > got.Costs[i-1].Points || inside && c.Points > 1 || c.Above && c.Score < c.Zone.High {
				r.Fatalf("%+v", got.Costs)
			}
		}
		if got.Costs == nil || left != got.Overall.Score {
			r.Fatalf("%d is left of 100, the overall score is %d", left, got.Overall.Score)
		}
	})
}

func TestAnOverallScoreThatNoFormulaGivesIsNotTakenApart(t *testing.T) {
	s := vectors(t, "1.0.0")[20].stored(t)
	s.Result.OverallExact += 1.5
	if got := Of(instrument.Own(), s, "de"); got.Costs != nil || got.Overall == nil {
		t.Errorf("%+v", got.Costs)
	}
}

func TestAWarningChangesNoFigure(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := anyStored(t).Draw(r, "stored")
		with := Of(instrument.Own(), s, "en")
		s.Result.Warnings = nil
		without := Of(instrument.Own(), s, "en")
		if !with.Doubtful() && (!reflect.DeepEqual(with.Dimensions, without.Dimensions) || !reflect.DeepEqual(with.Fit, without.Fit)) {
			r.Fatal("a warning changed what is said of the figures")
		}
		if !reflect.DeepEqual(with.Overall, without.Overall) || !reflect.DeepEqual(Bars(with.Dimensions, chartArea), Bars(without.Dimensions, chartArea)) {
			r.Fatal("a warning changed a figure")
		}
		if without.Quality.Grade != GradeClear {
			r.Fatalf("without warnings the quality is %s", without.Quality.Grade)
		}
	})
}

func TestEveryWarningIsShownOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := anyStored(t).Draw(r, "stored")
		s.Result.Warnings = append(s.Result.Warnings, instrument.Warning{Key: "of_tomorrow", Severity: typus.SeverityNotice, Message: "Etwas Neues."})
		got := Of(instrument.Own(), s, "de")
		shown := map[string]int{got.Quality.Advice: 1}
		for _, c := range got.Quality.Checks {
			for _, m := range c.Messages {
				shown[m]++
			}
		}
		if got.Persona != nil && got.Persona.Ambiguous != "" {
			if said := words()["de"].Levels; got.Persona.Level != said["ambiguous"] {
				r.Fatalf("an ambiguous pattern is called %s", got.Persona.Level)
			}
			shown[got.Persona.Ambiguous]++
		}
		for _, x := range s.Result.Warnings {
			if hidden := x.Key == instrument.WarnAmbiguous && got.Persona == nil; shown[x.Message] != 1 && !hidden {
				r.Fatalf("%s is shown %d times", x.Key, shown[x.Message])
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
		s, core := anyStored(t).Draw(r, "stored"), chosen.Draw(r, "chosen")
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
	rapid.Check(t, func(r *rapid.T) {
		s := anyStored(t).Draw(r, "stored")
		lang := rapid.SampledFrom([]string{"de", "en"}).Draw(r, "lang")
		g, report := GuideOf(in, s.Role, lang), Of(in, s, lang)
		if !reflect.DeepEqual(g, GuideOf(in, s.Role, lang)) || len(g.Core) < 3 || len(g.Core) > 8 || len(g.Role) != 2 {
			r.Fatalf("%+v", g)
		}
		asked := map[string]bool{}
		once := func(q Question) {
			if asked[q.Key] || q.Ask == "" || q.High == "" || q.Low == "" {
				r.Fatalf("%+v", q)
			}
			asked[q.Key] = true
		}
		for _, q := range g.Questions() {
			once(q)
		}
		followed := map[string]bool{}
		for _, t := range FollowUps(in, s, lang) {
			followed[t.Key] = len(t.Questions) == 2
			for _, q := range t.Questions {
				once(q)
			}
		}
		for _, d := range report.Dimensions {
			below := d.Scored && d.Key != unasked && d.Zone.Low-d.Score >= report.Reliable.Below && !report.Doubtful()
			if followed[d.Key] != below {
				r.Fatalf("%s at %d, zone %+v: followed up %t", d.Key, d.Score, *d.Zone, followed[d.Key])
			}
		}
	})
}
