package sandbox

import (
	_ "embed"
	"sync"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/assess"
)

//go:embed vectors.json
var vectorFile []byte

// Vector is a set of answers whose result is known.
type Vector struct {
	Name       string   `json:"name"`       // behind "finish+" in an address
	From       string   `json:"from"`       // what the reference calls it
	Answers    string   `json:"answers"`    // a digit for each item
	Overall    int      `json:"overall"`    // with the role profile general_sales, as is Fit
	Fit        string   `json:"fit"`        // A to E
	Persona    string   `json:"persona"`    // key
	Dimensions []int    `json:"dimensions"` // scores
	Warnings   []string `json:"warnings"`   // codes
}

// vectors are all vectors with the items and dimensions that they are about.
type vectors struct {
	Order      []string `json:"order"`      // items
	Dimensions []string `json:"dimensions"` // keys
	Vectors    []Vector `json:"vectors"`
}

var known = sync.OnceValue(func() vectors {
	var v vectors
	if err := json.Unmarshal(vectorFile, &v); err != nil {
		panic(err) // the file is a part of the program
	}
	return v
})

// Vectors are the answers that people in a test world can give, with their results, and the
// keys of the dimensions.
func Vectors() ([]Vector, []string) { return known().Vectors, known().Dimensions }

// usual is the vector of everybody who finishes without naming one.
const usual = "allrounder"

// thought is how long each item is looked at, in milliseconds.
const thought = 5000

// answers are those of a vector; false when there is none of that name.
func answers(name string) ([]assess.Given, bool) {
	for _, v := range known().Vectors {
		if v.Name != name {
			continue
		}
		given := make([]assess.Given, len(v.Answers))
		for i, digit := range v.Answers {
			given[i] = assess.Given{ItemID: known().Order[i], Value: int(digit - '0'), ActiveMS: thought}
		}
		return given, true
	}
	return nil, false
}

// vectorOf is the name of the vector that an act answers with.
func vectorOf(act typus.Act, vector string) string {
	if act == typus.ActFinish {
		return vector
	}
	return usual
}
