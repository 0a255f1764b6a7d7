package report

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
)

//go:embed texts
var files embed.FS

// vocabulary is every sentence of a report that the instrument does not bring along.
// Each part has a file of its own, texts/<part>.<language>.json; what has no part is
// texts/<language>.json.
type vocabulary struct {
	Statement string                      `json:"statement"`
	MadeUp    noticeWords                 `json:"made_up"`
	Norm      map[string]string           `json:"norm"`      // by kind
	NormNote  map[string]string           `json:"norm_note"` // by kind
	TypeNote  map[string]string           `json:"type_note"` // by kind
	Setting   string                      `json:"setting"`
	ByNobody  string                      `json:"setting_made_up"`
	Band      map[string]string           `json:"band"` // by kind
	RoleNote  string                      `json:"role_note"`
	Levels    map[instrument.Level]string `json:"levels"`
	Quality   map[Grade]noticeWords       `json:"quality"`
	Checks    map[string]string           `json:"checks"`
	Found     map[typus.Severity]string   `json:"found"`
	Fine      string                      `json:"fine"`
	Unmade    map[string]string           `json:"unmade"` // by check
	Draft     draftWords                  `json:"draft"`

	Dimensions map[string]dimensionWords `json:"-"`
	Patterns   map[string]patternWords   `json:"-"`
	Questions  map[string][]Question     `json:"-"` // by dimension, in the order in which they are chosen
	Decision   decisionWords             `json:"-"`
	Own        ownVocabulary             `json:"-"`
}

// draftWords are sentences that only one person has read so far.
type draftWords struct {
	Below    string `json:"below"`
	Above    string `json:"above"`
	Extremes string `json:"extremes"`

	Differ     string `json:"differ"`
	Alike      string `json:"alike"`
	Uncompared string `json:"uncompared"`
	Unworded   string `json:"unworded"`
	MadeUp     string `json:"made_up"`

	ByPerson  string `json:"role_by_person"`
	ByExperts string `json:"role_by_experts"`
	Day       string `json:"day"` // as Go writes it
}

// dimensionWords describe a dimension and, in the person's own voice, its two ends and
// what lies between them. Those of integrity are left unsaid: no sentence about honesty.
type dimensionWords struct {
	About  string `json:"about"`
	Low    string `json:"low,omitempty"`
	Middle string `json:"middle,omitempty"`
	High   string `json:"high,omitempty"`
}

// patternWords describe a pattern. They compare a person only with the person's other
// scores, and name no height.
type patternWords struct {
	Introduction string `json:"introduction"`
	Strengths    string `json:"strengths"`
	Overdone     string `json:"overdone"`
	Coaching     string `json:"coaching"`
	Focus        string `json:"focus"` // of the interview
}

type noticeWords struct {
	Heading string `json:"heading"`
	Advice  string `json:"advice"`
}

// words are the vocabularies by language. A fault in their files is a fault of the build,
// which the tests find.
var words = sync.OnceValue(func() map[string]vocabulary {
	all := map[string]vocabulary{}
	for _, lang := range []string{"de", "en"} {
		var v vocabulary
		read(lang, &v)
		read("dimensions."+lang, &v.Dimensions)
		read("patterns."+lang, &v.Patterns)
		read("questions."+lang, &v.Questions)
		read("decision."+lang, &v.Decision)
		read("own."+lang, &v.Own)
		all[lang] = v
	}
	return all
})

func read(name string, into any) {
	text, err := files.ReadFile("texts/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(text, into, json.RejectUnknownMembers(true))
	}
	if err != nil {
		panic(err) // embedded, and read by the tests
	}
}

// filled puts values into the placeholders of a sentence, which are written as in the
// texts of the pages: pairs of name and value. What a value says stays as it is.
func filled(sentence string, pairs ...string) string {
	places := slices.Clone(pairs)
	for i := 0; i < len(places); i += 2 {
		places[i] = "{{." + places[i] + "}}"
	}
	return strings.NewReplacer(places...).Replace(sentence)
}

// languageOf is the language of a report for a reader of lang: German for whoever
// reads another than ours.
func languageOf(lang string) string {
	if _, speaks := words()[lang]; speaks {
		return lang
	}
	return "de"
}
