package store

import (
	"github.com/go-json-experiment/json"

	"typus"
)

// storedScores is how candidates.scores keeps what leaves the server. The names
// are the store's own: the two wire forms have theirs.
type storedScores struct {
	Overall    int               `json:"overall"`
	Fit        storedFit         `json:"fit"`
	Archetype  storedArchetype   `json:"archetype"`
	Dimensions []storedDimension `json:"dimensions"`
	Warnings   []storedWarning   `json:"warnings"`
}

type storedFit struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

type storedArchetype struct {
	Key      string `json:"key"`
	Name     string `json:"name"`
	Subtitle string `json:"subtitle"`
}

type storedDimension struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Score int    `json:"score"`
}

type storedWarning struct {
	Key      string         `json:"key"`
	Severity typus.Severity `json:"severity"`
	Message  string         `json:"message"`
}

func encodeScores(s typus.Scores) ([]byte, error) {
	v := storedScores{Overall: s.Overall, Fit: storedFit(s.Fit), Archetype: storedArchetype(s.Archetype)}
	for _, d := range s.Dimensions {
		v.Dimensions = append(v.Dimensions, storedDimension(d))
	}
	for _, w := range s.Warnings {
		v.Warnings = append(v.Warnings, storedWarning(w))
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, typus.Errorf(typus.Internal, "the scores cannot be stored").WithCause(err)
	}
	return b, nil
}

func decodeScores(b []byte) (*typus.Scores, error) {
	var v storedScores
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, typus.Errorf(typus.Internal, "the stored scores cannot be read").WithCause(err)
	}
	s := &typus.Scores{Overall: v.Overall, Fit: typus.Fit(v.Fit), Archetype: typus.Archetype(v.Archetype), Warnings: []typus.Warning{}}
	for _, d := range v.Dimensions {
		s.Dimensions = append(s.Dimensions, typus.DimensionScore(d))
	}
	for _, w := range v.Warnings {
		s.Warnings = append(s.Warnings, typus.Warning(w))
	}
	return s, nil
}
