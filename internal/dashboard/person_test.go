package dashboard

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/pdf/pdftest"
	"typus/internal/store"
)

// One file has everything: for programs, for people, and the meaning of every name.
func TestAnArchiveHoldsEverythingAboutAPerson(t *testing.T) {
	w := newWorld(t)
	e := w.furnish(w.Account, true)
	boss := w.as(admin)
	path := e.address(t, "/dashboard/kandidat/{id}/auskunft")
	boss.get(path).want(t, 200, "Notizen des Teams", "Einladung und Test")
	a := boss.post(path, nil).want(t, 200)
	if got := a.Header.Get("Content-Type"); got != "application/zip" {
		t.Errorf("it is %s", got)
	}
	files := unzipped(t, []byte(a.body))
	for name, says := range map[string]string{
		"daten.json": `"body": "Notiz"`, "verzeichnis.txt": "notes.body", "liesmich.txt": "Kim Muster", "tabellen/notes.csv": "Notiz", "tabellen/letters.csv": "kim@example.com",
		"tabellen/audit_log.csv": "actor", "tabellen/decisions.csv": "stage", "tabellen/requests.csv": "Ich heiße anders.",
	} {
		if !strings.Contains(string(files[name]), says) {
			t.Errorf("%s lacks %q:\n%.500s", name, says, files[name])
		}
	}
	for _, name := range []string{"bericht-de.pdf", "bericht-en.pdf"} {
		if !strings.Contains(pdftest.Words(t, files[name]), "Kim Muster") {
			t.Errorf("%s is not the person's report", name)
		}
	}
	link, err := w.Assess.Link(typus.Account{}, w.candidate(e, t))
	w.Must(err)
	token := link[strings.LastIndex(link, "/")+1:]
	for name, body := range files {
		if strings.Contains(string(body), token) {
			t.Errorf("%s holds the link", name)
		}
	}
	w.as(member).get(path).want(t, http.StatusForbidden)
}

// Whoever has applied twice gets both, as far as the visitor reads them; who shares the
// address with somebody else can be left out.
func TestAnArchiveHoldsEveryApplicationOfTheAddress(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(owner)
		north := placed(t, boss.place("Vertrieb Nord"))
		secret := placed(t, boss.place("Nachfolge", "confidential", "1"))
		apply := func(position int64, name, email string) string {
			return id(w.invitedBy(w.Account, assess.Invitation{Name: name, Email: email, PositionID: position}))
		}
		first, second := apply(0, "Kim Muster", "Kim@Example.com"), apply(north, "Kim Muster", "kim@example.com")
		hidden, other := apply(secret, "Kim <b>Muster</b>", "kim@example.COM"), apply(0, "Robin Muster", "robin@example.com")
		w.invitedBy(w.newAccount("Andere"), assess.Invitation{Name: "Kim Muster", Email: "kim@example.com"})
		path := "/dashboard/kandidat/" + first + "/auskunft"
		folders := func(c *client, with ...string) string {
			seen := map[string]bool{}
			for name := range unzipped(t, []byte(c.post(path, url.Values{"mit": with}).want(t, 200).body)) {
				if folder, _, in := strings.Cut(name, "/"); in {
					seen[strings.TrimPrefix(folder, "bewerbung-")] = true
				}
			}
			delete(seen, "tabellen")
			return strings.Join(slices.Sorted(maps.Keys(seen)), " ")
		}
		joined := func(ids ...string) string { return strings.Join(slices.Sorted(slices.Values(ids)), " ") }
		boss.get(path).want(t, 200, "Vertrieb Nord", "Kim &lt;b&gt;Muster&lt;/b&gt;", `name="mit" value="`+second+`" checked`, `name="mit" value="`+hidden+`" checked`)
		if got := folders(boss, second, hidden, other); got != joined(first, second, hidden) {
			t.Errorf("an owner gets %s", got)
		}
		ben := w.as(admin)
		if page := ben.get(path).want(t, 200, "Vertrieb Nord", "die Kontoleitung bekommt alle"); strings.Contains(page.body, "Nachfolge") || strings.Contains(page.body, `value="`+hidden+`"`) {
			t.Error("an admin hears of an application to a confidential position")
		}
		if got := folders(ben, second, hidden, other); got != joined(first, second) {
			t.Errorf("an admin gets %s", got)
		}
		if got := folders(ben); got != "" {
			t.Errorf("one alone has folders: %s", got)
		}
		copied := 0
		log, err := w.Store.Audit(w.Ctx, w.Account, 100)
		w.Must(err)
		for _, line := range log {
			if line.Action == typus.AuditPersonCopied {
				copied++
			}
		}
		if copied != 6 {
			t.Errorf("noted are %d copies", copied)
		}
	})
}

// candidate is that of an estate.
func (w *world) candidate(e estate, t *testing.T) typus.Candidate {
	t.Helper()
	c, _, err := w.Store.CandidateByRef(w.Ctx, w.Account, e.names["/dashboard/kandidat/{id}"], store.ByID, store.AnyPosition)
	w.Must(err)
	return c
}

func unzipped(t *testing.T, body []byte) map[string][]byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, file := range r.File {
		in, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[file.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		_ = in.Close()
	}
	return files
}
