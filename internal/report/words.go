package report

import (
	"embed"
	"sync"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
)

//go:embed texts
var files embed.FS

// vocabulary is texts/<language>.json: every sentence of a report that the
// instrument does not bring along.
type vocabulary struct {
	Statement  string                      `json:"statement"`
	MadeUp     noticeWords                 `json:"made_up"`
	Norm       map[string]string           `json:"norm"`      // by kind
	NormNote   map[string]string           `json:"norm_note"` // by kind
	TypeNote   map[string]string           `json:"type_note"` // by kind
	Setting    string                      `json:"setting"`
	ByNobody   string                      `json:"setting_made_up"`
	Band       string                      `json:"band"`
	RoleNote   string                      `json:"role_note"`
	Levels     map[instrument.Level]string `json:"levels"`
	Dimensions map[string]dimensionWords   `json:"dimensions"`
	Quality    map[Grade]noticeWords       `json:"quality"`
	Checks     map[string]string           `json:"checks"`
	Found      map[typus.Severity]string   `json:"found"`
	Fine       string                      `json:"fine"`
	Untimed    string                      `json:"untimed"`
}

// dimensionWords describe a dimension and, in the person's own voice, its two ends.
// The ends of integrity are left unsaid: no sentence about honesty.
type dimensionWords struct {
	About string `json:"about"`
	High  string `json:"high,omitempty"`
	Low   string `json:"low,omitempty"`
}

type noticeWords struct {
	Heading string `json:"heading"`
	Advice  string `json:"advice"`
}

// words are the vocabularies by language.
var words = sync.OnceValue(func() map[string]vocabulary {
	all := map[string]vocabulary{}
	for _, lang := range []string{"de", "en"} {
		text, err := files.ReadFile("texts/" + lang + ".json")
		if err != nil {
			panic(err) // embedded
		}
		var v vocabulary
		if err := json.Unmarshal(text, &v, json.RejectUnknownMembers(true)); err != nil {
			panic(err) // the tests read it too: no build with this fault is released
		}
		all[lang] = v
	}
	return all
})

// languageOf is the language of a report for a reader of lang: German for whoever
// reads another than ours.
func languageOf(lang string) string {
	if _, speaks := words()[lang]; speaks {
		return lang
	}
	return "de"
}
