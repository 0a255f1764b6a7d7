package report

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
)

// Caveats are what belongs beside the overall score, the class and the pattern of a
// result wherever they stand: how exact they are. Keys and names are as they were stored.
type Caveats struct {
	Band        *Zone    // 90 % band of the overall score, nil where none was stored
	Borderline  []string // the classes that the own one cannot be told from, without it
	Second      instrument.Secondary
	Stability   int  // in how many of 100 repeated tests the simulation gives the same pattern
	SecondShare *int // and in how many the second one; nil for a result of before 2.0.0
	Level       instrument.Level
	Norm        string // its key
	NormKind    string // such as "theoretical"
	Role        string // key@version of the role profile that the overall score goes by
}

// CaveatsOf reads them from a stored result of any version, which must have a score in
// every dimension. Internal: it is damaged.
func CaveatsOf(result []byte) (Caveats, error) {
	var r struct { // the rest of it is not read: a list asks for many
		Overall      int                `json:"overall"`
		OverallExact float64            `json:"overall_exact"`
		OverallSEM   float64            `json:"overall_sem"`
		Fit          instrument.Fit     `json:"fit"`
		Persona      instrument.Persona `json:"archetype"`
		Meta         instrument.Meta    `json:"meta"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return Caveats{}, typus.Errorf(typus.Internal, "a stored result cannot be read").WithCause(err)
	}
	c := Caveats{
		Borderline: r.Fit.Borderline, Second: r.Persona.Secondary, Stability: within(r.Persona.Stability), Level: r.Persona.Level,
		Norm: r.Meta.Norm, NormKind: r.Meta.NormKind, Role: r.Meta.RoleProfile,
	}
	if r.OverallSEM > 0 {
		band := bandOf(within(r.Overall), r.OverallExact, r.OverallSEM)
		c.Band = &band
	}
	if r.Persona.Shared() {
		c.SecondShare = new(within(r.Persona.SecondShare))
	}
	return c, nil
}

// Assumed reports whether the norm rests on assumptions, not on data.
func (c Caveats) Assumed() bool { return c.NormKind != "empirical" }

// Between names the classes of a borderline result, such as "B/C"; else "".
func (c Caveats) Between(class string) string {
	return Fit{Near: near(class, c.Borderline)}.Between()
}

// near are all classes within reach, the own one among them; none unless it is
// borderline.
func near(class string, borderline []string) []string {
	if len(borderline) == 0 {
		return nil
	}
	all := append(slices.Clone(borderline), class)
	slices.Sort(all)
	return all
}

// Legible says in a few words of the report how well the answers of a result can be read,
// and what was found, in a reader's language.
func Legible(in *instrument.Instrument, s typus.Scores, lang string) (string, string) {
	w := writer{in: in, lang: languageOf(lang), meta: instrument.Meta{Language: "de"}}
	grade := GradeClear
	var found []string
	for _, x := range s.Warnings {
		if x.Key == instrument.WarnAmbiguous || x.Key == instrument.WarnDoubtful {
			if x.Key == instrument.WarnDoubtful {
				grade = GradeDoubtful
			}
			continue
		}
		own := instrument.Warning{Key: x.Key, Severity: x.Severity, Message: x.Message}
		grade = graver(grade, gradeOf(own))
		found = append(found, w.warning(own))
	}
	return words()[w.lang].Quality[grade].Heading, strings.Join(found, " ")
}
