package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	evidence "github.com/go-json-experiment/json"

	"typus/internal/instrument"
)

var update = flag.Bool("update", false, "write the golden files anew")

// known are answers whose results an independent scorer has confirmed, by the name
// that they have in the tests of the instrument.
type known struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Answers []*int `json:"answers"`
	RTMS    []int  `json:"rt_ms"`
	GapsMS  []int  `json:"gaps_ms"`

	in *instrument.Instrument
}

// vectorFiles hold the known answers of each version.
var vectorFiles = map[string]string{"1.0.0": "golden_vectors.json", "2.0.0": "golden_vectors_2.json"}

func version(t testing.TB, number string) *instrument.Instrument {
	t.Helper()
	in, released := instrument.Released("salespersona@" + number)
	if !released {
		t.Fatalf("there is no version %s", number)
	}
	return in
}

// vectors are the known answers of a version.
func vectors(t testing.TB, number string) []known {
	t.Helper()
	data, err := os.ReadFile("../instrument/testdata/" + vectorFiles[number])
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Vectors []known `json:"vectors"`
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	for i := range g.Vectors {
		g.Vectors[i].in = version(t, number)
	}
	return g.Vectors
}

// stored scores a sheet and keeps it and reads it back, as a finished test does.
func stored(t testing.TB, in *instrument.Instrument, s instrument.Sheet, role string) Stored {
	t.Helper()
	result, err := in.Score(s, role)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := evidence.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := in.RoleSnapshot(role)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(kept, snapshot)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func (k known) stored(t testing.TB) Stored {
	s := k.in.NewSheet()
	for i, a := range k.Answers {
		if a != nil {
			s.Answers[i].Value = *a
		}
		s.Answers[i].ActiveMS = k.RTMS[i]
	}
	if len(k.GapsMS) > 0 {
		s.MaxPauseMS = slices.Max(k.GapsMS)
	}
	return stored(t, k.in, s, k.Role)
}

// model is a report with the questions that belong to it, by their keys. What describes a
// dimension or a pattern, whoever has it, is left out.
type model struct {
	Report
	Costs     []string
	Guide     []string
	FollowUps []string
}

func modelOf(in *instrument.Instrument, s Stored, lang string) model {
	m := model{Report: Of(in, s, lang)}
	for i := range m.Dimensions {
		m.Dimensions[i].About = ""
	}
	if p := m.Persona; p != nil {
		p.Type, p.Second = Type{Key: p.Key, Name: p.Name, Subtitle: p.Subtitle}, Type{Key: p.Second.Key, Name: p.Second.Name, Subtitle: p.Second.Subtitle}
	}
	for _, c := range m.Report.Costs {
		m.Costs = append(m.Costs, fmt.Sprintf("%s takes %d, above: %t, after it: %d", c.Key, c.Points, c.Above, c.After))
	}
	for _, q := range GuideOf(in, s.Role, lang).Questions() {
		m.Guide = append(m.Guide, q.Key)
	}
	for _, t := range FollowUps(in, s, lang) {
		for _, q := range t.Questions {
			m.FollowUps = append(m.FollowUps, q.Key)
		}
	}
	return m
}

// TestReportsOfKnownAnswersSayWhatTheyAlwaysSaid reads the sheets of answers whose results
// an independent scorer has confirmed, of every version and in both languages.
func TestReportsOfKnownAnswersSayWhatTheyAlwaysSaid(t *testing.T) {
	for number := range vectorFiles {
		for _, k := range vectors(t, number) {
			name, _, _ := strings.Cut(k.Name, "_")
			for _, lang := range []string{"de", "en"} {
				got, err := json.MarshalIndent(modelOf(k.in, k.stored(t), lang), "", " ")
				if err != nil {
					t.Fatal(err)
				}
				same(t, filepath.Join("testdata", "golden", number, name+"."+lang+".json"), append(got, '\n'))
			}
		}
	}
}

func same(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (run with -update to accept):\n%s", name, got)
	}
}
