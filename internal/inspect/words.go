package inspect

import (
	"embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

//go:embed texts
var files embed.FS

// vocabulary is what is said of findings, in one language. Command and page read it here.
type vocabulary struct {
	Verdicts   map[Verdict]string    `json:"verdicts"`
	OK         string                `json:"ok"`
	None       string                `json:"none"`
	By         string                `json:"by"`
	Difference string                `json:"difference"`
	Pasted     string                `json:"pasted"`
	Sent       string                `json:"sent"`
	Causes     map[string]causeWords `json:"causes"`
}

type causeWords struct {
	Said string `json:"said"`
	Mend string `json:"mend"`
}

// words are the vocabularies by language. A fault in their files is a fault of the build,
// which the tests find.
var words = sync.OnceValue(func() map[string]vocabulary {
	all := map[string]vocabulary{}
	for _, lang := range []string{"de", "en"} {
		var v vocabulary
		text, err := files.ReadFile("texts/" + lang + ".json")
		if err == nil {
			err = json.Unmarshal(text, &v, json.RejectUnknownMembers(true))
		}
		if err != nil {
			panic(err) // embedded, and read by the tests
		}
		all[lang] = v
	}
	return all
})

// Said is a finding in words.
type Said struct {
	Header  string
	Verdict Verdict
	Is      string   // the verdict in words
	By      string   // which secret it fits, "" for the pasted one
	Found   []string // the causes
	Mend    []string // what to do, each once
}

// In says a finding in a language, de or en.
func (f Finding) In(lang string) Said {
	v := words()[lang]
	said := Said{Header: f.Header, Verdict: f.Verdict, Is: v.Verdicts[f.Verdict]}
	if f.By != "" {
		said.By = strings.ReplaceAll(v.By, "{{.By}}", f.By)
	}
	for _, c := range f.Causes {
		fill := strings.NewReplacer("{{.About}}", c.About, "{{.Header}}", f.Header)
		said.Found = append(said.Found, fill.Replace(v.Causes[c.Key].Said))
		if mend := fill.Replace(v.Causes[c.Key].Mend); !slices.Contains(said.Mend, mend) {
			said.Mend = append(said.Mend, mend)
		}
	}
	return said
}

// SaidDifference is a difference in words, with the names of its two sides.
type SaidDifference struct {
	Difference
	Said, PastedName, SentName string
}

// In says a difference in a language, de or en.
func (d Difference) In(lang string) SaidDifference {
	v := words()[lang]
	return SaidDifference{d, strings.ReplaceAll(v.Difference, "{{.At}}", strconv.Itoa(d.At)), v.Pasted, v.Sent}
}

// Closing is what remains to be said of an inspection in a language, de or en: that all
// of it fits, or that there is no signature; "" for nothing.
func (i Inspection) Closing(lang string) string {
	switch {
	case i.Empty():
		return strings.ReplaceAll(words()[lang].None, "{{.Header}}", i.Service.Header)
	case i.Service.fits() && i.Standard.fits():
		return words()[lang].OK
	}
	return ""
}
