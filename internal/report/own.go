package report

// Own is a result in the words in which the candidate reads it: what the employer sees, and
// beside it what each dimension says in the second person.
type Own struct {
	Report
	Near  string // what cannot be told from the mean
	Words []OwnWords
}

// OwnWords are what a candidate reads about a dimension.
type OwnWords struct {
	Dimension
	Says string // "" for one that is never put into words, and where the result should not be interpreted
}

// The borders of the three verbal bands: to ownLow a score is low, from ownHigh on high.
const (
	ownLow  = 29
	ownHigh = 71
)

// ownVocabulary are the sentences of Own that no report has.
type ownVocabulary struct {
	Near       string                   `json:"near"`
	Dimensions map[string]ownDimensions `json:"dimensions"`
}

type ownDimensions struct {
	Low    string `json:"low"`
	Middle string `json:"middle"`
	High   string `json:"high"`
}

// OwnOf puts a report into the candidate's words. Integrity has its figures and no words.
func OwnOf(r Report) Own {
	said := words()[r.Language].Own
	o := Own{Report: r, Near: said.Near}
	for _, d := range r.Dimensions {
		w := OwnWords{Dimension: d}
		if d.Scored && !r.Doubtful() {
			w.Says = said.Dimensions[d.Key].at(d.Score)
		}
		o.Words = append(o.Words, w)
	}
	return o
}

// at is the sentence for a score.
func (d ownDimensions) at(score int) string {
	switch {
	case score <= ownLow:
		return d.Low
	case score >= ownHigh:
		return d.High
	}
	return d.Middle
}
