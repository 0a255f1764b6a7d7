package dashboard

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"typus"
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
	link, err := w.Assess.Link(w.candidate(e, t))
	w.Must(err)
	token := link[strings.LastIndex(link, "/")+1:]
	for name, body := range files {
		if strings.Contains(string(body), token) {
			t.Errorf("%s holds the link", name)
		}
	}
	w.as(member).get(path).want(t, http.StatusForbidden)
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
