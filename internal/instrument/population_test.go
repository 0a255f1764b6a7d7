package instrument

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A simulated population: nine correlated traits with the norms' means, items that
// measure them with a loading of .57, members of a pair with a residual correlation of
// .35, a small tendency to agree. Seeds are fixed.
const (
	loading       = 0.57
	pairResidual  = 0.35
	stepOfAnswers = 0.62 // distance between two answers, in standard deviations
)

// traitCorrelations are assumptions from the literature, in the order of the dimensions.
var traitCorrelations = [9][9]float64{
	{1, .30, .40, .35, .20, .15, .40, .40, .10},
	{.30, 1, .50, .35, .35, .25, .05, .20, 0},
	{.40, .50, 1, .35, .25, 0, .15, .20, -.10},
	{.35, .35, .35, 1, .30, .15, .25, .25, .15},
	{.20, .35, .25, .30, 1, .40, .10, .40, .05},
	{.15, .25, 0, .15, .40, 1, .20, .30, .35},
	{.40, .05, .15, .25, .10, .20, 1, .25, .30},
	{.40, .20, .20, .25, .40, .30, .25, 1, .15},
	{.10, 0, -.10, .15, .05, .35, .30, .15, 1},
}

// population makes people who answer alike in style.
type population struct {
	rng        *rand.Rand
	factor     [9][9]float64 // Cholesky factor of traitCorrelations
	shift      float64       // of all traits: faking good
	width      float64       // of the middle answers: below 1 is an extreme style
	impression float64       // mean of the impression items, in POMP units
	centres    map[float64]float64
}

func newPopulation(seed uint64, shift, width, impression float64) *population {
	p := &population{rng: rand.New(rand.NewPCG(seed, 7)), shift: shift, width: width, impression: impression, centres: make(map[float64]float64)}
	for i := range 9 {
		for j := range i + 1 {
			s := traitCorrelations[i][j]
			for k := range j {
				s -= p.factor[i][k] * p.factor[j][k]
			}
			if i == j {
				p.factor[i][i] = math.Sqrt(s)
			} else {
				p.factor[i][j] = s / p.factor[j][j]
			}
		}
	}
	return p
}

// centre is the middle threshold with which the mean answer reaches the wanted POMP.
func (p *population) centre(pomp float64) float64 {
	if c, ok := p.centres[pomp]; ok {
		return c
	}
	low, high := -4.0, 4.0
	for range 60 {
		middle, sum := (low+high)/2, 0.0
		for k := -2.0; k <= 2; k++ {
			sum += 1 - phi(middle+k*stepOfAnswers)
		}
		if 20*sum > pomp {
			low = middle
		} else {
			high = middle
		}
	}
	p.centres[pomp] = low
	return low
}

// answer turns a latent value into a keyed answer.
func (p *population) answer(latent, centre float64) int {
	a := 1
	for k := -2.0; k <= 2; k++ {
		if latent > centre+k*stepOfAnswers*p.width {
			a++
		}
	}
	return a
}

func (p *population) sheet() Sheet {
	in := Own()
	s := in.NewSheet()
	agreeing := 0.15 * p.rng.NormFloat64()
	shared := make(map[int]float64)
	for _, pr := range in.pairs {
		e := p.rng.NormFloat64()
		shared[pr.a], shared[pr.b] = e, e
	}
	var g [9]float64
	for i := range g {
		g[i] = p.rng.NormFloat64()
	}
	for i, d := range in.dimensions {
		trait := p.shift
		for k := range i + 1 {
			trait += p.factor[i][k] * g[k]
		}
		for _, pos := range d.positions {
			e := p.rng.NormFloat64()
			if same, ok := shared[pos]; ok {
				e = math.Sqrt(pairResidual)*same + math.Sqrt(1-pairResidual)*e
			}
			latent := loading*trait + math.Sqrt(1-loading*loading)*e
			if in.items[pos].Minus {
				latent -= agreeing
			} else {
				latent += agreeing
			}
			s.Answers[pos].Value = in.keyed(pos, p.answer(latent, p.centre(d.norm.mu)))
		}
	}
	flattering := p.rng.NormFloat64()
	for _, pos := range in.hint.positions {
		latent := 0.6*flattering + 0.8*p.rng.NormFloat64()
		s.Answers[pos].Value = in.keyed(pos, p.answer(latent, p.centre(p.impression)))
	}
	s.Answers[in.control].Value = in.items[in.control].Expect
	return s
}

// shares scores n people with a version and gives the percentage of each warning and persona.
func shares(t *testing.T, in *Instrument, n int, sheet func() Sheet) map[string]float64 {
	t.Helper()
	percent := make(map[string]float64)
	for range n {
		r, err := in.Score(sheet(), "general_sales")
		if err != nil {
			t.Fatal(err)
		}
		percent[r.Persona.Key] += 100 / float64(n)
		for _, w := range r.Warnings {
			percent[w.Key] += 100 / float64(n)
			percent[w.Key+":"+string(w.Severity)] += 100 / float64(n)
		}
	}
	return percent
}

func TestEveryPersonaIsFoundInASimulatedPopulation(t *testing.T) {
	percent := shares(t, Own(), 3000, newPopulation(1, 0, 1, 45).sheet)
	for _, key := range Own().types.keys {
		if p := percent[key]; p < 3 || p > 18 {
			t.Errorf("%.1f %% are %s, not 3 to 18", p, key)
		}
	}
}

func TestWarningsAreAsRareAsTheirThresholdsWereSetFor(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for name, group := range map[string]struct {
		sheet func() Sheet
		want  map[string]float64
	}{
		"attentive": {newPopulation(2, 0, 1, 45).sheet, map[string]float64{WarnDoubtful: 0.1, WarnInconsistent: 1.0, WarnLongString: 0, WarnLowVariation: 0,
			WarnDesirability: 2.3, WarnElevated: 0.1, WarnExtreme: 0, WarnMiddle: 0, WarnAcquiescence: 0, WarnAmbiguous: 22}},
		"extreme style":    {newPopulation(3, 0, 0.45, 45).sheet, map[string]float64{WarnDoubtful: 1.1, WarnInconsistent: 6.7, WarnExtreme: 10.8, WarnDesirability: 7.7}},
		"cautious style":   {newPopulation(4, 0, 1.9, 45).sheet, map[string]float64{WarnInconsistent: 0, WarnMiddle: 8.8}},
		"faking good":      {newPopulation(6, 0.8, 1, 65).sheet, map[string]float64{WarnInconsistent: 0.8, WarnDesirability: 16.7, WarnExtreme: 1.0}},
		"random responses": {func() Sheet { return uniformSheet(random) }, map[string]float64{WarnDoubtful: 61.4, WarnInconsistent: 76.3, WarnInconsistent + ":caution": 64.5}},
	} {
		for version := range releasedHashes {
			in := releasedAs(t, version)
			percent := shares(t, in, 1500, group.sheet)
			for key, want := range group.want {
				warning, _, _ := strings.Cut(key, ":")
				if !slices.Contains(in.def.warningKeys(), warning) {
					want = 0
				}
				if got := percent[key]; math.Abs(got-want) > 3 {
					t.Errorf("%s, %s: %.1f %% get %s, not %.1f", version, name, got, key, want)
				}
			}
		}
	}
}

func uniformSheet(rng *rand.Rand) Sheet {
	s := Own().NewSheet()
	for p := range s.Answers {
		s.Answers[p].Value = 1 + rng.IntN(6)
	}
	return s
}

func TestTenItemsWithTheAssumedLoadingReachThePlannedReliability(t *testing.T) {
	p := newPopulation(8, 0, 1, 45)
	sheets := make([]Sheet, 1500)
	for i := range sheets {
		sheets[i] = p.sheet()
	}
	for _, d := range Own().dimensions {
		if a := alpha(sheets, d.positions); a < 0.78 || a > 0.84 {
			t.Errorf("alpha of %s is %.3f, not .78 to .84", d.key, a)
		}
	}
}

// alpha is Cronbach's coefficient of the keyed answers at some positions.
func alpha(sheets []Sheet, positions []int) float64 {
	totals := make([]float64, len(sheets))
	var items float64
	for _, p := range positions {
		answers := make([]float64, len(sheets))
		for i, s := range sheets {
			answers[i] = float64(Own().keyed(p, s.Answers[p].Value))
			totals[i] += answers[i]
		}
		items += variance(answers)
	}
	k := float64(len(positions))
	return k / (k - 1) * (1 - items/variance(totals))
}

func variance(x []float64) float64 {
	m := mean(x)
	var squares float64
	for _, v := range x {
		squares += (v - m) * (v - m)
	}
	return squares / float64(len(x)-1)
}
