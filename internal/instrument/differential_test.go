package instrument

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
)

const drawnSheets = 2000

func TestDrawnSheetsAreScoredAsTheReferenceScoresThem(t *testing.T) {
	for version, script := range map[string]string{"1.0.0": "differential.py", "2.0.0": "differential_2.py"} {
		t.Run(version, func(t *testing.T) { compareDrawn(t, releasedAs(t, version), script) })
	}
}

func compareDrawn(t *testing.T, in *Instrument, script string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(20261127, 1))
	vectors := make([]goldenVector, drawnSheets)
	var input bytes.Buffer
	for i := range vectors {
		vectors[i] = draw(rng, i)
		line, err := json.Marshal(map[string]any{"answers": vectors[i].Answers, "role": vectors[i].Role, "rt_ms": vectors[i].RTMS, "gaps_ms": vectors[i].GapsMS})
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	reached := make(map[string]int)
	for i, want := range referenceScores(t, script, &input) {
		t.Run(fmt.Sprintf("%04d_%s", i, vectors[i].Name), func(t *testing.T) {
			got, err := in.Score(vectors[i].sheet(), vectors[i].Role)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, want, got)
			if want.Persona != nil {
				compareDraws(t, in, want.Persona.Draws, got)
			}
			note(reached, got)
		})
	}
	checkReached(t, in, reached)
}

// referenceScores scores the sheets, one JSON line each, in one Python process.
func referenceScores(t *testing.T, script string, sheets *bytes.Buffer) []expected {
	t.Helper()
	if testing.Short() {
		t.Skip("Python: not with -short")
	}
	cmd := exec.Command("python3", "-B", script)
	cmd.Dir = "testdata"
	cmd.Stdin = sheets
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3 is needed for this test: %v\n%s", err, stderr.Bytes())
	}
	var list []expected
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e expected
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	if len(list) != drawnSheets {
		t.Fatalf("the reference answered %d of %d sheets", len(list), drawnSheets)
	}
	return list
}

// note counts the branches a result went through.
func note(reached map[string]int, r Result) {
	for _, w := range r.Warnings {
		reached[w.Key+":"+string(w.Severity)]++
	}
	reached["role "+r.Meta.RoleProfile]++
	if r.Overall == nil {
		reached["incomplete"]++
		return
	}
	reached["persona "+r.Persona.Key]++
	reached["level "+string(r.Persona.Level)]++
	reached["fit "+r.Fit.Key]++
	reached[fmt.Sprintf("%d neighbours", len(r.Fit.Borderline))]++
}

// checkReached makes sure that the drawing leaves no branch out.
func checkReached(t *testing.T, in *Instrument, reached map[string]int) {
	t.Helper()
	severities := map[string][]string{
		WarnDoubtful: {"caution"}, WarnInconsistent: {"notice", "caution"}, WarnLongString: {"notice", "caution"},
		WarnLowVariation: {"caution"}, WarnTooFast: {"notice", "caution"}, WarnAttention: {"notice"},
		WarnDesirability: {"notice"}, WarnElevated: {"notice"}, WarnExtreme: {"info"}, WarnMiddle: {"info"},
		WarnAcquiescence: {"info"}, WarnMissing: {"info", "notice"}, WarnPause: {"info"}, WarnAmbiguous: {"info"},
	}
	branches := []string{
		"incomplete", "level clear", "level predominant", "level mixed",
		"fit A", "fit B", "fit C", "fit D", "fit E", "0 neighbours", "1 neighbours",
	}
	for _, key := range in.def.warningKeys() {
		for _, severity := range severities[key] {
			branches = append(branches, key+":"+severity)
		}
	}
	for _, r := range in.Roles() {
		branches = append(branches, "role "+r.Ref())
	}
	for _, key := range in.types.keys {
		branches = append(branches, "persona "+key)
	}
	for _, b := range branches {
		if reached[b] == 0 {
			t.Errorf("no drawn sheet reached %s", b)
		}
	}
}

// draw makes a sheet in one of several styles of answering, with or without skips, times
// and a pause.
func draw(rng *rand.Rand, i int) goldenVector {
	styles := []struct {
		name  string
		value func(*rand.Rand, person, Item) int
	}{
		{"careful", careful}, {"flattering", flattering}, {"random", uniform}, {"half_random", halfRandom},
		{"constant", constant}, {"runs", runs}, {"extreme", extreme}, {"middle", middle}, {"agreeing", agreeing},
	}
	style := styles[i%len(styles)]
	p := newPerson(rng)
	v := goldenVector{Name: style.name, Role: Own().Roles()[rng.IntN(len(Own().Roles()))].Key}
	skip := []float64{0, 0, 0, 0.01, 0.04, 0.2}[rng.IntN(6)]
	pace := []int{0, 0, 500, 1500, 2500, 6000}[rng.IntN(6)]
	for _, it := range Own().Items() {
		a := style.value(rng, p, it)
		if it.Type == Instructed && rng.IntN(4) > 0 {
			a = it.Expect
		}
		v.Answers = append(v.Answers, &a)
		if rng.Float64() < skip {
			v.Answers[len(v.Answers)-1] = nil
		}
		v.RTMS = append(v.RTMS, drawTime(rng, pace))
	}
	v.GapsMS = [][]int{{}, {0}, {20000, 599999}, {600000, 5}, {3600000}}[rng.IntN(5)]
	return v
}

// drawTime is spread around a pace; now and then nothing was recorded.
func drawTime(rng *rand.Rand, pace int) int {
	if pace == 0 || rng.IntN(20) == 0 {
		return 0
	}
	return 1 + pace/2 + rng.IntN(pace)
}

// person is what stays the same over one sheet: a level per scale, in keyed answers, and
// a favourite answer.
type person struct {
	level  map[string]float64
	answer int
	change int // length of a run
}

func newPerson(rng *rand.Rand) person {
	p := person{level: make(map[string]float64), answer: 1 + rng.IntN(6), change: 8 + rng.IntN(14)}
	for _, it := range Own().Items() {
		if _, ok := p.level[it.Scale]; !ok {
			p.level[it.Scale] = 2.4 + 3.4*rng.Float64()
		}
	}
	return p
}

// keyedAnswer is an answer around a keyed level.
func keyedAnswer(rng *rand.Rand, it Item, level, spread float64) int {
	a := min(6, max(1, int(level+rng.NormFloat64()*spread+0.5)))
	if it.Minus {
		return 7 - a
	}
	return a
}

func careful(rng *rand.Rand, p person, it Item) int {
	return keyedAnswer(rng, it, p.level[it.Scale], 0.8)
}

func flattering(rng *rand.Rand, _ person, it Item) int { return keyedAnswer(rng, it, 5.6, 0.4) }

func uniform(rng *rand.Rand, _ person, _ Item) int { return 1 + rng.IntN(6) }

func halfRandom(rng *rand.Rand, p person, it Item) int {
	if it.Block > 4 {
		return uniform(rng, p, it)
	}
	return careful(rng, p, it)
}

func constant(rng *rand.Rand, p person, it Item) int {
	if rng.IntN(12) == 0 {
		return uniform(rng, p, it)
	}
	return p.answer
}

// runs answers alike over a stretch of the sheet, carefully elsewhere.
func runs(rng *rand.Rand, p person, it Item) int {
	position := slices.IndexFunc(Own().Items(), func(x Item) bool { return x.ID == it.ID })
	if position >= 20 && position < 20+p.change {
		return p.answer
	}
	return careful(rng, p, it)
}

func extreme(rng *rand.Rand, p person, it Item) int {
	if rng.IntN(10) == 0 {
		return uniform(rng, p, it)
	}
	return keyedAnswer(rng, it, []float64{0, 7}[rng.IntN(2)], 0)
}

func middle(rng *rand.Rand, _ person, _ Item) int { return 3 + rng.IntN(2) }

func agreeing(rng *rand.Rand, p person, it Item) int {
	return min(6, careful(rng, p, it)+1+rng.IntN(2))
}
