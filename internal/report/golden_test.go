package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
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
}

func vectors(t testing.TB) []known {
	t.Helper()
	data, err := os.ReadFile("../instrument/testdata/golden_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Vectors []known `json:"vectors"`
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g.Vectors
}

// stored scores a sheet and keeps it and reads it back, as a finished test does.
func stored(t testing.TB, s instrument.Sheet, role string) Stored {
	t.Helper()
	result, err := instrument.Own().Score(s, role)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := evidence.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := instrument.Own().RoleSnapshot(role)
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
	s := instrument.Own().NewSheet()
	for i, a := range k.Answers {
		if a != nil {
			s.Answers[i].Value = *a
		}
		s.Answers[i].ActiveMS = k.RTMS[i]
	}
	if len(k.GapsMS) > 0 {
		s.MaxPauseMS = slices.Max(k.GapsMS)
	}
	return stored(t, s, k.Role)
}

// TestReportsOfKnownAnswersSayWhatTheyAlwaysSaid covers a flat and a pointed
// profile, both ends of the scale, the edge of a class, a mixed and an ambiguous
// persona, a doubtful sheet, a failed control line, and a dimension that could not
// be scored.
func TestReportsOfKnownAnswersSayWhatTheyAlwaysSaid(t *testing.T) {
	wanted := []string{"G01", "G07", "G08", "G12", "G21", "G25", "G28", "G30", "G33"}
	seen := 0
	for _, k := range vectors(t) {
		name, _, _ := bytes.Cut([]byte(k.Name), []byte("_"))
		if !slices.Contains(wanted, string(name[:3])) {
			continue
		}
		seen++
		for _, lang := range []string{"de", "en"} {
			got, err := json.MarshalIndent(Of(instrument.Own(), k.stored(t), lang), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			same(t, filepath.Join("testdata", "golden", string(name[:3])+"."+lang+".json"), append(got, '\n'))
		}
	}
	if seen != len(wanted) {
		t.Errorf("%d of %d known answers are there", seen, len(wanted))
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
