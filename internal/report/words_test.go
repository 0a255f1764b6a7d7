package report

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"typus"
	"typus/internal/instrument"
	"typus/internal/page/pagetest"
)

// forbidden are words that a report must not use, in either language: judgements
// of fitness, honesty, health, intelligence, character and origin, forecasts, and
// claims that nothing supports.
var forbidden = regexp.MustCompile(`(?i)geeignet|eignung|ehrlich|aufrichtig|lüge|lügt|charakter|intelligen|begab|prognos|vorherseh|vorhersag|erfolgs|% ?erfolg|` +
	`diagnos|krank|gesund|psych|herkunft|\balter\b|rangliste|rangfolge|validiert|zertifiziert|bewiesen|\bbeweis|garantie|` +
	`suitab|unsuit|\bfit for\b|honest|\bliars?\b|\blied\b|character|gifted|forecast|predict|prognos|success rate|chance of success|` +
	`illness|\bhealth|origin\b|\bage\b|ranking|validated|certified|proven\b.*\bscience|guarantee|!`)

// denial matches the sentences that name such a word in order to forbid or to deny it, and
// the characters that a text is made of.
var denial = regexp.MustCompile(`kein Hinweis auf Unehrlichkeit|no sign of dishonesty|Fragen Sie nicht nach [^.]*\.|Do not ask about [^.]*\.|` +
	`Nicht hierher gehören Fragen nach [^.]*\.|[\d,]+ characters|a character that the font`)

// checkWords fails for every text that says what a report must not say.
func checkWords(t *testing.T, source string, texts map[string]string) {
	t.Helper()
	if len(texts) == 0 {
		t.Errorf("%s holds no texts", source)
	}
	for key, said := range texts {
		if word := forbidden.FindString(denial.ReplaceAllString(said, "")); word != "" {
			t.Errorf("%s %s says %q: %s", source, key, word, said)
		}
	}
}

func TestNoTextOfAReportSaysWhatItMustNotSay(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		for _, file := range wordFiles(t, lang) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var any map[string]any
			if err := json.Unmarshal(body, &any); err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{}
			flatten("", any, texts)
			checkWords(t, file, texts)
		}
		names := spoken(instrument.Own(), lang)
		checkWords(t, "the instrument in "+lang, names)
		for key, said := range names {
			for _, fault := range pagetest.Forbidden(lang, said) {
				t.Errorf("%s: %s", key, fault)
			}
		}
	}
}

// wordFiles are the files of a language whose words stand in a report, or beside one.
func wordFiles(t *testing.T, lang string) []string {
	t.Helper()
	names, err := fs.Glob(files, "texts/*"+lang+".json")
	if err != nil || len(names) < 4 {
		t.Fatalf("%q, %v", names, err)
	}
	drafts, err := filepath.Glob("../dashboard/locales/*.draft." + lang + ".json")
	if err != nil || len(drafts) < 6 {
		t.Fatalf("%q, %v", drafts, err)
	}
	names = append(names, drafts...)
	for _, part := range []string{"report", "guide"} {
		names = append(names, "../dashboard/locales/"+part+"."+lang+".json")
	}
	return names
}

func flatten(at string, value any, into map[string]string) {
	switch v := value.(type) {
	case string:
		into[at] = v
	case []any:
		for i, part := range v {
			flatten(fmt.Sprint(at, ".", i), part, into)
		}
	case map[string]any:
		for key, part := range v {
			flatten(at+"."+key, part, into)
		}
	}
}

// spoken are the texts that the instrument contributes to a report.
func spoken(in *instrument.Instrument, lang string) map[string]string {
	texts := map[string]string{"title": in.Title(lang), "norm": in.NormStatement(lang)}
	for _, key := range in.Dimensions() {
		texts[key] = in.DimensionName(lang, key)
	}
	for _, key := range personas() {
		texts[key] = in.PersonaName(lang, key) + ": " + in.PersonaSubtitle(lang, key)
	}
	for _, key := range strings.Split("ABCDE", "") {
		texts["fit "+key] = in.FitLabel(lang, key)
	}
	for _, key := range in.WarningKeys() {
		texts[key] = in.WarningMessage(lang, key)
	}
	for _, r := range in.Roles() {
		texts["role "+r.Key] = in.RoleName(lang, r.Key)
	}
	return texts
}

func personas() []string {
	return []string{"door_opener", "closer", "driver", "connector", "trust_anchor", "advisor", "strategist", "organizer", "adapter", "rock", "spark", "allrounder"}
}

func TestTheRuleKnowsForbiddenWords(t *testing.T) {
	for _, said := range []string{
		"Diese Person ist ungeeignet.", "wirkt ehrlich", "hohe Intelligenz", "Prognose: 80 % Erfolg", "Erfolgswahrscheinlichkeit", "wissenschaftlich validiert",
		"highly suitable", "seems dishonest", "an intelligent person", "predicts sales", "success rate",
	} {
		if !forbidden.MatchString(denial.ReplaceAllString(said, "")) {
			t.Errorf("%q would pass", said)
		}
	}
}

// shapes are the patterns as the instrument has them, and the dimensions that they are made of.
func shapes(t *testing.T) ([]string, map[string][]int) {
	t.Helper()
	source, err := os.ReadFile("../instrument/salespersona/2.0.0/instrument.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Typology struct {
			Dimensions []string
			Types      []struct {
				Key   string
				Shape []int
			}
		}
	}
	if err := yaml.Unmarshal(source, &file); err != nil {
		t.Fatal(err)
	}
	of := map[string][]int{}
	for _, x := range file.Typology.Types {
		of[x.Key] = x.Shape
	}
	return file.Typology.Dimensions, of
}

// The introduction of a pattern describes the pattern, which need not be true of the
// person: what it says of the mean is said of the pattern's own, and it puts below it
// exactly what lies there.
func TestTheIntroductionOfAPatternDescribesThePattern(t *testing.T) {
	dimensions, of := shapes(t)
	below := regexp.MustCompile(`(Unter dem Mittel seiner|Darunter) [^.]*\.|[^.]*\bbelow (it|the mean of its)\b[^.]*\.`)
	personal := regexp.MustCompile(`(?i)persön|person\b|persons?’s|personal|beschreibt sich|describes themselves`)
	for lang, v := range words() {
		for key, p := range v.Patterns {
			if personal.MatchString(p.Introduction) || !strings.Contains(p.Introduction, "uster") && lang == "de" || !strings.Contains(p.Introduction, "his pattern") && lang == "en" {
				t.Errorf("%s in %s: %s", key, lang, p.Introduction)
			}
			under := strings.ToLower(below.FindString(p.Introduction))
			above := strings.ToLower(below.ReplaceAllString(p.Introduction, ""))
			for i, d := range dimensions {
				name := strings.ToLower(instrument.Own().DimensionName(lang, d))
				if low := of[key][i] < 0; strings.Contains(under, name) != low || strings.Contains(above, name) && of[key][i] <= 0 {
					t.Errorf("%s in %s lies at %d in the shape of %s: %s", d, lang, of[key][i], key, p.Introduction)
				}
			}
		}
	}
}

// What every report says of the overall score holds for every role.
func TestTheFiguresOfTheOverallScoreAreThoseOfTheRoles(t *testing.T) {
	in := instrument.Own()
	lowest, highest := 100, 0
	for _, role := range in.Roles() {
		lowest, highest = min(lowest, even(in, role)), max(highest, even(in, role))
		if role.Below != 2 {
			t.Errorf("%s takes %v points for each below", role.Key, role.Below)
		}
		for _, z := range role.Zones {
			if z.High < 100 && z.Above != 0.5 {
				t.Errorf("%s takes %v points for each of %s above", role.Key, z.Above, z.Dimension)
			}
		}
	}
	for lang, said := range map[string]string{"de": fmt.Sprintf("%d bis %d", lowest, highest), "en": fmt.Sprintf("%d to %d", lowest, highest)} {
		text, err := os.ReadFile("../dashboard/locales/report." + lang + ".json")
		if err != nil || !strings.Contains(string(text), said) {
			t.Errorf("nothing says that an even profile reaches %s: %v", said, err)
		}
	}
}

// The instrument has every name in both languages, so that a report never mixes them.
func TestEveryNameIsThereInBothLanguages(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		for key, said := range spoken(instrument.Own(), lang) {
			if strings.Trim(said, ": ") == "" {
				t.Errorf("%s has no name in %s", key, lang)
			}
		}
	}
}

var (
	placeholder = regexp.MustCompile(`\{\{\.\w+\}\}`)
	sentence    = regexp.MustCompile(`[.?!:](\s|$)`)
)

// shape is what a text has in every language: its placeholders, and how many sentences and
// parts of sentences.
func shape(said string) string {
	names := placeholder.FindAllString(said, -1)
	slices.Sort(names)
	return fmt.Sprint(names, len(sentence.FindAllString(said, -1)))
}

func TestTheVocabulariesSayTheSameThings(t *testing.T) {
	de, en := paths(t, words()["de"]), paths(t, words()["en"])
	for key, said := range de {
		if strings.TrimSpace(said) == "" || strings.TrimSpace(en[key]) == "" {
			t.Errorf("%s is %q in German and %q in English", key, said, en[key])
		}
		if shape(said) != shape(en[key]) {
			t.Errorf("%s has the shape %s in German and %s in English:\n%s\n%s", key, shape(said), shape(en[key]), said, en[key])
		}
	}
	if len(de) != len(en) {
		t.Errorf("%d texts in German, %d in English", len(de), len(en))
	}
	for _, key := range instrument.Own().Dimensions() {
		for lang, v := range words() {
			d := v.Dimensions[key]
			for _, said := range []string{d.High, d.Middle, d.Low} {
				if (said == "") != (key == unasked) {
					t.Errorf("%s in %s: %+v", key, lang, d)
				}
				if said != "" && !strings.HasPrefix(said, map[string]string{"de": "Beschreibt ", "en": "Describes "}[lang]) {
					t.Errorf("a report says how people describe themselves, not what they are: %s", said)
				}
			}
			if d.About == "" || len(v.Questions[key]) != 6 {
				t.Errorf("%s in %s: %+v with %d questions", key, lang, d, len(v.Questions[key]))
			}
		}
	}
	for _, key := range personas() {
		if de[".patterns."+key+".focus"] == "" {
			t.Errorf("the pattern %s is not described", key)
		}
	}
	for _, l := range looks(instrument.Result{}) {
		if de[".checks."+l.key] == "" || (de[".unmade."+l.key] == "") != (l.key == "course") {
			t.Errorf("the check %s has no name, or no word of why it is not made", l.key)
		}
	}
	for _, s := range []typus.Severity{typus.SeverityInfo, typus.SeverityNotice, typus.SeverityCaution} {
		if de[".found."+string(s)] == "" {
			t.Errorf("the severity %s has no name", s)
		}
	}
	for _, g := range []Grade{GradeClear, GradeInfo, GradeNotice, GradeCaution, GradeDoubtful} {
		if de[".quality."+string(g)+".heading"] == "" {
			t.Errorf("the grade %s has no words", g)
		}
	}
}

// paths are the texts of a vocabulary by where they stand.
func paths(t *testing.T, v vocabulary) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for part, value := range map[string]any{"": v, ".dimensions": v.Dimensions, ".patterns": v.Patterns, ".questions": v.Questions, ".decision": v.Decision} {
		body, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var read any
		if err := json.Unmarshal(body, &read); err != nil {
			t.Fatal(err)
		}
		flatten(part, read, texts)
	}
	return texts
}

func TestNoVocabularyIsLeftOver(t *testing.T) {
	names, err := fs.Glob(files, "texts/*.json")
	if err != nil || len(names) != 6*len(words()) {
		t.Errorf("%v, %v", names, err)
	}
	for lang, v := range words() {
		for i := range reflect.TypeOf(v).NumField() {
			if reflect.ValueOf(v).Field(i).IsZero() {
				t.Errorf("%s: %s is empty", lang, reflect.TypeOf(v).Field(i).Name)
			}
		}
	}
}

// The first sentence of every report, to the letter.
func TestEveryReportSaysFirstWhatItIs(t *testing.T) {
	want := map[string]string{
		"de": "Dieses Ergebnis ist eine Selbstbeschreibung und ein Baustein von mehreren. Es darf nicht allein über eine Bewerbung entscheiden.",
		"en": "This result is a self-description and one building block among several. It must not decide on an application on its own.",
	}
	for lang, sentence := range want {
		for _, k := range vectors(t, "2.0.0") {
			h := Of(k.in, k.stored(t), lang).Head
			if h.Statement != sentence || h.Norm == "" || h.NormNote == "" || h.Instrument == "" || h.Setting == "" || h.Band == "" {
				t.Errorf("%s in %s: %+v", k.Name, lang, h)
			}
		}
	}
	if got := fmt.Sprint(Of(instrument.Own(), Stored{}, "fr").Head.Statement); got != want["de"] {
		t.Errorf("in a language that nobody speaks: %s", got)
	}
}
