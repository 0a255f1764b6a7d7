package report

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"typus"
	"typus/internal/instrument"
)

// anyStored draws a real result of any answers for any role.
func anyStored(t testing.TB) *rapid.Generator[Stored] {
	return rapid.Custom(func(r *rapid.T) Stored {
		s := instrument.Own().NewSheet()
		for p := range s.Answers {
			s.Answers[p] = instrument.Answer{Value: rapid.IntRange(0, 6).Draw(r, "value"), ActiveMS: rapid.IntRange(0, 9000).Draw(r, "active")}
		}
		role := rapid.SampledFrom(instrument.Own().Roles()).Draw(r, "role")
		return stored(t, s, role.Key)
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
		if a := (Area{Width: 100, Row: 4}); !sameFigures(Bars(de.Dimensions, a), Bars(en.Dimensions, a)) {
			r.Fatalf("%+v\n%+v", de.Dimensions, en.Dimensions)
		}
	})
}

func sameFigures(a, b Chart) bool {
	for i := range a.Rows {
		a.Rows[i].Name, b.Rows[i].Name = "", ""
	}
	return reflect.DeepEqual(a, b)
}

func TestNothingIsSaidOfWhatIsNearerThanCanBeToldApart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		for _, d := range Of(instrument.Own(), anyStored(t).Draw(r, "stored"), "de").Dimensions {
			far := d.Scored && (d.Score >= 71 || d.Score <= 29)
			if d.Stands != "" && !far || d.Key == "integrity" && d.Stands != "" {
				r.Fatalf("%s at %d: %s", d.Key, d.Score, d.Stands)
			}
		}
	})
}

func TestAWarningChangesNoFigure(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := anyStored(t).Draw(r, "stored")
		with := Of(instrument.Own(), s, "en")
		s.Result.Warnings = nil
		without := Of(instrument.Own(), s, "en")
		if !reflect.DeepEqual(with.Dimensions, without.Dimensions) || !reflect.DeepEqual(with.Overall, without.Overall) || !reflect.DeepEqual(with.Fit, without.Fit) {
			r.Fatal("a warning changed the result")
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
			shown[got.Persona.Ambiguous]++
		}
		for _, x := range s.Result.Warnings {
			if hidden := x.Key == instrument.WarnAmbiguous && got.Persona == nil; shown[x.Message] != 1 && !hidden {
				r.Fatalf("%s is shown %d times", x.Key, shown[x.Message])
			}
		}
	})
}
