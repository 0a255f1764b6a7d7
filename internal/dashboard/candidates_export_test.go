package dashboard

import (
	"encoding/csv"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"typus/internal/assess"
	"typus/internal/roster"
	"typus/internal/store"
)

// table reads a file that the dashboard sent.
func (c *client) table(a answer, comma rune) [][]string {
	c.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.body, "\ufeff")))
	r.Comma = comma
	records, err := r.ReadAll()
	c.Must(err)
	return records
}

// speak changes the language of a user.
func (c *client) speak(lang string) {
	c.Helper()
	c.post("/dashboard/sprache", fields("sprache", lang)).want(c, 303)
}

func TestAFileOfTheListSuitsTheSpreadsheetsOfItsLanguage(t *testing.T) {
	w := newWorld(t)
	w.invited("Jana, Muster", "004711")
	w.invited("Kim Beispiel", "6486200000000000123")
	w.finished("Sam Kurz")
	for lang, want := range map[string]struct {
		comma   rune
		invited string
	}{"de": {';', "Eingeladen (UTC)"}, "en": {',', "Invited (UTC)"}} {
		c := w.as(member)
		c.speak(lang)
		records := c.table(c.post("/dashboard/export", nil).want(t, 200), want.comma)
		if len(records) != 4 || records[0][7] != want.invited || records[3][1] != "'004711" || records[3][2] != "Jana, Muster" || records[2][1] != "'6486200000000000123" {
			t.Errorf("%s: %q", lang, records)
		}
		for at, heading := range records[0] {
			moments := regexp.MustCompile(`^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?$`)
			if strings.HasSuffix(heading, "(UTC)") && !(moments.MatchString(records[1][at]) && moments.MatchString(records[3][at])) {
				t.Errorf("%s: under %s stands %q", lang, heading, records[1][at])
			}
		}
	}
	for path, heading := range map[string]string{"/dashboard/credits/export.csv": "Zeitpunkt (UTC);", auditPath + "/csv": "Zeit (UTC);"} {
		a := w.as(owner).post(path, nil).want(t, 200, "\ufeff"+heading)
		if !regexp.MustCompile(`\r\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d;`).MatchString(a.body) {
			t.Errorf("%s: %.200s", path, a.body)
		}
	}
}

// What Typus writes it reads again: with whose ID it is, and without its apostrophes.
func TestOurOwnFilesAreReadAgain(t *testing.T) {
	w := newWorld(t)
	w.invited("=Jana Muster", "004711")
	w.invited("Kim Beispiel", "-1")
	for _, lang := range []string{"de", "en"} {
		c := w.as(member)
		c.speak(lang)
		list, fault := roster.Read([]byte(c.post("/dashboard/export", nil).want(t, 200).body), roster.How{})
		guess, sure := list.Guess()
		if fault != "" || !list.Ours || !sure {
			t.Fatalf("%s: fault %q, ours %t, sure %t", lang, fault, list.Ours, sure)
		}
		rows := list.People(guess)
		rows = rows[len(rows)-2:]
		if rows[0].Name != "Kim Beispiel" || rows[0].ExternalID != "-1" || rows[1].Name != "=Jana Muster" || rows[1].ExternalID != "004711" || !strings.Contains(rows[1].Email, "@") {
			t.Errorf("%s: %+v", lang, rows)
		}
		at := c.list("Name;E-Mail;Kennung\nJana;jana@example.com;0815\nKim;kim(at)example.com;-2\n")
		c.post(at+"/start", nil).want(t, 303)
		w.Must(w.Assess.RunImports(w.Ctx, "me"))
		result, fault := roster.Read([]byte(c.post(at+"/ergebnis.csv", nil).want(t, 200).body), roster.How{})
		guess, sure = result.Guess()
		if fault != "" || !result.Ours || !sure {
			t.Fatalf("%s: the result: fault %q, ours %t, sure %t", lang, fault, result.Ours, sure)
		}
		if rows := result.People(guess); len(rows) != 2 || rows[0].ExternalID != "0815" || rows[1].ExternalID != "-2" || rows[1].Email != "kim(at)example.com" {
			t.Errorf("%s: the result: %+v", lang, rows)
		}
		uploaded := c.upload("/dashboard/import", "datei", "x.csv", []byte(c.post("/dashboard/export", nil).body), nil)
		c.follow(uploaded).want(t, 200, map[string]string{"de": "Diese Datei hat Typus geschrieben", "en": "Typus wrote this file"}[lang])
	}
}

func TestWhoErasesTheLastOfAPageSeesTheListAndWhatWasDone(t *testing.T) {
	w := newWorld(t)
	c := w.as(admin)
	var first assess.Invited
	for n := range store.RowsOnScreen + 1 {
		out := w.invited("Person "+string(rune('A'+n%26)), "")
		if n == 0 {
			first = out
		}
	}
	next := regexp.MustCompile(`href="(/dashboard/kandidaten\?[^"]*nach=[^"]*)" rel="next"`).FindStringSubmatch(c.get("/dashboard/kandidaten").body)
	if next == nil {
		t.Fatal("there is no second page")
	}
	second := strings.ReplaceAll(next[1], "&amp;", "&")
	c.get(second).want(t, 200, "Person A")
	erased := c.post("/dashboard/auswahl/loeschen", url.Values{"id": {id(first)}, "seite": {second}})
	if erased.Header.Get("Location") != second {
		t.Fatalf("goes on to %s", erased.Header.Get("Location"))
	}
	page := c.follow(c.follow(erased)).want(t, 200, "Eine Person gelöscht.", "Person B")
	if strings.Contains(page.body, "Niemand gefunden") {
		t.Error("nobody is said to be found")
	}
}
