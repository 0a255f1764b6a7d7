package instrument

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"testing/fstest"
)

func TestDifferencesAreReliableFromAsManyPointsOnAsTheNormMeasuresWell(t *testing.T) {
	for rel, want := range map[string]string{"0.70": "25 44 18 19", "0.75": "23 40 16 18", "0.80": "21 36 14 16", "0.85": "18 31 12 14"} {
		in := measuredAs(t, rel)
		least, most := math.MaxInt, 0
		for _, r := range in.Roles() {
			people := in.TwoPeople(r.Key)
			least, most = min(least, people), max(most, people)
		}
		if got := fmt.Sprintf("%d %d %d %d", in.TwoChosen(), in.HighestLowest(), least, most); got != want {
			t.Errorf("at a reliability of %s: %s, want %s", rel, got, want)
		}
		if got := fmt.Sprintf("%.2f", in.Reliability()); got != rel {
			t.Errorf("reliability %s, want %s", got, rel)
		}
	}
}

// measuredAs is our own instrument with another reliability of all dimensions.
func measuredAs(t *testing.T, rel string) *Instrument {
	t.Helper()
	m := ownCopy(t)
	norm := m["norms/theoretical-2026-11-28.yaml"]
	norm.Data = bytes.ReplaceAll(norm.Data, []byte("rel: 0.80"), []byte("rel: "+rel))
	in, err := Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestTheWorstMeasuredDimensionDecidesForAll(t *testing.T) {
	in, err := Load(edited(t, "norms/theoretical-2026-11-28.yaml", "adaptability: {mu: 66, sigma: 16, rel: 0.80}", "adaptability: {mu: 66, sigma: 16, rel: 0.70}"))
	if err != nil {
		t.Fatal(err)
	}
	if in.TwoChosen() != 25 || in.HighestLowest() != 44 || in.Reliability() != 0.7 {
		t.Errorf("%d, %d at %v", in.TwoChosen(), in.HighestLowest(), in.Reliability())
	}
}

func TestAnInstrumentWithoutANormComparesNothing(t *testing.T) {
	in, err := Load(fstest.MapFS{"instrument.yaml": {Data: []byte(peerYAML(t, "ipip-neo-pi-r-50"))}})
	if err != nil {
		t.Fatal(err)
	}
	if in.TwoChosen() != 0 || in.HighestLowest() != 0 || in.TwoPeople("r") != 0 || in.Reliability() != 0 {
		t.Errorf("%d, %d, %d at %v", in.TwoChosen(), in.HighestLowest(), in.TwoPeople("r"), in.Reliability())
	}
}

func TestTheStudentisedRangeOfTwoIsADifferenceOfTwo(t *testing.T) {
	for k, want := range map[int]float64{2: 2.326174, 3: 2.902380, 9: 4.037023, 12: 4.284635} {
		near(t, fmt.Sprintf("range of %d", k), want, studentisedRange(k, 0.90), 1e-6)
	}
}

func TestTheMorePeopleAreComparedTheFurtherApartTheyMustBe(t *testing.T) {
	in := Own()
	for people, want := range map[int]int{1: 21, 2: 21, 3: 26, 4: 29, 5: 31, 9: 36} {
		if got := in.Among(people); got != want {
			t.Errorf("%d among %d people, want %d", got, people, want)
		}
	}
	if in.Among(2) != in.TwoChosen() || in.Among(9) != in.HighestLowest() {
		t.Error("the same question has two answers")
	}
}

// Scores and figures are whole points, so that two of several people with the same true
// score are called different somewhat more often than 10 times in 100. The page of a
// comparison says "about 11"; this is the exact share, the mean over where between two
// whole points the true score lies.
func TestPeopleWithTheSameTrueScoreAreCalledDifferentInAboutElevenOfAHundredComparisons(t *testing.T) {
	in := Own()
	sem := in.StandardError()
	for people, want := range map[int]string{2: "10.5", 3: "10.8", 4: "10.9", 5: "11.2"} {
		apart, alike := in.Among(people), 0.0
		for tenth := range 10 {
			upTo := func(score int) float64 { return phi((float64(score) + 0.5 - float64(tenth)/10) / sem) }
			for lowest := -100; lowest <= 100; lowest++ { // all are from the lowest on and less than so many points above it
				most := upTo(lowest + apart - 1)
				alike += math.Pow(most-upTo(lowest-1), float64(people)) - math.Pow(most-upTo(lowest), float64(people))
			}
		}
		if got := fmt.Sprintf("%.1f", 100*(1-alike/10)); got != want {
			t.Errorf("%d people: %s of 100, want %s", people, got, want)
		}
	}
}
