package report

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"typus"
	"typus/internal/instrument"
)

// anyPeople draws two to five people with scores from anywhere, some without a score in a
// dimension and so without an overall score, some whose answers should not be interpreted
// or were given by nobody.
func anyPeople(t testing.TB) *rapid.Generator[[]Person] {
	in := instrument.Own()
	sheet := in.NewSheet()
	for i, item := range in.Items() {
		sheet.Answers[i] = instrument.Answer{Value: 2 + i%3, ActiveMS: 4000}
		if item.Expect != 0 {
			sheet.Answers[i].Value = item.Expect
		}
	}
	base := stored(t, in, sheet, in.Roles()[0].Key)
	return rapid.Custom(func(r *rapid.T) []Person {
		people := make([]Person, rapid.IntRange(2, 5).Draw(r, "people"))
		for i := range people {
			p := Person{Name: fmt.Sprint("Person ", i), Stored: base}
			overall := rapid.IntRange(0, 100).Draw(r, "overall")
			p.Result.Overall, p.Result.OverallExact = &overall, float64(overall)
			p.Result.Dimensions = slices.Clone(base.Result.Dimensions)
			for d := range p.Result.Dimensions {
				score := rapid.IntRange(0, 100).Draw(r, "score")
				p.Result.Dimensions[d].Standing = &instrument.Standing{Score: score, Band: [2]int{max(0, score-15), min(100, score+15)}}
			}
			if rapid.IntRange(0, 4).Draw(r, "gap") == 0 {
				p.Result.Dimensions[3].Standing, p.Result.Overall, p.Result.Fit, p.Result.Persona = nil, nil, nil, nil
			}
			if rapid.IntRange(0, 4).Draw(r, "doubtful") == 0 {
				p.Result.Warnings = []instrument.Warning{{Key: instrument.WarnDoubtful, Severity: typus.SeverityCaution}}
			}
			p.MadeUp = rapid.IntRange(0, 4).Draw(r, "made up") == 0
			people[i] = p
		}
		return people
	})
}

// Points of the studentised range (90 %, infinite degrees of freedom), from tables.
var tabled = map[int]float64{2: 1.645 * math.Sqrt2, 3: 2.902, 4: 3.240, 5: 3.478}

func TestASentenceOnADifferenceExistsIfAndOnlyIfItIsReliable(t *testing.T) {
	people := anyPeople(t)
	sem := 20 * math.Sqrt(1-instrument.Own().Reliability())
	rapid.Check(t, func(r *rapid.T) {
		list := people.Draw(r, "people")
		got := ComparisonOf(instrument.Own(), list, rapid.SampledFrom([]string{"de", "en"}).Draw(r, "language"))
		shown := 0
		for _, p := range got.People {
			if p.Doubt == "" {
				shown++
			}
			if p.MadeUp && (p.Doubt == "" || p.Legible != "") || got.Head.MadeUp != nil {
				r.Fatalf("made-up answers pass for a person's: %+v", p)
			}
		}
		check := func(what string, c Compare, error float64, original func(Person) (int, bool)) {
			apart := int(math.Floor(tabled[max(2, shown)]*error + 0.5))
			want, scored := map[[2]int]bool{}, 0
			for i, a := range list {
				x, has := original(a)
				has = has && got.People[i].Doubt == ""
				if s := c.Scores[i]; s.Scored != has || has && s.Score != x || !has && s.Score+s.Low+s.High != 0 {
					r.Fatalf("%s: %+v is shown for %d, %t", what, s, x, has)
				}
				if has {
					scored++
				}
				for j, b := range list {
					y, too := original(b)
					if has && too && got.People[j].Doubt == "" && x-y >= apart {
						want[[2]int{i, j}] = true
					}
				}
			}
			for _, d := range c.Differences {
				for _, lower := range d.Lower {
					if !want[[2]int{d.Higher, lower}] || !strings.Contains(d.Sentence, list[d.Higher].Name) || !strings.Contains(d.Sentence, list[lower].Name) {
						r.Fatalf("%s: %+v, reliable from %d points on: %+v", what, d, apart, c.Scores)
					}
					delete(want, [2]int{d.Higher, lower})
				}
			}
			if len(want) > 0 || (c.None == "") != (len(c.Differences) > 0) {
				r.Fatalf("%s: nothing is said of %v; %q", what, want, c.None)
			}
			if alike := words()[got.Language].Draft.Alike; (c.None == alike) != (scored > 1 && len(c.Differences) == 0) {
				r.Fatalf("%s: %d with a score, said %q", what, scored, c.None)
			}
		}
		for d, dimension := range got.Dimensions {
			if dimension.Key == unasked {
				if len(dimension.Differences) > 0 || dimension.None == "" {
					r.Fatalf("words about %s: %+v", unasked, dimension)
				}
				continue
			}
			check(dimension.Key, dimension.Compare, sem, func(p Person) (int, bool) {
				s := p.Result.Dimensions[d].Standing
				if s == nil {
					return 0, false
				}
				return s.Score, true
			})
		}
		check("overall", got.Overall, list[0].Result.OverallSEM, func(p Person) (int, bool) {
			if p.Result.Overall == nil {
				return 0, false
			}
			return *p.Result.Overall, true
		})
	})
}

func TestTwoPeopleDifferReliablyFromTheFigureOfTheirReportsOn(t *testing.T) {
	people := anyPeople(t)
	rapid.Check(t, func(r *rapid.T) {
		list := people.Draw(r, "people")[:2]
		got, own := ComparisonOf(instrument.Own(), list, "de"), Of(instrument.Own(), list[0].Stored, "de").Reliable
		if got.People[0].Doubt == "" && got.People[1].Doubt == "" && (got.Least.Score != own.Two || got.Least.Overall != own.People) {
			r.Fatalf("%+v, but %+v", got.Least, own)
		}
	})
}

// Names are put into a sentence as they are.
func TestANameIsNoPlaceholder(t *testing.T) {
	if got := filled("{{.Higher}} ({{.Top}}) und {{.Lower}}", "Higher", "{{.Lower}}", "Lower", "{{.Top}}", "Top", "7"); got != "{{.Lower}} (7) und {{.Top}}" {
		t.Errorf("%s", got)
	}
}

func TestTheComparisonOfKnownAnswersSaysWhatItAlwaysSaid(t *testing.T) {
	var people []Person
	for _, k := range vectors(t, "2.0.0") {
		if name, _, _ := strings.Cut(k.Name, "_"); slices.Contains([]string{"G01", "G07", "G08", "G12", "G25"}, name) {
			people = append(people, Person{Name: name, Stored: k.stored(t)})
		}
	}
	if len(people) != 5 {
		t.Fatalf("%d people", len(people))
	}
	for _, lang := range []string{"de", "en"} {
		c := ComparisonOf(instrument.Own(), people, lang)
		for i := range c.Dimensions {
			c.Dimensions[i].About = ""
		}
		got, err := json.MarshalIndent(c, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		same(t, filepath.Join("testdata", "golden", "comparison."+lang+".json"), append(got, '\n'))
	}
}
