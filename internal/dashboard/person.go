package dashboard

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
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
	Tables []string    // what is in it, in words
	Others []otherSelf // applications of the same address
	Owner  bool        // the visitor reads all of them
}

// otherSelf is another application of the same address.
type otherSelf struct {
	ID       int64
	Name     string
	Position string
	Invited  time.Time
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
	view.Owner = v.may(owner)
	if view.Others, err = f.otherSelves(v, c); err != nil {
		return err
	}
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

// otherSelves are the other applications of a candidate's address that the visitor reads.
func (f *face) otherSelves(v *visit, c typus.Candidate) ([]otherSelf, error) {
	same, err := f.sameAddress(v.Context(), v.Reader, c)
	if err != nil || len(same) == 0 {
		return nil, err
	}
	places, err := f.Store.Positions(v.Context(), v.Reader)
	if err != nil {
		return nil, err
	}
	names := map[int64]string{}
	for _, p := range places {
		if names[p.ID] = f.positionName(v, p); p.Standard {
			names[0] = names[p.ID]
		}
	}
	var list []otherSelf
	for _, s := range same {
		list = append(list, otherSelf{s.ID, s.Name, names[s.PositionID], s.CreatedAt})
	}
	return list, nil
}

// sameAddress are the candidates with the address of one whom a reader reads and is not blind
// to.
func (f *face) sameAddress(ctx context.Context, reader store.Reader, c typus.Candidate) ([]typus.Candidate, error) {
	same, err := f.Store.SameAddress(ctx, reader, c)
	return slices.DeleteFunc(same, func(s typus.Candidate) bool { return s.Blind }), err
}

// personFile sends everything that is stored about a candidate, and about those of the same
// address that the form names, and notes that.
func (f *face) personFile(v *visit, c typus.Candidate) error {
	same, err := f.sameAddress(v.Context(), v.Reader, c)
	if err != nil {
		return err
	}
	all := []typus.Candidate{c}
	for _, s := range same {
		if slices.Contains(v.PostForm["mit"], strconv.FormatInt(s.ID, 10)) {
			all = append(all, s)
		}
	}
	for _, c := range all {
		if err := f.Steps.NoteCopied(v.Context(), v.Reader, c.ID, v.actor()); err != nil {
			return err
		}
	}
	file, err := f.archive(v.Context(), v.Account, all, v.lang)
	if err != nil {
		return err
	}
	attachment(v.w, "application/zip", ArchiveName(c))
	v.w.Header().Set("Content-Length", strconv.Itoa(len(file)))
	_, _ = v.w.Write(file) // a reader who has gone is no fault
	return nil
}

// ArchiveName is the name that the file about a candidate should have. It says nothing about a
// person.
func ArchiveName(c typus.Candidate) string { return fmt.Sprintf("typus-auskunft-%d.zip", c.ID) }

// PersonArchive is everything that is stored about a candidate, and about all others of the
// account with the same address, as a ZIP file for the operator; by is noted in the audit log.
// It also says whose it is. NotFound.
func PersonArchive(ctx context.Context, o Options, c typus.Candidate, by typus.Actor) ([]byte, []int64, error) {
	pages, err := o.Site.Set(files)
	if err != nil {
		return nil, nil, err
	}
	account, err := o.Store.Account(ctx, c.AccountID)
	if err != nil {
		return nil, nil, err
	}
	whole := store.WholeAccount(c.AccountID)
	same, err := o.Store.SameAddress(ctx, whole, c)
	if err != nil {
		return nil, nil, err
	}
	all := append([]typus.Candidate{c}, same...)
	file, err := newFace(o, pages).archive(ctx, account, all, account.Language)
	var ids []int64
	for _, c := range all {
		if err == nil {
			err = o.Steps.NoteCopied(ctx, whole, c.ID, by)
		}
		ids = append(ids, c.ID)
	}
	return file, ids, err
}

// archive is everything that is stored about candidates of one address: for programs, for
// people, and with the meaning of every name. Several have a folder each.
func (f *face) archive(ctx context.Context, account typus.Account, all []typus.Candidate, lang string) ([]byte, error) {
	v := f.reading(ctx, account, lang)
	a := &archive{at: f.now(), lang: lang}
	a.zip = zip.NewWriter(&a.out)
	var folders strings.Builder
	for _, c := range all {
		if len(all) > 1 {
			a.folder = fmt.Sprintf("%s-%d/", f.say(v, "person.file.application"), c.ID)
			folders.WriteString(f.say(v, "person.readmeFolder", "Folder", a.folder, "Name", c.Name, "Date", f.dayOf(v, c.CreatedAt)) + "\n")
		}
		if err := f.archiveOf(v, a, account, c); err != nil {
			return nil, err
		}
	}
	if a.folder = ""; len(all) > 1 {
		a.add(f.say(v, "person.file.readme")+".txt", []byte(f.say(v, "person.readmeSeveral", "Account", account.Name, "Date", f.dayOf(v, f.now()), "Folders", folders.String())))
	}
	return a.done()
}

// archiveOf adds what is stored about a candidate.
func (f *face) archiveOf(v *visit, a *archive, account typus.Account, c typus.Candidate) error {
	ctx := v.Context()
	copied, err := f.Steps.CopyOf(ctx, account.ID, c.ID, v.lang)
	if err != nil {
		return err
	}
	data, err := copied.JSON()
	if err != nil {
		return err
	}
	a.add(f.say(v, "person.file.readme")+".txt", []byte(f.say(v, "person.readme", "Name", c.Name, "Account", account.Name, "Date", f.dayOf(v, f.now()))))
	a.add(f.say(v, "person.file.data")+".json", data)
	a.add(f.say(v, "person.file.dictionary")+".txt", []byte(copied.Dictionary()))
	for _, t := range copied.Tables {
		a.table(f.say(v, "person.file.tables")+"/"+t.Name+".csv", t)
	}
	for _, language := range []string{"de", "en"} {
		paper, err := f.wholeReport(f.reading(ctx, account, language), c, copied)
		if err != nil {
			return err
		}
		if paper != nil {
			a.add(f.say(v, "person.file.report")+"-"+language+".pdf", paper)
		}
	}
	return nil
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

	lang   string // of who reads it
	folder string // of what is added, "" for none
}

func (a *archive) add(name string, body []byte) {
	if a.err != nil {
		return
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: a.folder + name, Method: zip.Deflate, Modified: a.at})
	if err == nil {
		_, err = w.Write(body)
	}
	a.err = err
}

// table adds a table for spreadsheets. No cell of it is a formula.
func (a *archive) table(name string, t store.PersonTable) {
	var out bytes.Buffer
	w := roster.NewWriter(&out, a.lang)
	var head []string
	for _, c := range t.Columns {
		name := assess.PlainName(c.Name)
		if c.Moment() {
			name += " (UTC)"
		}
		head = append(head, name)
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
		return inTable(x)
	case string:
		return roster.Text(x)
	}
	return fmt.Sprint(value)
}

func (a *archive) done() ([]byte, error) {
	if err := a.zip.Close(); a.err == nil {
		a.err = err
	}
	return a.out.Bytes(), a.err
}
