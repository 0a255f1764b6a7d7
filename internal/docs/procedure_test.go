package docs

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"typus"
	"typus/internal/instrument"
)

// said puts the pieces of a page's source together, to look for what it must say.
func source(t *testing.T, lang, name string) string {
	t.Helper()
	text, err := os.ReadFile("text/" + lang + "/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// figures are the numbers of a sentence, as far as they are whole.
func figures(s string) []int {
	var list []int
	for _, digits := range regexp.MustCompile(`\d+`).FindAllString(s, -1) {
		n, _ := strconv.Atoi(digits)
		list = append(list, n)
	}
	return list
}

// Every figure of the procedure notes that the instrument decides or its reference
// simulates is theirs, and each says where it comes from.
func TestTheFiguresOfTheProcedureAreThoseOfTheInstrument(t *testing.T) {
	in := instrument.Own()
	low, high := 100, 0
	for _, role := range in.Roles() {
		low, high = min(low, in.TwoPeople(role.Key)), max(high, in.TwoPeople(role.Key))
	}
	want := map[int][]int{
		2: {int(in.Middle()), int(in.Place(1) - in.Middle())},
		3: {in.TwoChosen()}, 4: {in.HighestLowest()}, 5: {low, high}, 6: classes(t),
		7: extent(in, even), 8: extent(in, func(r instrument.Role) float64 { return mostlyTrue(t, in, r) }),
		10: {int(math.Round(simulated(t, `^fit class on a repeated testing .*same (\d+) %`) / 10)), 10},
		11: {int(math.Round(simulated(t, `^same again +([\d.]+)%`))), 100},
		12: figures(fmt.Sprint(simulated(t, `^attentive, pair r .35 .* ([\d.]+) *$`))),
		13: {int(math.Round(simulated(t, `^random uniform, all items.* ([\d.]+) *$`)))},
	}
	origins := map[string][]string{"de": {"angenommen", "gesetzt", "simuliert", "berechnet"}, "en": {"assumed", "set", "simulated", "computed"}}
	bilingual(t, "test", func(t *testing.T, said text) {
		lang := "en"
		if said.Title == "Verfahrenshinweise zum Test" {
			lang = "de"
		}
		rows := said.table(t, "figures")
		for i, row := range rows {
			if kind, _, _ := strings.Cut(row[2], " "); !slices.Contains(origins[lang], kind) {
				t.Errorf("%q comes from %q", row[0], row[2])
			}
			if figures := figures(row[0]); want[i] != nil && !slices.Equal(figures, want[i]) {
				t.Errorf("%q, the instrument says %v", row[0], want[i])
			}
		}
		for i, bound := range figures(rows[9][0]) { // a mean of 1,500 drawn people is right to almost half a point
			if drawn := extent(in, func(r instrument.Role) float64 { return simulated(t, `^`+r.Key+` +mean +([\d.]+)`) }); bound < drawn[i]-1 || bound > drawn[i]+1 {
				t.Errorf("%q, simulated are %v", rows[9][0], drawn)
			}
		}
		if rel := strings.Replace(strconv.FormatFloat(in.Reliability(), 'f', 2, 64), ".", map[string]string{"de": ",", "en": "."}[lang], 1); !strings.HasSuffix(rel, rows[1][0]) {
			t.Errorf("the reliability is %s, the page says %s", rel, rows[1][0])
		}
		var names []string
		for _, key := range in.Dimensions() {
			names = append(names, in.DimensionName(lang, key))
		}
		same(t, "dimensions", column(said.table(t, "measured"), 0), names)
	})
}

// From where on two overall scores differ is said in more places than the notes: each
// says the same.
func TestOneNumberSaysWhenTwoPeopleDiffer(t *testing.T) {
	in := instrument.Own()
	low, high := 100, 0
	for _, role := range in.Roles() {
		low, high = min(low, in.TwoPeople(role.Key)), max(high, in.TwoPeople(role.Key))
	}
	for lang, between := range map[string]string{"de": "bis", "en": "to"} {
		want := fmt.Sprintf(" %d %s %d ", low, between, high)
		sorting, err := os.ReadFile("../dashboard/locales/candidates." + lang + ".json")
		if err != nil {
			t.Fatal(err)
		}
		_, notice, _ := strings.Cut(string(sorting), `"candidates.sorting.error"`)
		notice, _, _ = strings.Cut(notice, "\n")
		_, advice, _ := strings.Cut(source(t, lang, "api"), "{#before}")
		advice, _, _ = strings.Cut(advice, "@samples")
		for where, said := range map[string]string{"the sorting's notice": notice, "the API's page": advice} {
			if !strings.Contains(said, want) {
				t.Errorf("%s in %s does not say%s: %s", where, lang, want, said)
			}
		}
	}
}

// simulated is a figure that the reference of the instrument prints about invented
// people, by the line it stands in.
func simulated(t *testing.T, line string) float64 {
	t.Helper()
	printed, err := os.ReadFile("../instrument/testdata/simulated.txt")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?m)" + line).FindSubmatch(printed)
	if found == nil {
		t.Fatalf("the reference prints no %s", line)
	}
	x, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// extent is the lowest and the highest of a figure that each role has, in whole points.
func extent(in *instrument.Instrument, of func(instrument.Role) float64) []int {
	var all []int
	for _, role := range in.Roles() {
		all = append(all, int(math.Round(of(role))))
	}
	return []int{slices.Min(all), slices.Max(all)}
}

// even is the overall score of a profile with 50 everywhere.
func even(role instrument.Role) float64 {
	left := 100.0
	for _, z := range role.Zones {
		left -= z.Weight * max(role.Below*(z.Low-50), z.Above*(50-z.High), 0)
	}
	return left
}

// mostlyTrue is the overall score of who calls each favourable statement "mostly true"
// and every other "mostly not true".
func mostlyTrue(t *testing.T, in *instrument.Instrument, role instrument.Role) float64 {
	t.Helper()
	s := in.NewSheet()
	for p, item := range in.Items() {
		s.Answers[p].Value = 5
		if item.Minus || item.Type == instrument.Instructed {
			s.Answers[p].Value = 2
		}
	}
	r, err := in.Score(s, role.Key)
	if err != nil {
		t.Fatal(err)
	}
	return float64(*r.Overall)
}

// classes are the lower boundaries of all classes but the last.
func classes(t *testing.T) []int {
	t.Helper()
	file, err := os.ReadFile("../instrument/salespersona/2.0.0/instrument.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, at := range regexp.MustCompile(`\{key: [A-D], from: (\d+)\}`).FindAllStringSubmatch(string(file), -1) {
		list = append(list, figures(at[1])...)
	}
	return list
}

// counts are numbers of things that the procedure notes name.
func TestTheProcedureCountsWhatTheInstrumentHas(t *testing.T) {
	in := instrument.Own()
	kinds := map[instrument.ItemType]int{}
	for _, item := range in.Items() {
		kinds[item.Type]++
	}
	warnings := in.WarningKeys()
	if len(in.Items()) != 97 || kinds[instrument.Scored] != 90 || kinds[instrument.Hint] != 6 || kinds[instrument.Instructed] != 1 || len(in.Dimensions()) != 9 || len(warnings) != 9 {
		t.Errorf("%d statements %v, %d dimensions, %d remarks: the page says 97 (90, 6, 1), 9 and 9", len(in.Items()), kinds, len(in.Dimensions()), len(warnings))
	}
	for _, lang := range []string{"de", "en"} {
		for _, name := range []string{in.Ref(), in.NormID()} {
			if !strings.Contains(source(t, lang, "test"), "`"+name+"`") {
				t.Errorf("the notes in %s are not about %s", lang, name)
			}
		}
	}
	agreement, err := os.ReadFile("samples/vereinbarung.txt")
	if err != nil || !strings.Contains(string(agreement), in.Ref()) {
		t.Errorf("the agreement is not about %s: %v", in.Ref(), err)
	}
}

// What the law makes of the product nobody has decided: the pages say our assessment with
// its day, as it was given, and when the duties would be due.
func TestThePagesClaimNothingAboutTheLawThatNobodyHasDecided(t *testing.T) {
	for lang, sentences := range map[string][]string{
		"de": {
			"Nach unserer Einschätzung ist Typus kein KI-System im Sinne von Artikel 3 der KI-Verordnung: Alle Regeln und Zahlen haben Menschen festgelegt, nichts wird aus Daten gelernt. Verbindlich entschieden ist das nicht; Stand 28. November 2026. Wer Typus einsetzt, prüft das für sich.",
			"ab dem 2. Dezember 2027; geprüft am 28. November 2026",
		},
		"en": {
			"In our assessment, Typus is not an AI system within the meaning of Article 3 of the AI Act: people set all rules and figures, and nothing is learned from data. This has not been decided with binding effect; as of 28 November 2026. Whoever uses Typus should check this for themselves.",
			"on 2 December 2027; checked on 28 November 2026",
		},
	} {
		for _, sentence := range sentences {
			if !strings.Contains(source(t, lang, "test"), sentence) {
				t.Errorf("the page in %s does not say: %s", lang, sentence)
			}
		}
	}
}

// constant is a number of a Go file, of the form "name = N * unit".
func constant(t *testing.T, file, name string) int {
	t.Helper()
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`\b` + name + ` += (\d+)`).FindSubmatch(code)
	if found == nil {
		t.Fatalf("%s has no %s", file, name)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// How long data about users are kept is what the code does; the audit log is kept for
// good, since nothing deletes it.
func TestThePeriodsForWorksCouncilsAreThoseOfTheCode(t *testing.T) {
	want := map[int][]int{
		1:  {int(typus.SessionIdle.Hours()), int(typus.SessionLife.Hours()) / 24, int(typus.SessionLife.Hours()) / 24},
		4:  {constant(t, "../assess/import.go", "previewKept"), constant(t, "../assess/import.go", "importKept")},
		7:  {constant(t, "../dashboard/static/desk/kept.js", "keptFor")},
		15: {constant(t, "../accounts/letter.go", "lettersNamed")},
	}
	rethink := constant(t, "../assess/rate.go", "Rethink")
	bilingual(t, "betriebsrat", func(t *testing.T, said text) {
		rows := said.table(t, "data")
		for i, periods := range want {
			if got := figures(rows[i][3]); !slices.Equal(got, periods) {
				t.Errorf("%s: the page says %v, the code %v", rows[i][0], got, periods)
			}
		}
		if !strings.Contains(rows[6][1], fmt.Sprintf(" %d ", rethink)) {
			t.Errorf("ratings can be changed for %d minutes: %s", rethink, rows[6][1])
		}
	})
	files, err := filepath.Glob("../store/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if regexp.MustCompile(`(?i)delete from audit_log`).Match(code) {
			t.Errorf("%s deletes lines of the audit log; the page for works councils says that nothing does", file)
		}
	}
}

// Every column of the database that can name a user has its place on the page. A new one
// wants a row there: what names whom is what works councils read it for.
func TestWhateverNamesAUserIsOnThePageForWorksCouncils(t *testing.T) {
	rows := map[string]string{
		"user_links.user_id": "Zugang", "recovery_codes.user_id": "Zugang", "sessions.user_id": "Anmeldungen auf Geräten",
		"audit_log.actor": "Protokoll", "audit_log.user_id": "Protokoll",
		"candidates.invited_by": "Einladungen und Importe", "imports.actor": "Einladungen und Importe", "imports.user_id": "Einladungen und Importe",
		"ratings.author": "Bewertungen aus Gesprächen", "ratings.user_id": "Bewertungen aus Gesprächen",
		"notes.author": "Notizen, Gründe", "notes.user_id": "Notizen, Gründe", "interviews.user_id": "Notizen, Gründe",
		"decisions.author": "Entscheidungen", "decisions.user_id": "Entscheidungen",
		"comments.author": "Stellungnahmen der Bewerbenden", "comments.user_id": "Stellungnahmen der Bewerbenden",
		"own_results.released_by": "Stellungnahmen der Bewerbenden", "requests.answered_by": "Stellungnahmen der Bewerbenden",
		"role_versions.signed_by": "Rollenprofile", "role_versions.user_id": "Rollenprofile", "role_rounds.asked_by": "Rollenprofile", "role_rounds.user_id": "Rollenprofile",
		"api_keys.created_by": "API-Schlüssel", "letter_templates.changed_by": "Einstellungen", "accounts.score_sorting_by": "Einstellungen",
		"accounts.notify_emails": "Einstellungen", "credit_ledger.actor": "Credits", "letters.user_id": "E‑Mails an das Team",
		"position_members.user_id": "Stellen",
	}
	files, err := filepath.Glob("../store/migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no migrations", err)
	}
	naming := regexp.MustCompile(`^\t(user_id|actor|author|\w+_by|notify_emails)\s+(?:bigint|text)`)
	found := map[string]bool{}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		table := ""
		for line := range strings.Lines(string(code)) {
			if made := regexp.MustCompile(`^create (?:unlogged )?table (\w+)`).FindStringSubmatch(line); made != nil {
				table = made[1]
			}
			if added := regexp.MustCompile(`^alter table (\w+) add column (.*)`).FindStringSubmatch(line); added != nil {
				table, line = added[1], "\t"+added[2]
			}
			if column := naming.FindStringSubmatch(line); column != nil {
				found[table+"."+column[1]] = true
			}
		}
	}
	bilingual(t, "betriebsrat", func(t *testing.T, said text) {
		titles := column(said.table(t, "data"), 0)
		if len(titles) != 18 {
			t.Errorf("%d rows: %q", len(titles), titles)
		}
		if said.Title != "Für Betriebsräte" {
			return // the rows of both languages are in one order
		}
		for at := range found {
			if title, known := rows[at]; !known || title != "" && !slices.Contains(titles, title) {
				t.Errorf("%s names a user; the page has no row %q for it", at, title)
			}
		}
	})
	for at := range rows {
		if !found[at] {
			t.Errorf("%s is no column any more", at)
		}
	}
}

// Who sees what is the table of the roles.
func TestWhoSeesDataAboutUsersIsWhoTheRolesLet(t *testing.T) {
	table, err := os.ReadFile("../dashboard/testdata/roles.md")
	if err != nil {
		t.Fatal(err)
	}
	for route, least := range map[string]string{
		"GET /dashboard/einstellungen/protokoll":        "| – | – | – | – | yes | yes |", // admins only
		"POST /dashboard/einstellungen/protokoll/csv":   "| – | – | – | – | yes | yes |",
		"GET /dashboard/einstellungen/briefe/protokoll": "| – | – | – | – | yes | yes |",
		"GET /dashboard/einstellungen/team":             "| – | – | yes | yes | yes | yes |", // from "read only" up
		"GET /dashboard/einstellungen/team/{id}":        "| – | – | – | – | yes | yes |",
		"GET /dashboard/einstellungen/profil":           "| – | yes | yes | yes | yes | yes |", // one's own
		"GET /dashboard/kandidat/{id}":                  "| – | yes | yes | yes | yes | yes |",
		"GET /dashboard/import":                         "| – | – | – | yes | yes | yes |", // from "member" up
		"GET /dashboard/einstellungen/api-schluessel":   "| – | – | yes | yes | yes | yes |",
		"GET /dashboard/credits":                        "| – | – | yes | yes | yes | yes |",
		"GET /dashboard/einstellungen/briefe":           "| – | – | – | – | yes | yes |",
		"GET /dashboard/sortierung":                     "| – | – | – | – | yes | yes |",
		"GET /dashboard/einstellungen/konto/{teil}":     "| – | – | – | – | yes | yes |",
	} {
		if !strings.Contains(string(table), "| `"+route+"` "+least) {
			t.Errorf("the page for works councils supposes %s for %s", least, route)
		}
	}
	page, err := os.ReadFile("../dashboard/templates/candidate.html")
	if err != nil || !strings.Contains(string(page), `{{if .Me.May "viewer"}}{{template "candidate-timeline" .}}`) {
		t.Errorf("the timeline is not shown from viewers up: %v", err)
	}
	for lang, sentence := range map[string]string{"de": "**Auswertungen über einzelne Nutzende gibt es nicht.**", "en": "**There are no evaluations of individual users.**"} {
		if !strings.Contains(source(t, lang, "betriebsrat"), sentence) {
			t.Errorf("the page in %s does not say: %s", lang, sentence)
		}
	}
}
