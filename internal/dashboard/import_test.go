package dashboard

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// list uploads a list and returns the address of its import.
func (c *client) list(text string) string {
	c.Helper()
	return c.upload("/dashboard/import", "datei", "x.csv", []byte(text), nil).want(c, 303).Header.Get("Location")
}

func TestTitlesAboveTheHeadingsAreNoPeopleAndColumnsHaveTheirNames(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	at := c.list("Auswertung\nStand 27.11.\n\nName;E-Mail;Kennung\nKim;kim@example.com;A-1\n;;\n")
	c.get(at).want(t, 200, "In der Datei steht eine Person.", "Eine leere Zeile", "Gelesen als UTF-8, Trennzeichen: Semikolon, Überschriften in Zeile 4.")
	c.get(at+"/spalten").want(t, 200, "Spalte 3: Kennung", "gehört nicht zur Liste", `<option value="4" selected>Zeile 4: Name · E-Mail · Kennung</option>`, "Dort stehen bekannte Überschriften.")
	unknown := c.list("Auswertung;;\nWer;Wohin;Nr\nKim Muster;kim@example.com;A-1\n")
	c.follow(c.get(unknown)).want(t, 200, "Spalte 2: Wohin", `<option value="1" selected>Spalte 2: Wohin</option>`, `<option value="0" selected>Spalte 1: Wer</option>`, "In der Zeile darunter steht die erste E-Mail-Adresse.")
}

func TestHowAFileIsReadIsSaidAndCanBeChosen(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	mac, err := charmap.Macintosh.NewEncoder().String("Titel\nName;E-Mail\nJürgen Groß;juergen@example.com\n")
	w.Must(err)
	at := c.list(mac)
	page := c.get(at+"/spalten").want(t, 200, `<option value="macintosh" selected>`, "zum Beispiel „Jürgen“", "So ergeben sich bekannte Überschriften.", "Jürgen Groß")
	shown := regexp.MustCompile(`name="gelesen" value="([^"]*)"`).FindStringSubmatch(page.body)
	if shown == nil {
		t.Fatal("the form does not say how the file was read")
	}
	c.get(at+"/spalten?zeichensatz=windows-1252&trennzeichen=59&ueberschrift=1").want(t, 200,
		`<option value="windows-1252" selected>`, "JŸrgen Gro§", "So haben Sie es gewählt.", `<option value="1" selected>Zeile 1: Titel</option>`)
	// Whoever chooses another reading and goes on at once has not seen those columns.
	form := url.Values{"gelesen": {html.UnescapeString(shown[1])}, "zeichensatz": {"cp850"}, "trennzeichen": {"59"}, "ueberschrift": {"2"}, "name": {"0"}, "email": {"1"}}
	c.follow(c.post(at+"/spalten", form)).want(t, 200, "Die Datei ist neu gelesen", `<option value="cp850" selected>`)
	form.Set("zeichensatz", "macintosh")
	c.follow(c.post(at+"/spalten", form)).want(t, 200, "Jürgen Groß", "Gelesen als Mac (Mac Roman)")
	form.Del("gelesen")
	form.Set("zeichensatz", "windows-1252")
	c.follow(c.post(at+"/spalten", form)).want(t, 200, "JŸrgen Gro§")
	c.get(at+"/spalten").want(t, 200, `<option value="windows-1252" selected>`, "So haben Sie es gewählt.") // it is remembered
	c.get(at+"/spalten?zeichensatz=utf-16le").want(t, 200, `<option value="utf-16le" selected>`)
	for _, strange := range []string{"?zeichensatz=x&trennzeichen=-1&ueberschrift=999", "?trennzeichen=34&ueberschrift=-1", "?trennzeichen=10"} {
		c.get(at+"/spalten"+strange).want(t, 200, "Welche Spalte ist was")
	}
}

func TestNamesWithACommaAreTurnedAndNeedNotBe(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	at := c.list("Name;E-Mail\nMuster, Jana;jana@example.com\n")
	c.get(at).want(t, 200, "Jana Muster")
	c.get(at+"/spalten").want(t, 200, `name="umgekehrt" type="checkbox" value="1" checked`)
	c.follow(c.post(at+"/spalten", fields("name", "0", "email", "1"))).want(t, 200, "Muster, Jana")
}

// mendForm is the form of the rows that a page of a preview shows, as a browser sends it.
func mendForm(page answer) url.Values {
	form := url.Values{}
	for _, m := range regexp.MustCompile(`<input(?: type="hidden")? name="([^"]+)"(?: type="text")? value="([^"]*)"`).FindAllStringSubmatch(page.body, -1) {
		form.Add(m[1], html.UnescapeString(m[2]))
	}
	for _, m := range regexp.MustCompile(`(?s)<select name="(language-\d+)".*?<option value="([^"]*)" selected>`).FindAllStringSubmatch(page.body, -1) {
		form.Add(m[1], html.UnescapeString(m[2]))
	}
	return form
}

const faulty = "Name;E-Mail;Kennung;Sprache\n;kim@example.com;1;\nJana Muster;jana(at)example.com;6,4862E+18;fr\nSam Kurz;sam@example.com;3;en\nSam wieder;SAM@example.com;4;\n"

func TestFaultyRowsAreMendedInThePreviewWithoutScripts(t *testing.T) {
	w := newWorld(t)
	c := w.as(member)
	at := c.list(faulty)
	page := c.get(at).want(t, 200, "Eine Person kann eingeladen werden", "3 Zeilen werden übersprungen (2 fehlerhaft, 1 doppelt)", "von einer Tabellenkalkulation gekürzt",
		`value="jana(at)example.com" autocomplete="off" aria-label="E-Mail, Zeile 3" aria-describedby="grund-3" aria-invalid="true"`, `<option value="fr" selected>fr</option>`)
	form := mendForm(page)
	if len(form["zeile"]) != 2 {
		t.Fatalf("the form has the rows %v", form["zeile"])
	}
	c.follow(c.post(at+"/zeilen", form)).want(t, 200, "In keiner Zeile steht etwas anderes als vorher")
	form.Set("name-2", "Kim Beispiel")
	form.Set("email-3", "jana@example")
	form.Set("external_id-3", "6486200000000000123")
	form.Set("language-3", "en")
	page = c.follow(c.post(at+"/zeilen?zeilen=faulty", form)).want(t, 200, "Eine berichtigte Zeile ist jetzt bereit. In einer Zeile stimmt noch etwas nicht", `value="jana@example"`, "6486200000000000123")
	if strings.Contains(page.body, "Sam Kurz") {
		t.Error("the page is not the one from which the form was sent")
	}
	form = mendForm(page)
	form.Set("email-3", "jana@example.com")
	c.follow(c.post(at+"/zeilen", form)).want(t, 200, "Eine berichtigte Zeile ist jetzt bereit.", "3 Personen können eingeladen werden", "von Hand berichtigt", "Eine Zeile wird übersprungen (1 doppelt)")
	// Who assigns the columns anew keeps what was typed.
	c.follow(c.post(at+"/spalten", fields("name", "0", "email", "1"))).want(t, 200, `value="Kim Beispiel"`, `value="jana@example.com"`)
	w.asOf(w.newAccount("Andere"), owner).post(at+"/zeilen", form).want(t, 404)
	c.post(at+"/start", nil).want(t, 303)
	c.post(at+"/zeilen", form).want(t, 303)
	w.Must(w.Assess.RunImports(w.Ctx, "me"))
	if n := w.invitedCount(); n != 3 {
		t.Errorf("%d people are invited", n)
	}
}

func TestARowThatSomebodyElseHasMendedIsShownAndNotReplaced(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.as(member), w.as(member)
	at := ada.list(faulty)
	one, two := mendForm(ada.get(at)), mendForm(bob.get(at))
	one.Set("name-2", "Kim von Ada")
	ada.post(at+"/zeilen", one).want(t, 303)
	two.Set("name-2", "Kim von Bob")
	page := bob.post(at+"/zeilen", two).want(t, 409, `value="Kim von Bob"`, "Kim von Ada · kim@example.com · 1. Wenn Sie noch einmal prüfen")
	rows, err := w.Store.ImportRows(w.Ctx, w.Account, 1, typus.RowReady, 0, 1)
	w.Must(err)
	if rows[0].Name != "Kim von Ada" {
		t.Errorf("the row is %+v", rows[0])
	}
	bob.post(at+"/zeilen", mendForm(page)).want(t, 303)
	rows, err = w.Store.ImportRowsFor(w.Ctx, store.WholeAccount(w.Account), 1, typus.RowReady, 0, 1)
	w.Must(err)
	if rows[0].Name != "Kim von Bob" {
		t.Errorf("then the row is %+v", rows[0])
	}
}

// An external ID by which a stored person goes is remarked of in the preview if the address is
// another, as of two rows of a file: they are two people, and the new one is invited. Whoever
// does not read the stored one learns nothing.
func TestAnExternalIDOfAStoredPersonIsRemarkedOfAndInvited(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, c := w.as(owner), w.as(admin)
		hidden, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), typus.Position{Name: "Geheim", Confidential: true, Reminders: typus.RemindersOfAccount}, nil, by)
		w.Must(err)
		stored := w.invitedBy(w.Account, assess.Invitation{Name: "Kim Alt", Email: "kim@example.com", ExternalID: "crm-1"})
		jana := w.invitedBy(w.Account, assess.Invitation{Name: "Jana Alt", Email: "jana@example.com", ExternalID: "crm-2"})
		w.finishes(jana.Token, func(i int) int { return 2 + i%4 }, 4000)
		w.invitedBy(w.Account, assess.Invitation{Name: "Lou Alt", Email: "lou@example.com", ExternalID: "crm-4", PositionID: hidden})
		const remark = "Jemand hat schon dieselbe externe ID, aber eine andere Adresse. Eingeladen wird trotzdem."
		at := c.list("Name;E-Mail;Externe ID\nSam Neu;sam@example.com;crm-1\nJana Alt;JANA@example.com;crm-2\nAda Neu;ada@example.com;crm-3\nBo Neu;bo@example.com;crm-4\nCe Neu;ce@example.com;\n")
		remarked := func(page answer, want ...string) {
			t.Helper()
			var got []string
			for _, row := range strings.Split(page.body, "</tr>") {
				if _, name, found := strings.Cut(row, `<th scope="row">`); found && strings.Contains(row, remark) {
					got = append(got, name[:len("Sam")])
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("remarked of %q, want %q", got, want)
			}
		}
		remarked(c.get(at).want(t, 200, "5 Personen können eingeladen werden", remark), "Sam")
		remarked(boss.get(at).want(t, 200), "Sam", "Bo ")
		c.post(at+"/start", nil).want(t, 303)
		w.Must(w.Assess.RunImports(w.Ctx, "me"))
		c.get(at).want(t, 200, "Sam Neu").without(t, remark)
		boss.get(peoplePath).want(t, 200, "Sam Neu", "Kim Alt")
		if now := w.candidateOf(stored); now.Name != "Kim Alt" || now.Email != "kim@example.com" || now.ExternalID != "crm-1" {
			t.Errorf("the stored person is %+v", now)
		}
	})
}
