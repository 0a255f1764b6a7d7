package report

import (
	"strings"
	"testing"

	"typus"
	"typus/internal/instrument"
)

// older is a result of a version before ours: another instrument version, a
// dimension and a persona that are gone, a warning that nobody gives any more, no
// norm that we know, and fields that came later missing.
const (
	older = `{"overall":64,"overall_exact":63.6,"overall_sem":6.2,"fit":{"key":"C","label":"Mittel"},
		"archetype":{"key":"pioneer","name":"Pionier","subtitle":"Geht voran","secondary":{"key":"driver","name":"Motor"},"stability":48,"level":"predominant"},
		"dimensionScores":[
			{"key":"assertiveness","name":"Durchsetzung","score":90,"band":[75,100]},
			{"key":"humour","name":"Humor","score":20,"band":[5,35]},
			{"key":"resilience","name":"Resilienz"}],
		"warnings":[{"key":"odd_hours","severity":"strange","message":"Zu ungewöhnlicher Zeit bearbeitet."}],
		"meta":{"instrument":"salespersona","instrument_version":"0.4.0","norm":"pilot-1","norm_kind":"pilot","language":"de"},
		"something_else":true}`
	olderRole = `{"key":"door_to_door","version":3,"below":2,"zones":[{"dimension":"assertiveness","weight":0.5,"low":60,"high":80}]}`
)

func TestAResultOfAnOlderVersionCanStillBeRead(t *testing.T) {
	s, err := Read([]byte(older), []byte(olderRole))
	if err != nil {
		t.Fatal(err)
	}
	de, en := Of(instrument.Own(), s, "de"), Of(instrument.Own(), s, "en")
	if de.Head.Instrument != "Persönlichkeitstest für Aufgaben im Vertrieb 0.4.0" || de.Head.Norm != "pilot-1" || de.Head.NormNote != "" {
		t.Errorf("head: %+v", de.Head)
	}
	if de.Role.Name != "door_to_door" || *de.Overall != (Overall{64, 53, 74, 0}) || de.Fit.Label != "Mittel" || len(de.Fit.Near) != 0 {
		t.Errorf("%+v %+v %+v", de.Role, de.Overall, de.Fit)
	}
	if en.Fit.Label != "Medium match with the role profile" {
		t.Errorf("the class is called %q in English", en.Fit.Label)
	}
	if p := de.Persona; p.Name != "Pionier" || p.Subtitle != "Geht voran" || p.Second.Name != "Motor" || p.Level != "mäßig stabil" || p.Equal || p.Others != nil {
		t.Errorf("%+v", p)
	}
	if p := en.Persona; p.Name != "Pionier" || p.Second.Name != "Driver" {
		t.Errorf("in English: %+v", p)
	}
	first, second, third := de.Dimensions[0], de.Dimensions[1], de.Dimensions[2]
	if first.Name != "Durchsetzung" || first.Stands == "" || *first.Zone != (Zone{60, 80}) || first.Weight != 50 {
		t.Errorf("%+v", first)
	}
	if second.Name != "Humor" || second.About != "" || second.Stands != "" || second.Zone != nil || !second.Scored {
		t.Errorf("%+v", second)
	}
	if third.Scored {
		t.Errorf("%+v", third)
	}
	last := de.Quality.Checks[len(de.Quality.Checks)-1]
	if de.Quality.Grade != GradeNotice || last.Name != "Weitere Hinweise" || last.Found != "Hinweis" || last.Messages[0] != "Zu ungewöhnlicher Zeit bearbeitet." {
		t.Errorf("%+v", de.Quality)
	}
}

func TestADamagedResultIsAnErrorOfOurs(t *testing.T) {
	for _, c := range []struct{ result, role string }{{"", "{}"}, {"{", "{}"}, {"{}", ""}, {`{"overall":"many"}`, "{}"}, {"[]", "{}"}} {
		if _, err := Read([]byte(c.result), []byte(c.role)); typus.KindOf(err) != typus.Internal {
			t.Errorf("%q, %q: %v", c.result, c.role, err)
		}
	}
}

func TestAnOverallScoreIsNeverShownWithoutItsBand(t *testing.T) {
	score := 80
	got := Of(instrument.Own(), Stored{Result: instrument.Result{Overall: &score, OverallExact: 80}}, "de")
	if got.Overall != nil || got.Fit != nil || got.Persona != nil {
		t.Errorf("%+v", got)
	}
}

func TestAClassNearAnotherIsNamedWithIt(t *testing.T) {
	near := func(borderline ...string) []string {
		score := 77
		return Of(instrument.Own(), Stored{Result: instrument.Result{Overall: &score, OverallExact: 77.4, OverallSEM: 6,
			Fit: &instrument.Fit{Key: "C", Borderline: borderline}}}, "de").Fit.Near
	}
	if got := near("B"); len(got) != 2 || got[0] != "B" || got[1] != "C" {
		t.Errorf("%v", got)
	}
	if got := near(); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// The grade is the gravest finding; a persona between several types is no fault of
// the answers, and a single remark does not hide a grave one.
func TestTheQualityIsThatOfTheGravestFinding(t *testing.T) {
	for _, c := range []struct {
		warnings []instrument.Warning
		want     Grade
	}{
		{nil, GradeClear},
		{[]instrument.Warning{{Key: instrument.WarnAmbiguous, Severity: typus.SeverityInfo}}, GradeClear},
		{[]instrument.Warning{{Key: instrument.WarnPause, Severity: typus.SeverityInfo}}, GradeInfo},
		{[]instrument.Warning{{Key: instrument.WarnTooFast, Severity: typus.SeverityCaution}, {Key: instrument.WarnMissing, Severity: typus.SeverityNotice}}, GradeCaution},
		{[]instrument.Warning{{Key: instrument.WarnDoubtful, Severity: typus.SeverityCaution}, {Key: instrument.WarnTooFast, Severity: typus.SeverityCaution}}, GradeDoubtful},
	} {
		q := Of(instrument.Own(), Stored{Result: instrument.Result{Warnings: c.warnings}}, "de").Quality
		if q.Grade != c.want || q.Heading == "" || q.Advice == "" {
			t.Errorf("%v: %+v", c.warnings, q)
		}
	}
}

// The short words stand where the report advises against reading it, and nowhere else.
func TestTheShortWordsAreThoseOfTheReport(t *testing.T) {
	doubtful := 0
	for _, k := range vectors(t, "2.0.0") {
		s := k.stored(t)
		if !s.Result.Complete() {
			continue
		}
		for _, lang := range []string{"de", "en", "fr"} {
			r, said := Of(k.in, s, lang), Doubt(s.Result.Scores(), false, lang)
			switch {
			case !r.Doubtful() && said != "":
				t.Errorf("%s in %s: %q", k.Name, lang, said)
			case r.Doubtful() && said != r.Quality.Heading:
				t.Errorf("%s in %s: %q and %q", k.Name, lang, said, r.Quality.Heading)
			case r.Doubtful():
				doubtful++
			}
		}
	}
	if doubtful == 0 {
		t.Error("no result is doubtful")
	}
}

// Only what was looked at can be called fine.
func TestAnEmptySheetIsCheckedForItsCompletenessAlone(t *testing.T) {
	in := instrument.Own()
	q := Of(in, stored(t, in, in.NewSheet(), "general_sales"), "de").Quality
	if len(q.Unmade()) != 5 || len(q.Passed()) != 0 || len(q.Findings()) != 1 || q.Findings()[0].Name != "Vollständigkeit" {
		t.Errorf("%+v", q.Checks)
	}
	for _, c := range q.Unmade() {
		if !strings.HasPrefix(c.Found, "Nicht geprüft, weil ") {
			t.Errorf("%+v", c)
		}
	}
}

// The band of a norm from data says how many people it rests on, and nothing if that is
// not known.
func TestABandNamesWhatItRestsOn(t *testing.T) {
	in := instrument.Own()
	w := func(kind string) writer {
		return newWriter(in, instrument.Result{Meta: instrument.Meta{NormKind: kind, Norm: in.NormID()}}, "de")
	}
	for _, c := range []struct{ got, want string }{
		{w("theoretical").band(0), "so zuverlässig misst wie geplant (0,80); gemessen ist das noch nicht."},
		{w("empirical").band(214), "beruht auf den Ergebnissen von 214 Personen."},
	} {
		if !strings.HasSuffix(c.got, c.want) {
			t.Errorf("%q does not end with %q", c.got, c.want)
		}
	}
	if got := w("empirical").band(0); got != "" {
		t.Errorf("of nobody: %q", got)
	}
}

// A result that should not be interpreted has figures, and nothing that interprets them.
func TestADoubtfulResultIsNotInterpreted(t *testing.T) {
	doubtful := 0
	for _, k := range vectors(t, "2.0.0") {
		r := Of(k.in, k.stored(t), "en")
		if r.Overall == nil || !r.Doubtful() {
			continue
		}
		doubtful++
		if r.Fit != nil || r.Costs != nil || r.Persona != nil || r.Extremes != "" || len(r.Standing()) > 0 || len(r.Missing()) > 0 {
			t.Errorf("%s: %+v", k.Name, r)
		}
	}
	if doubtful == 0 {
		t.Error("no result is doubtful")
	}
}

func BenchmarkOf(b *testing.B) {
	s := vectors(b, "2.0.0")[20].stored(b)
	for b.Loop() {
		Of(version(b, "2.0.0"), s, "de")
	}
}
