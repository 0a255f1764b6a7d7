package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The files that turn answers into a result, and those that only read, check and name things.
var (
	scoringFiles = []string{"build.go", "difference.go", "index.go", "indices.go", "instrument.go", "match.go", "open.go", "persona.go", "repeat.go", "result.go", "role.go", "role_preview.go", "score.go", "warning.go"}
	readingFiles = []string{"check.go", "check_items.go", "check_norms.go", "check_order.go", "check_scoring.go", "check_texts.go", "check_warnings.go", "decode.go", "draws.go",
		"format.go", "hash.go", "load.go", "names.go", "own.go", "role_fault.go", "sheet.go"}
)

// reportFiles say what a result means.
var reportFiles = []string{"../report/caveats.go", "../report/compare.go", "../report/cost.go", "../report/guide.go", "../report/quality.go", "../report/reliable.go", "../report/report.go"}

// numbersOfTheScoring are all numbers that stand in the code of the scoring and of the
// report, each with what it is. None is a key, a norm, a weight, a zone or a threshold of
// the test: those stand in the files of the instrument. What is set and still stands here
// belongs to the formulas, which scoring.version names: what an index needs to be
// defined, how many signs of carelessness make doubt, and how many questions a guide
// asks. Both versions have the same; the files of a released one cannot take them over,
// since its hash covers every line.
var numbersOfTheScoring = map[string]map[string]string{
	"": {"0": "nothing", "0.0": "nothing", "1": "counting", "100": "percent"},
	"difference.go": {
		"1.645": "90 % of the normal distribution lie within as many standard deviations", "0.90": "the same 90 %",
		"2": "halves and doubles; two people differ by what is between two scores",
		"3": "Simpson's rule", "4": "Simpson's rule", "8.0": "beyond it the normal distribution adds nothing that a double could hold",
		"800": "steps of the integral", "60": "halvings, more than a double has digits",
	},
	"indices.go": {
		"2":  "halves, doubles, even and odd; a difference takes two answers",
		"24": "set: answers of complete pairs without which a tendency to agree is not defined", "3": "points without which a correlation is not defined: two always lie on a line",
		"0.999999": "a correlation of -1, for which the formula of Spearman and Brown has no value", "1e-12": "no variance",
	},
	"persona.go": {"1e9": "nine decimals of a distance", "2": "the halfway plane between two prototypes; the two nearest"},
	"repeat.go":  {"1e-9": "nine decimals of a projection", "2": "half a squared length, and rounding half up", "200": "percent, doubled to round half up in whole numbers"},
	"result.go":  {"2": "the two ends of a band, the two nearest personas"},
	"score.go": {
		"0.5": "half up, and the middle of the normal distribution", "1e-9": "ties that binary fractions miss", "2": "the two ends of a band",
		"50": "the mean of a T score", "10": "the standard deviation of a T score", "20": "the lowest T score", "80": "the highest T score", "99": "the highest percentile",
	},
	"warning.go":           {"2": "set: signs of carelessness that make doubt by themselves"},
	"../report/compare.go": {"2": "a comparison takes two"},
	"../report/cost.go":    {"0.001": "what rounding can make of a sum of exact figures", "100.0": "percent", "1e-9": "ties that binary fractions miss"},
	"../report/guide.go":   {"2": "set: questions about a dimension, and dimensions that the role's questions are about"},
	"../report/report.go":  {"0.5": "half up", "1e-9": "ties that binary fractions miss"},
	"../report/reliable.go": {
		"1e-9": "ties that binary fractions miss", "2": "decimals of a reliability; extremes take two scores", "64": "bits of a double",
	},
}

func TestTheCodeOfTheScoringHoldsNoNumberOfTheTest(t *testing.T) {
	used := make(map[string]bool)
	for _, file := range slices.Concat(scoringFiles, reportFiles) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			number, ok := n.(*ast.BasicLit)
			if !ok || number.Kind != token.INT && number.Kind != token.FLOAT {
				return true
			}
			if _, everywhere := numbersOfTheScoring[""][number.Value]; everywhere {
				return true
			}
			if numbersOfTheScoring[file][number.Value] == "" {
				t.Errorf("%s holds %s: a number of the test belongs into its files, with author and date", file, number.Value)
			}
			used[file+number.Value] = true
			return true
		})
	}
	for file, numbers := range numbersOfTheScoring {
		for number := range numbers {
			if file != "" && !used[file+number] {
				t.Errorf("%s no longer holds %s", file, number)
			}
		}
	}
}

func TestEveryFileOfThePackageScoresOrReads(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	listed := slices.Sorted(slices.Values(slices.Concat(scoringFiles, readingFiles)))
	if !slices.Equal(listed, files) {
		t.Errorf("listed %q, there %q", listed, files)
	}
}

// Nothing is learned from data: people wrote every number, and each file says who and
// when. A table of draws cannot hold a comment, so the file that names it says it.
func TestEveryFileOfTheInstrumentNamesItsAuthorAndDate(t *testing.T) {
	const by = `[A-Z][a-z]+ [a-z]+, \d{4}-\d{2}-\d{2}`
	head, table := regexp.MustCompile(`^# `+by+`\.\n`), regexp.MustCompile(`# `+by+`: [^\n]+\n(\s*#[^\n]+\n)*\s+stability_draws: \{file: stability_draws.csv,`)
	seen := make(map[string]int)
	err := fs.WalkDir(embedded, ownID, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(embedded, name)
		kind := path.Ext(name)
		seen[kind]++
		switch kind {
		case ".yaml":
			if !head.Match(text) {
				t.Errorf("%s does not begin with its author and date", name)
			}
		case ".csv":
			definition, _ := fs.ReadFile(embedded, path.Dir(name)+"/"+definitionFile)
			if !table.Match(definition) {
				t.Errorf("%s does not say who made %s, and when", definitionFile, name)
			}
		default:
			if path.Base(name) != releaseFile {
				t.Errorf("what is %s?", name)
			}
		}
		return err
	})
	if err != nil || fmt.Sprint(seen) != "map[:2 .csv:1 .yaml:26]" {
		t.Errorf("%v, %v", seen, err)
	}
}
