package notice

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/page/pagetest"
)

// agency has told everything, in German only where it may.
var agency = typus.Account{Name: "Muster Personal GmbH", ContactEmail: "fragen@example.com", Notice: typus.NoticeFacts{
	Consequence: typus.ConsequenceOwn, ConsequenceOwn: typus.OwnWords{DE: "Dann lesen wir Ihre Arbeitsprobe.\nMehr ändert sich nicht."},
	Operator: "Muster Hosting AG", Country: "CH", Abroad: "CH", Safeguard: typus.SafeguardAdequacy,
	Officer: "Ada Probe, datenschutz@example.com", Basis: typus.OwnWords{DE: "Rechtsgrundlage ist § 26 BDSG.", EN: "The legal basis is section 26 BDSG."},
	ClientKind: typus.OwnWords{DE: "Maschinenbau in Süddeutschland"}, Period: typus.OwnWords{DE: "Bis sechs Wochen nach der Besetzung der Stelle."},
}}

func TestBothLanguagesHaveTheSameTexts(t *testing.T) {
	de, en := slices.Sorted(maps.Keys(texts()["de"])), slices.Sorted(maps.Keys(texts()["en"]))
	if !slices.Equal(de, en) {
		t.Errorf("%q\n%q", de, en)
	}
	placeholder := regexp.MustCompile(`\{\{\.\w+\}\}`)
	for _, key := range de {
		if a, b := placeholders(placeholder, texts()["de"][key]), placeholders(placeholder, texts()["en"][key]); !slices.Equal(a, b) {
			t.Errorf("%s has %q in German and %q in English", key, a, b)
		}
		for lang := range texts() {
			for _, found := range pagetest.Forbidden(lang, texts()[lang][key]) {
				t.Errorf("%s: %s", key, found)
			}
		}
	}
}

func placeholders(of *regexp.Regexp, text string) []string {
	found := of.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// Every sentence is said of some account, so that no placeholder is unknown and no text
// left over.
func TestEveryTextIsSaidToSomebody(t *testing.T) {
	accounts := []typus.Account{{Name: "Muster GmbH"}, agency}
	for _, change := range []func(a *typus.Account){
		func(a *typus.Account) { a.KeepFinishedDays = 180 },
		func(a *typus.Account) { a.KeepFinishedDays, a.KeepFromDecision, a.KeepUndecidedDays = 180, true, 365 },
		func(a *typus.Account) { a.Notice.Client = "Beispiel AG" },
		func(a *typus.Account) { a.OwnResult.Policy = typus.OwnResultAtOnce },
		func(a *typus.Account) { a.OwnResult.Policy = typus.OwnResultNone },
		func(a *typus.Account) { a.Notice.Country, a.Notice.Abroad = "DE", typus.AbroadNone },
		func(a *typus.Account) { a.Notice.Country, a.Notice.Abroad = "NO", typus.AbroadNone },
		func(a *typus.Account) { a.Notice.Operator = "muster personal gmbh" },
		func(a *typus.Account) { a.Notice.Safeguard = typus.SafeguardOpen },
		func(a *typus.Account) { a.Notice.Safeguard = typus.SafeguardClauses },
		func(a *typus.Account) { a.Notice.Safeguard = typus.SafeguardOwn; a.Notice.SafeguardOwn.EN = "consent" },
		func(a *typus.Account) { a.Notice.Consequence = typus.ConsequenceNone },
		func(a *typus.Account) { a.Notice.Consequence = typus.ConsequenceInterview },
	} {
		a := agency
		change(&a)
		accounts = append(accounts, a)
	}
	for lang, said := range texts() {
		all := ""
		for _, a := range accounts {
			n := For(lang, a)
			all += n.Plain() + "\n" + ForWhom(lang, a).Plain() + "\n"
			if strings.Contains(n.Plain(), "{{") || strings.Contains(n.Plain(), "  ") {
				t.Errorf("%s", n.Plain())
			}
		}
		for key, text := range said {
			for piece := range strings.SplitSeq(regexp.MustCompile(`\{\{\.\w+\}\}`).ReplaceAllString(text, "\x00"), "\x00") {
				if !strings.Contains(all, piece) {
					t.Errorf("%s %s is never said", lang, key)
				}
			}
		}
	}
}

// Every table with lines about a candidate is among what the notice says is stored. A new
// one wants words here.
func TestTheNoticeNamesWhateverIsStoredAboutACandidate(t *testing.T) {
	named := map[string]string{
		"sheets": "Ihre Antworten", "results": "Ihr Ergebnis", "letters": "welche E\u2011Mails Sie zum Test bekommen", "webhook_events": "Kundensystem",
		"candidate_words": "Ihr Name, Ihre E\u2011Mail-Adresse", "import_rows": "Ihr Name, Ihre E\u2011Mail-Adresse", "candidate_tags": "Schlagwörter", "notes": "Notizen",
		"ratings": "Bewertungen aus einem Gespräch", "decisions": "die Entscheidung über Ihre Bewerbung", "comments": "was Sie selbst zu Ihrem Ergebnis sagen", "requests": "Ihre Anfragen mit den Antworten", "own_results": "wann Sie es zuerst geöffnet haben",
		"enrolments": "haben Sie sich selbst zum Test angemeldet",
		"audit_log":  "wer was wann eingetragen", "interviews": "wer Ihr Ergebnis wann angesehen hat",
		"credit_ledger": "", "idempotency_keys": "", "sent_forms": "", // that there was a test, and which request asked for it
		"world_acts": "", "kept_letters": "", // of test worlds alone, where nobody is real
		"words_without_key": "Ihr Name, Ihre E\u2011Mail-Adresse", // becomes candidate_words
	}
	said := For("de", typus.Account{Name: "Muster GmbH"}).Plain()
	files, err := filepath.Glob("../store/migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no migrations", err)
	}
	found := 0
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range regexp.MustCompile(`(?s)create (?:unlogged )?table (\w+) \((.*?)\n\)`).FindAllStringSubmatch(string(code), -1) {
			if !regexp.MustCompile(`\bcandidate_id\b`).MatchString(table[2]) {
				continue
			}
			found++
			if words, known := named[table[1]]; !known || !strings.Contains(said, words) {
				t.Errorf("the notice does not say what %s keeps: %q", table[1], words)
			}
		}
	}
	if found != len(named) {
		t.Errorf("%d tables about candidates, %d are named", found, len(named))
	}
}

// What the account has set is what the candidate is told; another text is another
// version.
func TestWhatTheAccountHasSetIsWhatIsTold(t *testing.T) {
	open := For("de", typus.Account{Name: "Muster GmbH"})
	for _, c := range []struct {
		change    func(a *typus.Account)
		says, not string
	}{
		{func(a *typus.Account) { a.KeepFinishedDays = 90 }, "90 Tage nach der Abgabe", "sechs Monate"},
		{func(a *typus.Account) { a.KeepFinishedDays, a.KeepFromDecision = 90, true }, "90 Tage nach der Entscheidung", "sechs Monate"},
		{func(a *typus.Account) { a.KeepFinishedDays, a.KeepFromDecision, a.KeepUndecidedDays = 90, true, 365 }, "spätestens 365 Tage nach der Abgabe", "sechs Monate"},
		{func(a *typus.Account) { a.Notice.Consequence = typus.ConsequenceNone }, "hat das keinen Einfluss auf Ihre Bewerbung.", "Was es für Ihre Bewerbung bedeutet"},
		{func(a *typus.Account) { a.Notice.Operator, a.Notice.Country = "Muster Hosting AG", "CH" }, "Den Server betreibt Muster Hosting AG in der Schweiz im Auftrag von Muster GmbH. Daten gelangen in die Schweiz; die Grundlage dafür nennt Ihnen Muster GmbH.", "Ob Daten dabei"},
		{func(a *typus.Account) {
			a.Notice.Operator, a.Notice.Country, a.Notice.Abroad = "Muster Hosting AG", "DE", typus.AbroadNone
		}, "Daten gelangen nicht in Länder außerhalb der EU.", "Ob Daten dabei"},
		{func(a *typus.Account) {
			a.Notice.Operator, a.Notice.Country, a.Notice.Abroad, a.Notice.Safeguard = "Muster GmbH", "DE", "US", typus.SafeguardClauses
		}, "Den Server betreibt Muster GmbH selbst in Deutschland. Daten gelangen in die Vereinigten Staaten; Grundlage: Standardvertragsklauseln der EU-Kommission.", "Ob Daten dabei"},
		{func(a *typus.Account) { a.OwnResult.Policy = typus.OwnResultAtOnce }, "Ihr Ergebnis sehen Sie gleich nach der Abgabe", "freigibt"},
		{func(a *typus.Account) { a.Notice.Officer = "Ada Probe" }, "Datenschutz bei Muster GmbH: Ada Probe", "wer dort für den Datenschutz"},
		{func(a *typus.Account) { a.Notice.Client = "Beispiel AG" }, "Muster GmbH sucht im Auftrag von Beispiel AG Menschen für Aufgaben im Vertrieb", "besetzt eine Stelle"},
		{func(a *typus.Account) { a.Notice.Basis.DE = "Rechtsgrundlage ist § 26 BDSG." }, "Verantwortlich für Ihre Daten ist Muster GmbH.\n\nRechtsgrundlage ist § 26 BDSG.", "Artikel"},
		{func(a *typus.Account) { a.Notice.Period.DE = "Bis Ende Mai." }, "Bis Ende Mai.\n\nSie können jederzeit verlangen", "üblich sind"},
	} {
		a := typus.Account{Name: "Muster GmbH"}
		c.change(&a)
		n := For("de", a)
		if !strings.Contains(n.Plain(), c.says) || strings.Contains(n.Plain(), c.not) || !strings.Contains(open.Plain(), c.not) {
			t.Errorf("%q and not %q:\n%s", c.says, c.not, n.Plain())
		}
		if n.Version == open.Version || n.Version != For("de", a).Version {
			t.Errorf("%q: the version is %s, of the other text %s", c.says, n.Version, open.Version)
		}
	}
}

// Words in the other language say so, as a paragraph and inside a sentence of ours.
func TestWordsOfOneLanguageServeBothAndAreMarked(t *testing.T) {
	marked := func(n Notice) []string {
		var list []string
		for _, s := range n.Sections {
			for _, p := range s.Paragraphs {
				for _, piece := range p {
					if piece.Lang != "" {
						list = append(list, piece.Lang+" "+piece.Text)
					}
				}
			}
		}
		return list
	}
	if got := marked(For("de", agency)); got != nil {
		t.Errorf("%q", got)
	}
	want := []string{"de Maschinenbau in Süddeutschland", "de Bis sechs Wochen nach der Besetzung der Stelle.", "de Dann lesen wir Ihre Arbeitsprobe.", "de Mehr ändert sich nicht."}
	if got := marked(For("en", agency)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The evidence is what was shown, whatever people typed.
func TestWhatIsStoredReadsAsItWasShown(t *testing.T) {
	hostile := agency
	hostile.Name, hostile.Notice.Officer = `<b>{{.Days}}</b> "Süd" & Co`, "{{.Account}} # x\u0000 [en]"
	for _, a := range []typus.Account{{Name: "Muster GmbH"}, agency, hostile} {
		n := For("en", a)
		if got := Read(n.Stored); got.Plain() != n.Plain() || got.Heading != n.Heading || len(got.Sections) != 8 {
			t.Errorf("%s\n%s", got.Plain(), n.Plain())
		}
	}
	if !strings.Contains(For("de", hostile).Plain(), `Datenschutz bei <b>{{.Days}}</b> "Süd" & Co: {{.Account}} #`) {
		t.Error(For("de", hostile).Plain())
	}
	if got := Read("Was geschieht\n\nAlles."); len(got.Sections) != 1 || len(got.Sections[0].Paragraphs) != 2 || got.Sections[0].Paragraphs[1].Plain() != "Alles." {
		t.Errorf("an early notice reads as %+v", got)
	}
}

func TestWhatIsLeftOpenIsMissingUntilItIsTold(t *testing.T) {
	a := typus.Account{Name: "Muster GmbH"}
	steps := []struct {
		gap  []Gap
		tell func()
	}{
		{[]Gap{GapPeriod, GapOperator, GapAbroad, GapConsequence, GapOfficer}, func() { a.KeepFinishedDays = 180 }},
		{[]Gap{GapOperator, GapAbroad, GapConsequence, GapOfficer}, func() { a.Notice.Operator = "Muster Hosting AG" }},
		{[]Gap{GapOperator, GapAbroad, GapConsequence, GapOfficer}, func() { a.Notice.Country = "US" }},
		{[]Gap{GapSafeguard, GapConsequence, GapOfficer}, func() { a.Notice.Safeguard = typus.SafeguardOwn }},
		{[]Gap{GapSafeguard, GapConsequence, GapOfficer}, func() { a.Notice.SafeguardOwn.EN = "consent" }},
		{[]Gap{GapConsequence, GapOfficer}, func() { a.Notice.Consequence = typus.ConsequenceOwn }},
		{[]Gap{GapConsequence, GapOfficer}, func() { a.Notice.ConsequenceOwn.DE = "Nichts." }},
		{[]Gap{GapOfficer}, func() { a.Notice.Officer = "Ada Probe" }},
	}
	for _, s := range steps {
		if got := Missing(a); !slices.Equal(got, s.gap) {
			t.Errorf("%q are missing, want %q", got, s.gap)
		}
		s.tell()
	}
	if got := Missing(a); got != nil {
		t.Errorf("%q are still missing", got)
	}
}

func TestEveryCountryIsNamedOnceInEachLanguage(t *testing.T) {
	for _, lang := range []string{"de", "en"} {
		list, seen := Countries(lang), map[string]bool{}
		for i, c := range list {
			for _, name := range []string{c.Code, c.Name(lang)} {
				if name == "" || seen[name] {
					t.Errorf("%q stands twice, or nothing does", name)
				}
				seen[name] = true
			}
			if found, known := CountryOf(c.Code); !known || found != c || !strings.Contains(c.in("de")+c.to("de"), " ") {
				t.Errorf("%+v", c)
			}
			if lang == "en" && i > 0 && list[i-1].Region == c.Region && list[i-1].en > c.en {
				t.Errorf("%s stands after %s", c.en, list[i-1].en)
			}
		}
	}
	if _, known := CountryOf("XX"); known {
		t.Error("XX is a country")
	}
}
