package docs

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// golden is a vector of answers, and what is expected of it.
type golden struct {
	Name   string `json:"name"`
	Role   string `json:"role"`
	Expect struct {
		Overall   int    `json:"overall"`
		Fit       string `json:"fit"`
		Archetype struct {
			Key string `json:"key"`
		} `json:"archetype"`
		Dimensions []struct {
			Score int `json:"score"`
		} `json:"dimensions"`
		Warnings []struct {
			Code string `json:"code"`
		} `json:"warnings"`
	} `json:"expect"`
}

// line is the vector as the page shows it.
func (g golden) line(name string) string {
	var scores, remarks []string
	for _, d := range g.Expect.Dimensions {
		scores = append(scores, strconv.Itoa(d.Score))
	}
	for _, w := range g.Expect.Warnings {
		remarks = append(remarks, "`"+w.Code+"`")
	}
	if remarks == nil {
		remarks = []string{"–"}
	}
	e := g.Expect
	return fmt.Sprintf("| `%s` | %d | %s | %s | %s |", name, e.Overall, e.Fit, strings.Join(scores, " "), strings.Join(remarks, " "))
}

// What a test can expect of each vector is what the instrument was checked with.
func TestTheVectorsOfTestModeAreTheGoldenOnes(t *testing.T) {
	source, err := os.ReadFile("../instrument/testdata/golden_vectors_2.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []golden `json:"vectors"`
	}
	if err := json.Unmarshal(source, &file); err != nil {
		t.Fatal(err)
	}
	var lines []string
	last := map[string]string{"G07_keyed_max": "all-max", "G08_keyed_min": "all-min", "G06_all_6": "doubtful"}
	for _, g := range file.Vectors {
		if _, key, found := strings.Cut(g.Name, "_proto_"); found && g.Role == "general_sales" {
			lines = append(lines, g.line(key))
			if g.Expect.Archetype.Key != key {
				t.Errorf("the pattern of %s is %s", key, g.Expect.Archetype.Key)
			}
		}
	}
	for _, name := range []string{"G07_keyed_max", "G08_keyed_min", "G06_all_6"} {
		for _, g := range file.Vectors {
			if g.Name == name {
				lines = append(lines, g.line(last[name]))
				if g.Expect.Archetype.Key != "allrounder" {
					t.Errorf("the pattern of %s is %s", name, g.Expect.Archetype.Key)
				}
			}
		}
	}
	want := "\n|---|---|---|---|---|\n" + strings.Join(lines, "\n") + "\n\n"
	for _, lang := range []string{"de", "en"} {
		page, err := os.ReadFile("text/" + lang + "/testbetrieb.md")
		if err != nil || len(lines) != 15 || !strings.Contains(string(page), want) {
			t.Errorf("%s, %v: the table should be\n%s", lang, err, want)
		}
	}
}
