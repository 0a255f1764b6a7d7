package typus

import "slices"

// Scores is the part of a result that leaves the server: the fields of API description
// 2.3 and 2.4. Names, labels and messages are German, as in the API description's
// examples. What only the report needs (bands, second persona, norm status) is in
// instrument.Result.
type Scores struct {
	Overall    int // 0 to 100
	Fit        Fit
	Persona    Persona
	Dimensions []DimensionScore // nine, in the instrument's frozen order
	Warnings   []Warning        // may be empty, never nil
}

// DoubtfulAnswers is the key of the warning that a result should not be interpreted.
const DoubtfulAnswers = "response_quality_doubtful"

// Doubtful reports whether the result should not be interpreted. A list has no room to
// say so beside each figure, so it shows no score of such a result and does not sort by
// it.
func (s Scores) Doubtful() bool {
	return slices.ContainsFunc(s.Warnings, func(w Warning) bool { return w.Key == DoubtfulAnswers })
}

// Fit is the class of the overall score, "A" to "E", with its German label.
type Fit struct {
	Key   string
	Label string
}

// Persona is the persona type of a profile, one of twelve. On the wire it is called
// archetype.
type Persona struct {
	Key      string
	Name     string
	Subtitle string
}

// DimensionScore is the score of one dimension, 0 to 100 with mean 50 and
// standard deviation 20 in the norm.
type DimensionScore struct {
	Key   string
	Name  string
	Score int
}

// Severity ranks a warning; it never changes a score.
type Severity string

// The severities: context, read with care, limited interpretability.
const (
	SeverityInfo    Severity = "info"
	SeverityNotice  Severity = "notice"
	SeverityCaution Severity = "caution"
)

// Warning is a remark on the quality of the answers.
type Warning struct {
	Key      string
	Severity Severity
	Message  string
}
