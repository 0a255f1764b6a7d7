package instrument

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// peerFile is testdata/peer_oracle.json: the scoring keys of two public-domain
// inventories (no item texts) and what two public scorers make of nine answer vectors
// each.
type peerFile struct {
	Inventories map[string]struct {
		Items []struct {
			ID     string `json:"id"`
			Domain string `json:"domain"`
			Facet  int    `json:"facet"`
			Keyed  string `json:"keyed"`
		} `json:"items"`
		Vectors map[string]struct {
			Answers []int                `json:"answers"`
			Expect  map[string]peerScore `json:"expect"`
		} `json:"vectors"`
	} `json:"inventories"`
}

type peerScore struct {
	Score  int                  `json:"score"`
	Count  int                  `json:"count"`
	Result string               `json:"result"`
	Facet  map[string]peerScore `json:"facet"`
}

func peers(t testing.TB) peerFile {
	t.Helper()
	data, err := os.ReadFile("testdata/peer_oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	var p peerFile
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// peerYAML writes an inventory in our format: a second instrument that shares no line
// with our own.
func peerYAML(t testing.TB, name string) string {
	t.Helper()
	inventory := peers(t).Inventories[name]
	var scales, items strings.Builder
	seen := make(map[string]bool)
	for _, it := range inventory.Items {
		if !seen[it.Domain] {
			fmt.Fprintf(&scales, "  - {key: %s, role: dimension, min_answered: 1, missing: mean}\n", it.Domain)
			seen[it.Domain] = true
		}
		scale := it.Domain
		if it.Facet > 0 {
			scale = fmt.Sprintf("%s%d", it.Domain, it.Facet)
			if !seen[scale] {
				fmt.Fprintf(&scales, "  - {key: %s, role: dimension, parent: %s, min_answered: 1, missing: mean}\n", scale, it.Domain)
				seen[scale] = true
			}
		}
		fmt.Fprintf(&items, "  - {id: %s, type: scored, scale: %s, keyed: %s}\n", it.ID, scale, it.Keyed)
	}
	return fmt.Sprintf("schema: instrument/1\nid: %s\nversion: 1.0.0\nscale: {min: 1, max: 5}\nscales:\n%sitems:\n%s"+
		"scoring: {version: 1, score: {mean: 50, sd: 20, clip: [0, 100]}, outputs: [sum, count]}\n", name, &scales, &items)
}

func TestForeignInventoriesGetTheSumsOfTheirPublicScorers(t *testing.T) {
	vectors := 0
	for name, inventory := range peers(t).Inventories {
		in, err := Load(fstest.MapFS{"instrument.yaml": {Data: []byte(peerYAML(t, name))}})
		if err != nil {
			t.Fatal(err)
		}
		for vector, v := range inventory.Vectors {
			vectors++
			t.Run(name+"/"+vector, func(t *testing.T) {
				r, err := in.Score(sheetOf(v.Answers), "")
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(v.Expect, asPeer(r)); diff != "" {
					t.Errorf("sums (-want +got)\n%s", diff)
				}
				if r.Complete() || len(r.Warnings) > 0 {
					t.Errorf("without norms, roles and thresholds there is nothing but sums: %+v", r)
				}
			})
		}
	}
	if vectors != 18 {
		t.Errorf("%d vectors, want 18", vectors)
	}
}

func sheetOf(answers []int) Sheet {
	s := Sheet{Answers: make([]Answer, len(answers))}
	for i, a := range answers {
		s.Answers[i].Value = a
	}
	return s
}

// asPeer writes sums and counts as the public scorers do.
func asPeer(r Result) map[string]peerScore {
	out := make(map[string]peerScore)
	for _, d := range r.Dimensions {
		out[d.Key] = peerScore{Score: d.Sum, Count: d.Answered, Result: peerLevel(d), Facet: map[string]peerScore{}}
	}
	for _, f := range r.Facets {
		out[f.Key[:1]].Facet[f.Key[1:]] = peerScore{Score: f.Sum, Count: f.Answered, Result: peerLevel(f)}
	}
	return out
}

func peerLevel(d Dimension) string {
	switch middle := 3 * d.Answered; {
	case d.Sum > middle:
		return "high"
	case d.Sum < middle:
		return "low"
	}
	return "neutral"
}

// The public scorers count a missing answer as 0, cut decimals and check no range; ours
// does none of that.
func TestAForeignInventoryIsNotScoredWithTheQuirksOfItsPublicScorers(t *testing.T) {
	in, err := Load(fstest.MapFS{"instrument.yaml": {Data: []byte(peerYAML(t, "ipip-neo-pi-r-50"))}})
	if err != nil {
		t.Fatal(err)
	}
	s := in.NewSheet()
	first := in.dimensions[0].positions
	s.Answers[first[0]].Value = 4
	r, err := in.Score(s, "")
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Dimensions[0]; d.Answered != 1 {
		t.Errorf("a missing answer was counted: %+v", d)
	}
	s.Answers[first[1]].Value = 6
	if _, err := in.Score(s, ""); err == nil {
		t.Error("6 on a scale to 5 was accepted")
	}
}
