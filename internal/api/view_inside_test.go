package api

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
)

// The shapes of the API description as the library encodes them: what view writes by hand
// is held to these.

type listShape struct {
	Candidates []candidateShape `json:"candidates"`
}

type candidateShape struct {
	ID          int64        `json:"id"`
	ExternalID  *string      `json:"external_id"`
	Name        string       `json:"name"`
	Email       string       `json:"email"`
	Status      string       `json:"status"`
	CreatedAt   string       `json:"created_at"`
	CompletedAt *string      `json:"completed_at"`
	Scores      *scoresShape `json:"scores"`
	Extra       *extraView   `json:"extra,omitzero"`
}

type scoresShape struct {
	Overall         int              `json:"overall"`
	Fit             fitShape         `json:"fit"`
	Persona         archetypeShape   `json:"archetype"`
	DimensionScores []dimensionShape `json:"dimension_scores"`
	Warnings        []warningShape   `json:"warnings"`
}

type fitShape struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

type archetypeShape struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

type dimensionShape struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Score int    `json:"score"`
}

type warningShape struct {
	Key      string `json:"key"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

func shapeOf(c typus.Candidate, extra *extraView) candidateShape {
	shape := candidateShape{
		ID: c.ID, ExternalID: orNull(c.ExternalID), Name: c.Name, Email: c.Email, Status: string(c.Status),
		CreatedAt: timestamp(c.CreatedAt), CompletedAt: timestampOrNull(c.CompletedAt), Extra: extra,
	}
	if c.Scores == nil {
		return shape
	}
	shape.Scores = &scoresShape{
		Overall: c.Scores.Overall, Fit: fitShape(c.Scores.Fit), Persona: archetypeShape{c.Scores.Persona.Key, c.Scores.Persona.Name},
	}
	for _, d := range c.Scores.Dimensions {
		shape.Scores.DimensionScores = append(shape.Scores.DimensionScores, dimensionShape(d))
	}
	for _, w := range c.Scores.Warnings {
		shape.Scores.Warnings = append(shape.Scores.Warnings, warningShape{w.Key, string(w.Severity), w.Message})
	}
	return shape
}

// maker makes candidates of all kinds, the same ones at each run.
type maker struct{ *rand.Rand }

// awkward are what encoders of JSON treat in different ways, and texts that are not UTF-8.
var awkward = []string{"", "a", "Jana Öztürk", `"`, `\`, "/", "<b>&amp;</b>", "\x00", "\x01\b\f\n\r\t\x1f", "\x7f", "\u2028\u2029", "\ufffd", "\ufeff", "😀", "e\u0301", "日本"}

func (m maker) text() string {
	var text string
	for range m.IntN(5) {
		text += awkward[m.IntN(len(awkward))]
	}
	return text
}

func (m maker) time() time.Time {
	if m.IntN(3) == 0 {
		return time.Time{}
	}
	return time.UnixMilli(m.Int64N(1e14) - 5e13).In(time.FixedZone("", m.IntN(50_000)-25_000))
}

func (m maker) number() int64 { return int64(m.Uint64() >> m.IntN(64)) } //nolint:gosec // negative ones, too

func (m maker) candidate() typus.Candidate {
	c := typus.Candidate{
		ID: m.number(), ExternalID: m.text(), Name: m.text(), Email: m.text(), Status: typus.Status(m.text()),
		CreatedAt: m.time(), CompletedAt: m.time(),
	}
	if m.IntN(4) == 0 {
		return c
	}
	c.Scores = &typus.Scores{
		Overall: int(m.number()), Fit: typus.Fit{Key: m.text(), Label: m.text()},
		Persona: typus.Persona{Key: m.text(), Name: m.text(), Subtitle: m.text()},
	}
	for range m.IntN(4) {
		c.Scores.Dimensions = append(c.Scores.Dimensions, typus.DimensionScore{Key: m.text(), Name: m.text(), Score: int(m.number())})
	}
	for range m.IntN(4) {
		c.Scores.Warnings = append(c.Scores.Warnings, typus.Warning{Key: m.text(), Severity: typus.Severity(m.text()), Message: m.text()})
	}
	return c
}

func (m maker) extra() *extraView {
	if m.IntN(3) > 0 {
		return nil
	}
	return &extraView{ID: m.number(), InviteURL: m.text(), StartedAt: timestampOrNull(m.time()), ExpiresAt: timestamp(m.time()), Mail: m.text()}
}

func TestWhatIsWrittenByHandIsWhatTheLibraryWrites(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(1, 97))}
	for range 3000 {
		var (
			found  []typus.Candidate
			extras []*extraView
			shape  = listShape{Candidates: []candidateShape{}}
			got    view
		)
		for range m.IntN(4) {
			c, extra := m.candidate(), m.extra()
			found, extras = append(found, c), append(extras, extra)
			shape.Candidates = append(shape.Candidates, shapeOf(c, extra))
		}
		got.list(found, extras)
		want, err := json.Marshal(shape)
		if err != nil || got.err != nil || !bytes.Equal(got.b, want) {
			t.Fatalf("%v, %v: wrote\n%s\nnot\n%s", err, got.err, got.b, want)
		}
	}
}

func TestATextThatIsNotUTF8IsAnError(t *testing.T) {
	for _, c := range []typus.Candidate{{Name: "\xff"}, {Name: "Jana", Scores: &typus.Scores{Warnings: []typus.Warning{{Message: "a\xc3"}}}}} {
		var v view
		v.candidate(c, nil)
		if _, err := json.Marshal(shapeOf(c, nil)); v.err == nil || err == nil {
			t.Errorf("%q is written: %v, %v", c.Name, v.err, err)
		}
	}
}

func TestACandidateIsWrittenWithoutAnAllocation(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(2, 97))}
	c := m.candidate()
	for c.Scores == nil || len(c.Scores.Dimensions) == 0 || len(c.Scores.Warnings) == 0 {
		c = m.candidate()
	}
	c.Name = "A name that is longer than the thirty-two bytes for which no string is copied"
	v := view{b: make([]byte, 0, 1<<16)}
	if n := testing.AllocsPerRun(100, func() {
		v.b = v.b[:0]
		v.candidate(c, nil)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
