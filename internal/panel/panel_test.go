package panel_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"typus/internal/instrument"
	"typus/internal/panel"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s is %.15f, want %.15f", what, got, want)
	}
}

// fourOfNine are the ratings of four raters (columns) of nine targets (rows). Worked out
// by hand:
//
//	sums of the rows     19 16 13 18 15 8 11 6 12, of the columns 32 24 32 30, of all 118
//	squares of all       450
//	correction           118²/36                                       = 3481/9
//	total                450 − 3481/9                                  =  569/9
//	between targets      (19² + 16² + … + 12²)/4 − 3481/9 = 425 − 3481/9 = 344/9, with 8 degrees of freedom
//	between raters       (32² + 24² + 32² + 30²)/9 − 3481/9 = 3524/9 − 3481/9 = 43/9, with 3
//	residual             569/9 − 344/9 − 43/9                          =  182/9, with 24
//
//	BMS = 344/72 = 516/108, JMS = 43/27 = 172/108, EMS = 182/216 = 91/108
//	ICC(2,k) = (BMS − EMS)/(BMS + (JMS − EMS)/n) = (425/108)/(516/108 + 81/972) = 425/525 = 17/21
//
// Source of the formula: Shrout & Fleiss (1979), Psychological Bulletin, 86, 420–428.
var fourOfNine = [][]float64{
	{5, 4, 5, 5},
	{4, 4, 3, 5},
	{3, 3, 4, 3},
	{5, 5, 4, 4},
	{4, 3, 4, 4},
	{2, 1, 2, 3},
	{3, 2, 3, 3},
	{1, 1, 2, 2},
	{5, 1, 5, 1},
}

func TestTheReliabilityOfTheMeanIsTheOneWorkedOutByHand(t *testing.T) {
	icc, known := panel.ICC2K(fourOfNine)
	if !known {
		t.Fatal("it is not known")
	}
	near(t, "ICC(2,k)", icc, 17.0/21)
}

// Table 2 of Shrout & Fleiss (1979): six targets, four judges; Table 4 gives BMS 11.24,
// JMS 32.49, EMS 1.02 and ICC(2,4) = .62.
func TestTheReliabilityOfTheMeanIsThatOfItsSource(t *testing.T) {
	icc, _ := panel.ICC2K([][]float64{{9, 2, 5, 8}, {6, 1, 3, 2}, {8, 4, 6, 8}, {7, 1, 2, 6}, {10, 5, 6, 9}, {6, 2, 4, 7}})
	if math.Round(100*icc) != 62 {
		t.Errorf("it is %v, want .62", icc)
	}
}

// By hand: with five points the variance of chance is (25 − 1)/12 = 2. The first row has
// the mean 19/4 and the squared distances 1/16 + 9/16 + 1/16 + 1/16 = 3/4, so s² = 1/4
// and r_wg = 1 − 1/8. The last row has the mean 3 and four times 4, so s² = 16/3, which
// is more than chance: no agreement.
func TestTheAgreementIsTheOneWorkedOutByHand(t *testing.T) {
	want := []float64{7.0 / 8, 2.0 / 3, 7.0 / 8, 5.0 / 6, 7.0 / 8, 2.0 / 3, 7.0 / 8, 5.0 / 6, 0}
	for i, row := range fourOfNine {
		r, known := panel.RWG(row, 5)
		if !known {
			t.Errorf("row %d: it is not known", i)
		}
		near(t, "r_wg", r, want[i])
	}
	// J = 3, the first three rows: q = (1/4 + 2/3 + 1/4)/3/2 = 7/36; r_wg(J) =
	// (3·29/36)/(3·29/36 + 7/36) = 87/94.
	r, _ := panel.RWGJ(fourOfNine[:3], 5)
	near(t, "r_wg(J)", r, 87.0/94)
}

func TestWhoSayTheSameAgreeWholly(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		k, n := 2+rnd.IntN(6), 2+rnd.IntN(8)
		table := make([][]float64, n)
		for i := range table {
			table[i] = slices.Repeat([]float64{float64(1 + rnd.IntN(5))}, k)
			if r, known := panel.RWG(table[i], 5); !known || r != 1 {
				t.Fatalf("%v: r_wg is %v", table[i], r)
			}
		}
		if r, _ := panel.RWGJ(table, 5); r != 1 {
			t.Fatalf("%v: r_wg(J) is %v", table, r)
		}
		icc, known := panel.ICC2K(table)
		same := !slices.ContainsFunc(table, func(row []float64) bool { return row[0] != table[0][0] })
		if known == same { // without any difference between targets nothing can be said
			t.Fatalf("%v: known %v", table, known)
		}
		if known && math.Abs(icc-1) > 1e-9 {
			t.Fatalf("%v: ICC(2,k) is %v", table, icc)
		}
	}
}

func TestAgreementLiesBetweenNoneAndWhole(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	beyond := 0
	for range 2000 {
		k, n := 2+rnd.IntN(6), 2+rnd.IntN(8)
		table := make([][]float64, n)
		for i := range table {
			for range k {
				table[i] = append(table[i], float64(1+rnd.IntN(5)))
			}
			r, _ := panel.RWG(table[i], 5)
			if r < 0 || r > 1 {
				t.Fatalf("%v: r_wg is %v", table[i], r)
			}
			mean, squares := panel.Mean(table[i]), 0.0
			for _, x := range table[i] {
				squares += (x - mean) * (x - mean)
			}
			if s2 := squares / float64(k-1); s2 > 2 {
				beyond++
				if r != 0 {
					t.Fatalf("%v varies more than chance, and r_wg is %v", table[i], r)
				}
			}
		}
		if r, _ := panel.RWGJ(table, 5); r < 0 || r > 1 {
			t.Fatalf("%v: r_wg(J) is %v", table, r)
		}
		if icc, known := panel.ICC2K(table); known && icc > 1+1e-9 {
			t.Fatalf("%v: ICC(2,k) is %v", table, icc)
		}
	}
	if beyond == 0 {
		t.Error("no ratings varied more than chance")
	}
}

func TestTheWordsForAgreementAreThoseOfTheirSource(t *testing.T) {
	for r, want := range map[float64]panel.Agreement{
		0: panel.AgreementNone, .30: panel.AgreementNone, .31: panel.AgreementWeak, .50: panel.AgreementWeak, .51: panel.AgreementModerate,
		.70: panel.AgreementModerate, .71: panel.AgreementStrong, .90: panel.AgreementStrong, .91: panel.AgreementVery, 1: panel.AgreementVery,
	} {
		if got := panel.AgreementOf(r); got != want {
			t.Errorf("%v: %s, want %s", r, got, want)
		}
	}
}

func TestWeightsSumToAHundredAndFollowTheImportance(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		importance := make([]float64, 9)
		for i := range importance {
			importance[i] = 1 + float64(rnd.IntN(61))/15 // what the means of means of three statements look like
		}
		weights, some := panel.Weights(importance)
		if !some {
			continue
		}
		sum := 0
		for i, w := range weights {
			sum += w
			for j := range weights {
				if importance[i] > importance[j] && w < weights[j] {
					t.Fatalf("%v: %v", importance, weights)
				}
			}
		}
		if sum != 100 || slices.Min(weights) < 0 {
			t.Fatalf("%v: %v", importance, weights)
		}
	}
}

func TestTheRuleForWeightsIsThePublishedOne(t *testing.T) {
	for _, c := range []struct {
		importance []float64
		want       []int
	}{
		{[]float64{5, 3, 1, 1, 1, 1, 1, 1, 1}, []int{67, 33, 0, 0, 0, 0, 0, 0, 0}}, // 4 : 2
		{[]float64{4, 4, 4, 4, 4, 4, 4, 4, 4}, []int{12, 11, 11, 11, 11, 11, 11, 11, 11}},
		{[]float64{5, 4, 3, 3, 3, 2, 2, 3, 4}, []int{20, 15, 10, 10, 10, 5, 5, 10, 15}}, // 4 3 2 2 2 1 1 2 3 of 20
	} {
		if got, _ := panel.Weights(c.importance); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.importance, got, c.want)
		}
	}
	if _, some := panel.Weights([]float64{1, 1, 1}); some {
		t.Error("where nothing is important, something has a weight")
	}
}

// By hand: of ten values the third, the mean of the fifth and sixth, and the eighth; of
// twelve the mean of the third and fourth, and as far from the top.
func TestQuartilesLieAsFarFromBothEnds(t *testing.T) {
	for n, want := range map[int][3]float64{2: {1, 1.5, 2}, 3: {1, 2, 3}, 4: {1.5, 2.5, 3.5}, 10: {3, 5.5, 8}, 11: {3, 6, 9}, 12: {3.5, 6.5, 9.5}} {
		var values []float64
		for i := range n {
			values = append(values, float64(n-i))
		}
		if low, middle, top := panel.Quartiles(values); [3]float64{low, middle, top} != want {
			t.Errorf("%d values: %v %v %v, want %v", n, low, middle, top, want)
		}
	}
}

// dimensions are those of the test.
func dimensions(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, z := range instrument.Own().Roles()[0].Zones {
		list = append(list, z.Dimension)
	}
	return list
}

func TestEveryDimensionOfTheTestHasThreeStatements(t *testing.T) {
	var all []string
	for _, d := range dimensions(t) {
		if n := len(panel.Statements(d)); n != 3 {
			t.Errorf("%s has %d", d, n)
		}
		all = append(all, panel.Statements(d)...)
	}
	if slices.Sort(all); len(slices.Compact(all)) != 27 {
		t.Errorf("they are %d", len(all))
	}
}

// allSay are the answers of somebody who finds everything equally important but for one
// dimension.
func allSay(dims []string, importance int, but string, other int) panel.Answers {
	a := panel.Answers{}
	for _, d := range dims {
		for _, s := range panel.Statements(d) {
			a[s] = panel.Answer{Importance: importance}
			if d == but {
				a[s] = panel.Answer{Importance: other, FromStart: true}
			}
		}
	}
	return a
}

func TestFewerThanThreeExpertsProposeNothing(t *testing.T) {
	dims := dimensions(t)
	say := allSay(dims, 3, "integrity", 5)
	for few := range panel.Fewest { // what one or two say can be traced to them
		if c := panel.Judge(dims, slices.Repeat([]panel.Answers{say}, few)); c.Missing != panel.MissingRaters || len(c.Dimensions) > 0 || c.ICCKnown || c.Raters != few {
			t.Errorf("%d propose %+v", few, c)
		}
	}
	c := panel.Judge(dims, []panel.Answers{say, say, say})
	if c.Missing != panel.MissingNothing || c.Dimensions[8].Weight != 20 || c.Dimensions[0].Weight != 10 || !c.ICCKnown || math.Abs(c.ICC-1) > 1e-9 {
		t.Errorf("three propose %+v", c)
	}
	if d := c.Dimensions[8]; d.Agreement != panel.AgreementVery || d.Start != 1 || d.Median != 5 || d.Low != 5 || d.High != 5 || d.Raters != 3 {
		t.Errorf("they say %+v", d)
	}
	none := allSay(dims, 1, "", 0)
	if c := panel.Judge(dims, []panel.Answers{none, none, none}); c.Missing != panel.MissingWeight || c.ICCKnown {
		t.Errorf("those to whom nothing is important propose %+v", c)
	}
}

func TestWhoCannotJudgeADimensionDoesNotCountThere(t *testing.T) {
	dims := dimensions(t)
	say, unsure := allSay(dims, 3, "integrity", 5), allSay(dims, 3, "integrity", 0)
	c := panel.Judge(dims, []panel.Answers{say, say, say, unsure})
	if c.Missing != panel.MissingNothing || c.Dimensions[8].Raters != 3 || c.Dimensions[8].Mean != 5 || c.Dimensions[0].Raters != 4 {
		t.Errorf("one of four is unsure: %+v", c)
	}
	if c.ICCKnown { // what all four have judged is equally important to all
		t.Errorf("ICC(2,k) is %v", c.ICC)
	}
	if c := panel.Judge(dims, []panel.Answers{say, say, unsure}); c.Missing != panel.MissingJudges || c.Dimensions[8] != (panel.Dimension{Key: "integrity", Raters: 2, Agreement: panel.AgreementUnknown}) || c.Dimensions[0].Mean != 3 {
		t.Errorf("one of three is unsure: %+v", c)
	}
	var apart []panel.Answers // each has judged another statement, so that nothing can be compared
	for i, statement := range panel.Statements("integrity") {
		a := allSay(dims, 3, "integrity", 0)
		a[statement] = panel.Answer{Importance: 3 + i}
		apart = append(apart, a)
	}
	if d := panel.Judge(dims, apart).Dimensions[8]; !d.Told() || d.Mean != 4 || d.Agreement != panel.AgreementUnknown {
		t.Errorf("each judges another statement: %+v", d)
	}
}
