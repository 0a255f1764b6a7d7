package report

import (
	"time"

	"typus"
)

// decisionWords name what a team decides. The reasons are those that were agreed on; the
// English sources are words that only one person has read so far.
type decisionWords struct {
	Stages  map[typus.Stage]string  `json:"stages"`
	Reasons map[typus.Reason]string `json:"reasons"`
	Sources map[typus.Source]string `json:"sources"`

	Draft map[typus.Confirmation]string `json:"draft"` // words that only one person has read so far
}

// Decision is an entry of what the team decided, in words.
type Decision struct {
	Stage   string
	By      string // the user's e-mail when it was written
	At      time.Time
	Reasons []string
	Sources []string
	Text    string // lines of text, may be empty
}

// DecisionOf puts an entry into the words of a language, or of German if we do not have
// that language.
func DecisionOf(d typus.Decision, lang string) Decision {
	out := Decision{Stage: StageName(d.Stage, lang), By: d.Author, At: d.CreatedAt, Text: d.Text}
	for _, r := range d.Reasons {
		out.Reasons = append(out.Reasons, ReasonName(r, lang))
	}
	for _, s := range d.Sources {
		out.Sources = append(out.Sources, SourceName(s, lang))
	}
	return out
}

// StageName is a stage in words, as are ReasonName and SourceName.
func StageName(s typus.Stage, lang string) string {
	return words()[languageOf(lang)].Decision.Stages[s]
}

// ReasonName is a reason in words.
func ReasonName(r typus.Reason, lang string) string {
	return words()[languageOf(lang)].Decision.Reasons[r]
}

// SourceName is a source in words.
func SourceName(s typus.Source, lang string) string {
	return words()[languageOf(lang)].Decision.Sources[s]
}
