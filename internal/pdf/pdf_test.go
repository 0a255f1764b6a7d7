package pdf

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/clerk"
	"typus/internal/pdf/pdftest"
	"typus/internal/report"
)

// chosen are known answers of every kind: a plain result, one at the end of the scale, a
// mixed and an ambiguous pattern, a borderline class, a doubtful sheet, a failed control
// line, a dimension without a score, answers without times, and of the first version.
var chosen = []string{
	"1.0.0 G01", "1.0.0 G12", "1.0.0 G33", "2.0.0 G07", "2.0.0 G08", "2.0.0 G12", "2.0.0 G15", "2.0.0 G21", "2.0.0 G28", "2.0.0 G30", "2.0.0 G31",
	"2.0.0 G33", "2.0.0 G35", "2.0.0 G81",
}

func chosenVectors(t testing.TB) []known {
	return slices.DeleteFunc(vectors(t), func(k known) bool { return !slices.Contains(chosen, k.Name[:9]) })
}

func written(t testing.TB, r Report) []byte {
	t.Helper()
	file, err := r.File()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// sentences are those of a report and of its questions, in the order in which they are to
// be read.
func sentences(r Report) []string {
	list := []string{r.Head.Statement, r.Head.Norm, r.Head.NormNote, r.Head.Band, r.Quality.Heading, r.Quality.Advice}
	for _, c := range r.Quality.Findings() {
		list = append(list, c.Messages...)
	}
	for _, d := range r.Standing() {
		list = append(list, d.Stands)
	}
	list = append(list, r.Extremes)
	for _, d := range r.Missing() {
		list = append(list, d.Misses)
	}
	if r.Fit != nil {
		list = append(list, r.Fit.Label)
	}
	list = append(list, r.Role.Note)
	if p := r.Persona; p != nil {
		list = append(list, p.Ambiguous)
		for _, n := range p.Named() {
			if p.Ambiguous == "" {
				list = append(list, n.Introduction, n.Strengths, n.Overdone, n.Coaching, n.Focus)
			}
		}
	}
	questions := r.Guide.Questions()
	for _, t := range r.FollowUps {
		questions = append(questions, t.Questions...)
	}
	for _, q := range questions {
		list = append(list, q.Ask, q.High, q.Low)
	}
	for _, d := range r.Dimensions {
		list = append(list, d.About+".")
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// everySentence are all sentences and parts of one that the model of a report holds,
// wherever they stand in it.
func everySentence(v reflect.Value) []string {
	var list []string
	switch v.Kind() {
	case reflect.String:
		if said := v.String(); strings.Contains(said, " ") { // what has none is a key, or a name
			list = append(list, said)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			list = everySentence(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			list = append(list, everySentence(v.Index(i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			list = append(list, everySentence(v.Field(i))...)
		}
	default:
	}
	return list
}

// What a new field of the model says cannot be forgotten in the file.
func TestNoSentenceOfTheModelIsForgottenInTheFile(t *testing.T) {
	for i, k := range chosenVectors(t) {
		r := reportOf(t, k, []string{"de", "en"}[i%2])
		if i%3 == 0 {
			s := k.stored(t)
			s.MadeUp = true
			r.Report = report.Of(k.in, s, r.Report.Language)
		}
		text := pdftest.Words(t, written(t, r))
		shown := r.Report
		if p := shown.Persona; p != nil { // only the patterns to be described, and none of several between which a profile lies
			bare := *p
			bare.Type, bare.Second = report.Type{}, report.Type{}
			shown.Persona = &bare
		}
		shown.Quality.Checks = slices.Clone(shown.Quality.Checks)
		for i, c := range shown.Quality.Checks {
			if c.Severity == "" && !c.Unknown { // those without a finding share one line of names
				shown.Quality.Checks[i].Found = ""
			}
		}
		for _, s := range everySentence(reflect.ValueOf(shown)) {
			if !strings.Contains(text, strings.Join(strings.Fields(s), " ")) {
				t.Errorf("%s: %q is missing", k.Name, s)
			}
		}
	}
}

func TestEverySentenceOfAReportStandsInTheFileOnceAndInOrder(t *testing.T) {
	for i, k := range chosenVectors(t) {
		for _, lang := range [][]string{{"de"}, {"en"}, {"de", "en"}}[i%3] {
			r := reportOf(t, k, lang)
			text := pdftest.Words(t, written(t, r))
			after, said := 0, sentences(r)
			times := map[string]int{} // two dimensions with the same figures have the same sentence
			for _, s := range said {
				times[s]++
			}
			for _, s := range said {
				s = strings.Join(strings.Fields(s), " ")
				i := strings.Index(text[after:], s)
				if i < 0 {
					t.Errorf("%s/%s: %q is missing, or stands too early", k.Name, lang, s)
					continue
				}
				after += i + len(s)
				if n := strings.Count(text, s); n > times[s] && len(s) > 30 {
					t.Errorf("%s/%s: %q stands %d times", k.Name, lang, s, n)
				}
			}
		}
	}
}

// A file is small, sound, the same each time, and says of itself what it is and not whom
// it is about.
func TestAFileIsSoundAndTheSameEachTime(t *testing.T) {
	for _, k := range chosenVectors(t) {
		r := reportOf(t, k, "de")
		file := written(t, r)
		if len(file) > 150_000 {
			t.Errorf("%s: %d bytes", k.Name, len(file))
		}
		if !bytes.Equal(file, written(t, r)) {
			t.Errorf("%s: the second file has other bytes", k.Name)
		}
	}
	r := reportOf(t, chosenVectors(t)[5], "de")
	file := written(t, r)
	pdftest.Check(t, file)
	facts := pdftest.Facts(t, file)
	for _, said := range []string{"Bericht", "2026-03-02T09:30:00Z", "A4"} {
		if !strings.Contains(facts, said) {
			t.Errorf("the file does not say %q of itself: %s", said, facts)
		}
	}
	for _, part := range []string{"/Lang (de)", "/Outlines", "(https://typus.example.com/dashboard/kandidat/7)"} {
		if !bytes.Contains(file, []byte(part)) {
			t.Errorf("the file has no %s", part)
		}
	}
	if strings.Contains(facts, "Jana") || bytes.Contains(file, []byte("J\x00a\x00n\x00a")) {
		t.Errorf("the file says of itself whom it is about: %s", facts)
	}
}

// What must not be forgotten stands on each page, and pages are counted.
func TestEachPageSaysWhatAResultIsAndWhichPageItIs(t *testing.T) {
	r := reportOf(t, chosenVectors(t)[5], "de")
	pages := pdftest.Text(t, written(t, r))
	for i, text := range pages {
		caveat := r.Short
		if i == 0 {
			caveat = r.Head.Statement
		}
		if !strings.Contains(strings.Join(strings.Fields(text), " "), caveat) || !strings.Contains(text, r.Page(i+1, len(pages))) {
			t.Errorf("page %d of %d:\n%s", i+1, len(pages), text)
		}
	}
}

// hostile names have what the fonts lack, what no line has room for, or nothing.
func hostile() []string {
	return []string{
		"", " \t\n ", "Zoë 🙂👩‍💻", "שלום עליכם", "عبد الله", "王小明 · 山田太郎", "a\x00b\x1b[31mc\u202ed\ufeff\u200be", "\xff\xfe\xc3", "\U0010ffff\U0001f600",
		strings.Repeat("Donaudampfschifffahrtskapitän", 7), strings.Repeat("W", 200), strings.Repeat("🙂", 200), "{nb} (\\) <</Title>> %", "Nguyễn Thị Ánh, Ångström, Ωμέγα, Щукин, ẞ",
		"Cafe\u0301 Z\u0323\u0323\u0323", "\u3000\u00a0\u2028x",
	}
}

// Whatever somebody is called, the file is written, and says where it could not print a
// character. Every character in it is one that the fonts have.
func TestAFileTakesAnyName(t *testing.T) {
	k := chosenVectors(t)[5]
	var guides []Guide
	all := ""
	for _, name := range hostile() {
		r := reportOf(t, k, "de")
		r.Name, r.Facts, r.Foot, r.Role.Name = name, []string{name}, name, name
		r.Dimensions[0].Name, r.Dimensions[0].Stands = name, name
		guides = append(guides, Guide{Name: name, Facts: []string{name}, Role: name, Guide: r.Guide})
		file := written(t, r)
		pdftest.Check(t, file)
		text := strings.Join(strings.Fields(strings.Join(pdftest.Text(t, file), "")), "")
		shown, lost := printable(name)
		if lost != strings.Contains(text, "stehtfüreinZeichen") {
			t.Errorf("%q: the note is there: %t", name, !lost)
		}
		if whole := strings.Join(strings.Fields(shown), ""); !strings.Contains(text, whole) {
			t.Errorf("%q is not printed whole", shown)
		}
		all += text
	}
	file := guidesFile(t, guides...)
	pdftest.Check(t, file)
	for _, c := range all + pdftest.Words(t, file) {
		if !widths().of(c).printed {
			t.Errorf("%U is printed, and the fonts do not have it", c)
		}
	}
}

func guidesFile(t testing.TB, list ...Guide) []byte {
	t.Helper()
	file, err := Guides{Frame: frame(t, "de"), Guides: list}.File()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// What is not in a font would be drawn as a box of the font's own, or not at all.
func TestTheFontsHaveWhatTheTextsNeed(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		for key, text := range catalogue(t, lang) {
			ours, _, _ := strings.Cut(key, ".")
			if _, lost := printable(text); lost && slices.Contains([]string{"report", "guide", "pdf"}, ours) {
				t.Errorf("%s has a character that the fonts do not have: %q", key, text)
			}
		}
	}
	for _, r := range []rune{missing, '−', '–', '„', '“', '’', '\u2011', '…', 'ẞ', 'ő', 'ž', 'İ', 'Ω', 'Ж', 'ễ', '€'} {
		if !widths().of(r).printed {
			t.Errorf("the fonts do not have %c", r)
		}
	}
}

// Guides of several people begin on pages of their own, counted for each.
func TestEachGuideBeginsOnAPageOfItsOwn(t *testing.T) {
	k := chosenVectors(t)[5]
	names := []string{"Jana Öztürk", "Ben Okafor", "Łukasz Żak"}
	var list []Guide
	for _, name := range names {
		list = append(list, guideOf(k, name, "de"))
	}
	file := guidesFile(t, list...)
	pdftest.Check(t, file)
	pages := pdftest.Text(t, file)
	each := len(pages) / len(names)
	if len(pages) != each*len(names) || each < 2 || len(file) > 150_000 {
		t.Fatalf("%d pages, %d bytes", len(pages), len(file))
	}
	for i, name := range names {
		if first := pages[i*each]; !strings.Contains(first, name) || !strings.Contains(first, list[i].Guide.Core[0].Ask) {
			t.Errorf("the guide for %s begins with\n%s", name, first)
		}
		for n := range each {
			page := pages[i*each+n]
			if !strings.Contains(page, frame(t, "de").Page(n+1, each)) || !strings.Contains(page, name) {
				t.Errorf("page %d of the guide for %s:\n%s", n+1, name, page)
			}
		}
	}
	text := pdftest.Words(t, guidesFile(t, list[0]))
	for _, q := range list[0].Guide.Questions() {
		for _, s := range []string{q.Ask, q.High, q.Low} {
			if strings.Count(text, s) != 1 {
				t.Errorf("%q stands %d times", s, strings.Count(text, s))
			}
		}
	}
}

// What a page of a guide has left is room to write, and nothing stands below its foot: eight
// questions take three pages.
func TestAGuideFillsItsPages(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		pages := Guides{Frame: frame(t, lang), Guides: []Guide{guideOf(chosenVectors(t)[5], "Jana Öztürk", lang)}}.paper().parts[0].pages()
		if len(pages) != 3 {
			t.Errorf("%s: %d pages", lang, len(pages))
		}
		for i, page := range pages {
			end, least := 0.0, 0.0
			for _, b := range page {
				if b.y < end-1e-6 { // sums of lengths in floating point
					t.Errorf("%s: something on page %d begins at %.1f mm, before %.1f", lang, i+1, b.y, end)
				}
				if end = b.y + b.height; b.stretch != nil {
					end, least = end+*b.stretch, *b.stretch
				}
			}
			if end > bottom+0.01 || end < bottom-0.01 && least < mostStretch {
				t.Errorf("%s: page %d ends at %.1f mm, and a box is %.1f mm higher", lang, i+1, end, least)
			}
		}
	}
}

// A result that should not be interpreted has no figures before somebody asks for them.
func TestAClosedReportHasNoFigures(t *testing.T) {
	i := slices.IndexFunc(chosenVectors(t), func(k known) bool { return strings.HasPrefix(k.Name, "2.0.0 G31") })
	r := reportOf(t, chosenVectors(t)[i], "en")
	if !r.Doubtful() {
		t.Fatal("the result is not doubtful")
	}
	open := pdftest.Words(t, written(t, r))
	r.Closed = true
	closed := pdftest.Words(t, written(t, r))
	for _, part := range []string{"The nine dimensions", "Match with the role profile", "90‑%"} {
		if strings.Contains(closed, part) || part[0] != '9' && !strings.Contains(open, part) {
			t.Errorf("%q: closed %t", part, strings.Contains(closed, part))
		}
	}
}

// What the team decided stands behind the questions, the newest entry first, its text as
// it was typed and however long it is.
func TestDecisionsStandBehindTheQuestions(t *testing.T) {
	r := reportOf(t, chosenVectors(t)[5], "de")
	if text := pdftest.Words(t, written(t, r)); strings.Contains(text, "Entscheidung Stand:") {
		t.Error("a file without decisions has their part")
	}
	r.Stage = "Absage"
	r.Decisions = []report.Decision{
		{Stage: "Absage", By: "ada@example.com", At: r.Made, Reasons: []string{"Rahmenbedingungen", "besetzt"}, Sources: []string{"Gespräch"}, Text: "Kein Führerschein\n" + strings.TrimSpace(strings.Repeat("Zeile ", 2000))},
		{Stage: "Gespräch", By: "ada@example.com", At: r.Made},
	}
	text := pdftest.Words(t, written(t, r))
	after := strings.Index(text, r.Guide.Core[0].Ask)
	for _, said := range []string{
		"Entscheidung Stand: Absage Bisherige Einträge Absage Gründe: Rahmenbedingungen; besetzt Genutzte Quellen: Gespräch Kein Führerschein Zeile Zeile",
		"Zeile ada@example.com, 2026-03-02 09:30:00 Gespräch ada@example.com", r.Say("report.reading.heading"),
	} {
		i := strings.Index(text[after:], said)
		if i < 0 {
			t.Fatalf("%q is missing, or stands too early", said)
		}
		after += i
	}
	if n := strings.Count(text, "Zeile"); n != 2000 {
		t.Errorf("%d of 2000 words", n)
	}
}

// What the person says stands between the questions and the decision, as it was typed, the
// newest version first; what the font lacks is told, in what they say too.
func TestWhatThePersonSaysStandsBeforeTheDecision(t *testing.T) {
	r := reportOf(t, chosenVectors(t)[5], "de")
	if text := pdftest.Words(t, written(t, r)); strings.Contains(text, r.Say("comment.heading")) || strings.Contains(text, r.Unprinted) {
		t.Error("a file without a comment has its part, or a note on characters")
	}
	r.Stage, r.Decisions = "Absage", []report.Decision{{Stage: "Absage", By: "ada@example.com", At: r.Made}}
	r.Comments = []report.Comment{
		{Text: "Nein.\n\nIch bin 😀 anders: עברית", Confirmed: "per Brief eingegangen", By: "ada@example.com", At: r.Made},
		{Text: strings.TrimSpace(strings.Repeat("Zeile ", 833)), Confirmed: "per E-Mail eingegangen", By: "kim@example.com", At: r.Made},
	}
	text := pdftest.Words(t, written(t, r))
	after := strings.Index(text, r.Guide.Core[0].Ask)
	for _, said := range []string{
		"Stellungnahme der Person Nein. Ich bin ▯ anders: ▯▯▯▯▯ per Brief eingegangen, eingetragen von ada@example.com, 2026-03-02 09:30:00 Frühere Fassungen Zeile",
		"Zeile per E-Mail eingegangen, eingetragen von kim@example.com", "Entscheidung Stand: Absage",
	} {
		i := strings.Index(text[after:], said)
		if i < 0 {
			t.Fatalf("%q is missing, or stands too early: %s", said, text[after:])
		}
		after += i
	}
	if n := strings.Count(text, "Zeile"); n != 833 || !strings.Contains(text, r.Unprinted) {
		t.Errorf("%d of 833 words, and the note on characters is there: %t", n, strings.Contains(text, r.Unprinted))
	}
}

// Of what the person said before, a file has three pages: of the versions that do not fit it
// says when they came, and that the page shows their words. The newest version is whole.
func TestManyLongVersionsLeaveTheNewestWhole(t *testing.T) {
	r := reportOf(t, chosenVectors(t)[5], "de")
	for n := range 20 {
		r.Comments = append(r.Comments, report.Comment{
			Text: strings.TrimSpace(strings.Repeat(fmt.Sprint("Fassung", n, " "), 400)), Confirmed: "per Brief eingegangen", By: fmt.Sprintf("ada%d@example.com", n), At: r.Made,
		})
	}
	file := written(t, r)
	text := pdftest.Words(t, file)
	_, rest, _ := strings.Cut(text, r.Elsewhere)
	whole := 0
	for n := range r.Comments {
		switch times := strings.Count(text, fmt.Sprint("Fassung", n, " ")); {
		case times == 400 && n == whole:
			whole++
		case times > 0:
			t.Errorf("version %d stands with %d of 400 words behind %d whole ones", n, times, whole)
		}
		foot := r.Say("comment.foot", "Confirmed", "per Brief eingegangen", "By", r.Comments[n].By)
		if strings.Count(text, foot) != 1 || strings.Contains(rest, foot) != (n >= whole) {
			t.Errorf("version %d of %d whole ones: %q", n, whole, rest)
		}
	}
	if whole < 3 || whole > 6 || len(file) > 150_000 {
		t.Errorf("%d whole versions in %d bytes", whole, len(file))
	}
	r.Comments[0].Text = strings.TrimSpace(strings.Repeat("Zeile\n", 2500))
	r.Comments[1].Text = strings.TrimSpace(strings.Repeat("🙂\n", 2500))
	text = pdftest.Words(t, written(t, r))
	if n := strings.Count(text, "Zeile"); n != 2500 || strings.Contains(text, "Fassung2 ") || strings.Contains(text, "▯") {
		t.Errorf("the newest version has %d of 2500 lines", n)
	}
}

// What the team heard stands behind the questions and before what the person says, by
// question, with the marks in words.
func TestWhatTheTeamHeardStandsBehindTheQuestions(t *testing.T) {
	r := reportOf(t, chosenVectors(t)[5], "de")
	if text := pdftest.Words(t, written(t, r)); strings.Contains(text, r.Say("guide.ratings")) {
		t.Error("a file without ratings has their part")
	}
	r.Rated = []report.Rated{
		{Question: r.Guide.Core[0], Dimension: "Kontaktfreude", Score: "43", Ratings: []report.Heard{
			{Author: "ada@example.com", Mark: 4, Note: "Zwei Beispiele.\n\nEines davon neu."}, {Author: "kim@example.com", Informed: true},
		}},
		{Question: report.Question{Ask: "Was war schwer?", Own: true}, Ratings: []report.Heard{{Author: "kim@example.com", Mark: 1, Informed: true, Note: "Nichts 🙂"}}},
	}
	r.Comments = []report.Comment{{Text: "Nein.", Confirmed: "per Brief eingegangen", By: "ada@example.com", At: r.Made}}
	text := pdftest.Words(t, written(t, r))
	for _, said := range []string{
		r.Say("guide.follow"),
		"Bewertungen aus dem Gespräch " + r.Say("guide.beside") + " " + r.Guide.Core[0].Ask + " Kontaktfreude, Wert 43 " +
			"Bewertung 4 von 5 ada@example.com Zwei Beispiele. Eines davon neu. nicht gefragt / nicht beurteilbar kim@example.com, kannte das Ergebnis schon " +
			"Was war schwer? Eigene Frage Bewertung 1 von 5 kim@example.com, kannte das Ergebnis schon Nichts ▯ ",
		"Stellungnahme der Person Nein.",
	} {
		_, after, found := strings.Cut(text, said)
		if !found {
			t.Fatalf("%q is missing, or stands too early: %s", said, text)
		}
		text = after
	}
}

// Whatever people wrote in all the places where they can, and as much as they can: every
// character is in the file, or stands there as ▯; every page is there, and nothing stands
// below the foot of one.
func TestNothingIsLostOfWhatPeopleWrote(t *testing.T) {
	const most = clerk.MaxNote
	wrote := []string{
		strings.Repeat("🙂", most), strings.Repeat("שלום ", most/5), strings.Repeat("Ω", most), strings.Repeat("Ж\n", most/2), strings.Repeat("\n", most-1) + "Ξ",
		strings.Repeat(" \t", most/2-1) + "Ψ", "Φ" + strings.Repeat("\u0323", most-1), strings.Repeat("👩\u200d💻\ufe0f", most/4), strings.Repeat("Юно ", most/4), "\u202eЭ\u2066",
	}
	counted := []string{"▯", "Ω", "Ж", "Ξ", "Ψ", "Φ", "Ю", "Э"}
	r := reportOf(t, chosenVectors(t)[5], "de")
	r.Stage, r.Comments = "Absage", []report.Comment{{Text: strings.Repeat("Ж\n🙂 Ω ", clerk.MaxComment/6), Confirmed: "per Brief eingegangen", By: "ada@example.com", At: r.Made}}
	want := map[string]int{"▯": 1} // in the note that says what it stands for
	all := []string{r.Comments[0].Text}
	for i, text := range wrote {
		other := wrote[(i+1)%len(wrote)]
		r.Rated = append(r.Rated, report.Rated{Question: report.Question{Own: true, Ask: "Was war schwer?"}, Ratings: []report.Heard{{Author: "ada@example.com", Note: text}, {Author: "kim@example.com", Note: other}}})
		r.Decisions = append(r.Decisions, report.Decision{Stage: "Absage", By: "ada@example.com", At: r.Made, Text: text})
		all = append(all, text, other, text)
	}
	for _, text := range all {
		shown, _ := printable(text)
		for _, c := range counted {
			want[c] += strings.Count(shown, c)
		}
	}
	file := written(t, r)
	pdftest.Check(t, file)
	pages := pdftest.Text(t, file)
	text := strings.Join(pages, "")
	for _, c := range counted {
		if n := strings.Count(text, c); n != want[c] {
			t.Errorf("%d of %d %s", n, want[c], c)
		}
	}
	for i, text := range pages {
		if !strings.Contains(text, r.Page(i+1, len(pages))) {
			t.Errorf("page %d of %d says %q", i+1, len(pages), text)
		}
	}
	for _, page := range r.paper().parts[0].pages() {
		if end := page[len(page)-1]; end.y+end.height > bottom+0.01 {
			t.Errorf("a page ends at %.1f mm", end.y+end.height)
		}
	}
}

// Nothing stands below the foot of a page, however long a text is.
func TestALongTextGoesOnOnTheNextPage(t *testing.T) {
	p := &paper{Frame: frame(t, "de")}
	p.begin("lang")
	p.text(textStyle, strings.Repeat("Wort ", 4000))
	pages := p.parts[0].pages()
	if len(pages) < 3 {
		t.Errorf("%d pages", len(pages))
	}
	for _, page := range pages {
		if end := page[len(page)-1]; end.y+end.height > bottom+0.01 {
			t.Errorf("a page ends at %.1f mm", end.y+end.height)
		}
	}
}

func BenchmarkReportPDF(b *testing.B) {
	all := chosenVectors(b)
	known := func(name string) Report {
		return reportOf(b, all[slices.IndexFunc(all, func(k known) bool { return strings.HasPrefix(k.Name, name) })], "de")
	}
	saying, noted := known("2.0.0 G35"), known("2.0.0 G35")
	for n := range 20 {
		saying.Comments = append(saying.Comments, report.Comment{Text: saidLong(saying, n, clerk.MaxComment), Confirmed: "per Brief eingegangen", By: "ada@example.com", At: saying.Made})
	}
	for n := range typus.MaxCore + 4 {
		noted.Rated = append(noted.Rated, report.Rated{Question: noted.Guide.Core[0], Ratings: []report.Heard{{Author: "ada@example.com", Mark: 3, Note: saidLong(noted, n, clerk.MaxNote)}}})
	}
	for _, of := range []struct {
		name string
		Report
	}{{"plain", known("2.0.0 G15")}, {"much_to_say", known("2.0.0 G35")}, {"long_comments", saying}, {"long_notes", noted}} {
		b.Run(of.name, func(b *testing.B) {
			size := 0
			b.ReportAllocs()
			for b.Loop() {
				size = len(written(b, of.Report))
			}
			b.ReportMetric(float64(size)/1000, "KB/file")
		})
	}
}

// saidLong is what somebody wrote, as many characters long as it can be, in words that no
// other n has in this order.
func saidLong(r Report, n, long int) string {
	words := strings.Fields(strings.Join(sentences(r), " "))
	var text []rune
	for i := n; len(text) < long; i += 7 + n {
		text = append(text, []rune(words[i%len(words)]+" ")...)
	}
	return strings.TrimSpace(string(text[:long]))
}
