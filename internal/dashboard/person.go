package dashboard

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/roster"
	"typus/internal/store"
)

// personView offers everything that is stored about a candidate as a file.
type personView struct {
	frame
	Name   string
	Action string
	Tables []string // what is in it, in words
}

// Template names the page.
func (personView) Template() string { return "person" }

// person says what the file holds, before it is made and that is noted.
func (f *face) person(v *visit, c typus.Candidate) error {
	copied, err := f.Steps.CopyOf(v.Context(), v.Account.ID, c.ID, v.lang)
	if err != nil {
		return err
	}
	view := personView{frame: f.frame(v, areaCandidates), Name: c.Name, Action: candidatePath(c.ID) + "/auskunft"}
	view.Crumbs = []crumb{{Label: "shell.candidates", Path: peoplePath}, {Name: c.Name, Path: candidatePath(c.ID)}}
	for _, t := range copied.Tables {
		if len(t.Rows) == 0 {
			continue
		}
		name := t.DE
		if v.lang == "en" {
			name = t.EN
		}
		view.Tables = append(view.Tables, name)
	}
	return f.render(v, http.StatusOK, view)
}

// personFile sends everything that is stored about a candidate, and notes that.
func (f *face) personFile(v *visit, c typus.Candidate) error {
	if err := f.Steps.NoteCopied(v.Context(), v.Reader, c.ID, v.actor()); err != nil {
		return err
	}
	file, err := f.archive(v.Context(), v.Account, c, v.lang)
	if err != nil {
		return err
	}
	attachment(v.w, "application/zip", archiveName(c))
	v.w.Header().Set("Content-Length", strconv.Itoa(len(file)))
	_, _ = v.w.Write(file) // a reader who has gone is no fault
	return nil
}

// archiveName says nothing about a person.
func archiveName(c typus.Candidate) string { return fmt.Sprintf("typus-auskunft-%d.zip", c.ID) }

// PersonArchive is everything that is stored about a candidate as a ZIP file, for the operator,
// with the name that it should have; by is noted in the audit log. NotFound.
func PersonArchive(ctx context.Context, o Options, c typus.Candidate, by typus.Actor) ([]byte, string, error) {
	pages, err := o.Site.Set(files)
	if err != nil {
		return nil, "", err
	}
	account, err := o.Store.Account(ctx, c.AccountID)
	if err != nil {
		return nil, "", err
	}
	file, err := newFace(o, pages).archive(ctx, account, c, account.Language)
	if err == nil {
		err = o.Steps.NoteCopied(ctx, store.WholeAccount(c.AccountID), c.ID, by)
	}
	return file, archiveName(c), err
}

// archive is everything that is stored about a candidate: for programs, for people, and with
// the meaning of every name.
func (f *face) archive(ctx context.Context, account typus.Account, c typus.Candidate, lang string) ([]byte, error) {
	copied, err := f.Steps.CopyOf(ctx, account.ID, c.ID, lang)
	if err != nil {
		return nil, err
	}
	data, err := copied.JSON()
	if err != nil {
		return nil, err
	}
	v := f.reading(ctx, account, lang)
	a := &archive{at: f.now()}
	a.zip = zip.NewWriter(&a.out)
	a.add(f.say(v, "person.file.readme")+".txt", []byte(f.say(v, "person.readme", "Name", c.Name, "Account", account.Name, "Date", f.dayInWords(v, f.now().Format(time.DateOnly)))))
	a.add(f.say(v, "person.file.data")+".json", data)
	a.add(f.say(v, "person.file.dictionary")+".txt", []byte(copied.Dictionary()))
	for _, t := range copied.Tables {
		a.table(f.say(v, "person.file.tables")+"/"+t.Name+".csv", t)
	}
	for _, language := range []string{"de", "en"} {
		paper, err := f.wholeReport(f.reading(ctx, account, language), c, copied)
		if err != nil {
			return nil, err
		}
		if paper != nil {
			a.add(f.say(v, "person.file.report")+"-"+language+".pdf", paper)
		}
	}
	return a.done()
}

// nobody is the id of no user.
const nobody = -1

// reading is a visit that reads all of an account and is sent by nobody.
func (f *face) reading(ctx context.Context, account typus.Account, lang string) *visit {
	reader := store.WholeAccount(account.ID)
	reader.Role = typus.RoleOwner
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	if err != nil {
		panic(err) // the address is ours
	}
	return &visit{Request: r, visitor: visitor{
		Session: typus.Session{Verified: true}, lang: lang, Account: account, User: typus.User{ID: nobody, AccountID: account.ID, Role: typus.RoleOwner}, Reader: reader,
	}}
}

// wholeReport is the report as a PDF file with figures that should not be interpreted too,
// since the person has a right to them; nil without a result.
func (f *face) wholeReport(v *visit, c typus.Candidate, copied assess.Copy) ([]byte, error) {
	if len(copied.Results) == 0 {
		return nil, nil
	}
	row, err := f.aRow(v, c.ID)
	if err != nil {
		return nil, err
	}
	kept, err := f.Store.ResultFor(v.Context(), v.Reader, c.ID)
	if err != nil {
		return nil, err
	}
	about, err := f.Store.DossierOf(v.Context(), v.Reader, c.ID)
	if err != nil {
		return nil, err
	}
	about.Opened = true
	shown, err := f.shownReport(v, row, kept, about)
	if err != nil {
		return nil, err
	}
	return f.onPaper(v, row, about, shown).File()
}

// archive is a ZIP file in the making. It remembers the first error.
type archive struct {
	out bytes.Buffer
	zip *zip.Writer
	at  time.Time
	err error
}

func (a *archive) add(name string, body []byte) {
	if a.err != nil {
		return
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at})
	if err == nil {
		_, err = w.Write(body)
	}
	a.err = err
}

// table adds a table for spreadsheets. No cell of it is a formula.
func (a *archive) table(name string, t store.PersonTable) {
	var out bytes.Buffer
	w := roster.NewWriter(&out)
	var head []string
	for _, c := range t.Columns {
		head = append(head, assess.PlainName(c.Name))
	}
	w.Row(head...)
	for _, row := range t.Rows {
		var cells []string
		for _, value := range row {
			cells = append(cells, cellOf(value))
		}
		w.Row(cells...)
	}
	if err := w.Flush(); err != nil && a.err == nil {
		a.err = err
	}
	a.add(name, out.Bytes())
}

// cellOf is a value in a table.
func cellOf(value any) string {
	switch x := value.(type) {
	case nil:
		return ""
	case time.Time:
		return x.Format(time.RFC3339)
	}
	return fmt.Sprint(value)
}

func (a *archive) done() ([]byte, error) {
	if err := a.zip.Close(); a.err == nil {
		a.err = err
	}
	return a.out.Bytes(), a.err
}
