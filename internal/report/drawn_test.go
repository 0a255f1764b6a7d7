package report

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"typus/internal/instrument"
)

// The report's limits at the reliability of .80 that the norm assumes: 1.645·√2 standard
// errors, 4.037 of them, and more than one. They stand here as worked out by hand, so
// that no test asks the report what is right.
const (
	twoDiffer      = 21
	extremesDiffer = 36
	moreThanAnSEM  = 9
)

const drawnPeople = 600

// drawn are real results, always the same. Most people answer carefully around a level of
// their own for each dimension, since of answers by chance hardly any result may be
// interpreted; every sixth answers by chance. Every third is compared with a made-up
// role, as nobody lies wholly above a zone of ours.
var drawn = sync.OnceValue(func() []Stored {
	rng := rand.New(rand.NewPCG(20261129, 1))
	list := make([]Stored, drawnPeople)
	for i := range list {
		sheet := anyAnswers(rng)
		if i%6 > 0 {
			sheet = careful(rng)
		}
		list[i] = keptWith(sheet, drawnRole(rng, i%3 == 0))
	}
	return list
})

// everyDrawn runs a check on the results, every other one in English.
func everyDrawn(t *testing.T, check func(t *testing.T, s Stored, lang string)) {
	t.Helper()
	for i, s := range drawn() {
		check(t, s, []string{"de", "en"}[i%2])
		if t.Failed() {
			t.Fatalf("it was result %d", i)
		}
	}
}

// careful answers each statement near the level of its dimension; now and then somebody
// skips some, hurries, overlooks the control line or puts everything high, so that there
// are remarks too.
func careful(rng *rand.Rand) instrument.Sheet {
	in := instrument.Own()
	s := in.NewSheet()
	level := map[string]float64{}
	height := []float64{0, 0, 0, 1.1}[rng.IntN(4)]
	for _, key := range in.Dimensions() {
		level[key] = min(6, 4.2+height+0.9*rng.NormFloat64())
	}
	skips, hurries, overlooks := rng.IntN(4) == 0, rng.IntN(4) == 0, rng.IntN(4) == 0
	for p, item := range in.Items() {
		value := min(6, max(1, int(level[item.Scale]+0.7*rng.NormFloat64()+0.5)))
		switch {
		case item.Type == instrument.Instructed && !overlooks:
			value = item.Expect
		case item.Type == instrument.Hint:
			value = 2 + rng.IntN(4)
		case item.Minus:
			value = 7 - value
		}
		s.Answers[p] = instrument.Answer{Value: value, ActiveMS: 3000 + rng.IntN(3000)}
		if skips && rng.IntN(50) == 0 {
			s.Answers[p].Value = 0
		}
		if hurries && rng.IntN(3) == 0 {
			s.Answers[p].ActiveMS = 1500
		}
	}
	return s
}

func anyAnswers(rng *rand.Rand) instrument.Sheet {
	s := instrument.Own().NewSheet()
	skips := rng.IntN(2) == 0
	for p := range s.Answers {
		s.Answers[p] = instrument.Answer{Value: 1 + rng.IntN(6), ActiveMS: rng.IntN(9000)}
		if skips && rng.IntN(6) == 0 {
			s.Answers[p].Value = 0
		}
	}
	return s
}

// drawnRole is one of our roles; the zones of a made-up one lie anywhere and are narrow.
func drawnRole(rng *rand.Rand, madeUp bool) instrument.Role {
	roles := instrument.Own().Roles()
	role := roles[rng.IntN(len(roles))]
	if !madeUp {
		return role
	}
	role.Key, role.Zones = "made_up", slices.Clone(role.Zones)
	for i := range role.Zones {
		low := float64(5 * rng.IntN(16))
		role.Zones[i].Low, role.Zones[i].High, role.Zones[i].Above = low, low+15, 0.5
	}
	return role
}

// keptWith scores a sheet and reads the result back, as it is stored.
func keptWith(sheet instrument.Sheet, role instrument.Role) Stored {
	snapshot, err := json.Marshal(role)
	if err != nil {
		panic(err)
	}
	result, err := instrument.Own().ScoreAgain(sheet, snapshot)
	if err != nil {
		panic(err)
	}
	kept, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	s, err := Read(kept, snapshot)
	if err != nil {
		panic(err)
	}
	return s
}

// A rule that no result reaches is not tested, whatever the tests of it say.
func TestTheDrawnResultsReachAllThatAReportCanSay(t *testing.T) {
	if rel := instrument.Own().Reliability(); rel != 0.80 {
		t.Fatalf("the limits of these tests are those of .80, the norm has %v", rel)
	}
	reached := map[string]int{}
	everyDrawn(t, func(_ *testing.T, s Stored, lang string) {
		r := Of(instrument.Own(), s, lang)
		if r.Overall == nil {
			reached["too few answers"]++
			return
		}
		if r.Doubtful() {
			reached["doubtful"]++
			return
		}
		reached["interpreted"]++
		reached["grade "+string(r.Quality.Grade)]++
		for _, d := range r.Dimensions {
			count(reached, "high", d.Stands != "" && d.Score > 50)
			count(reached, "low", d.Stands != "" && d.Score < 50)
			count(reached, "neither high nor low", d.Stands == "" && d.Key != unasked)
			count(reached, "below its zone", d.Misses != "" && d.High < d.Zone.Low)
			count(reached, "above its zone", d.Misses != "" && d.Low > d.Zone.High)
			count(reached, "outside its zone, within its band", d.Misses == "" && d.Key != unasked && (d.Score < d.Zone.Low || d.Score > d.Zone.High))
		}
		count(reached, "extremes", r.Extremes != "")
		count(reached, "no extremes", r.Extremes == "")
		count(reached, "costs", len(r.Costs) > 1)
		count(reached, "followed up", len(FollowUps(instrument.Own(), s, lang)) > 0)
		count(reached, "ambiguous", r.Persona.Ambiguous != "")
	})
	for _, what := range []string{
		"too few answers", "doubtful", "interpreted", "grade clear", "grade info", "grade notice", "high", "low", "neither high nor low", "below its zone",
		"above its zone", "outside its zone, within its band", "extremes", "no extremes", "costs", "followed up", "ambiguous",
	} {
		if reached[what] < 30 {
			t.Errorf("%q was reached %d times", what, reached[what])
		}
	}
}

func count(reached map[string]int, what string, holds bool) {
	if holds {
		reached[what]++
	}
}
