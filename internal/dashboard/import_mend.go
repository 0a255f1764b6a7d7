package dashboard

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"typus"
)

// maxMend bounds the form that mends rows: a page of them, each cell as long as one is kept.
const maxMend = 2 << 20

// The names of the fields of a row; the line of the file follows.
const (
	mendRow   = "zeile" // which rows the form has, once for each
	mendSeen  = "gesehen-"
	mendName  = "name-"
	mendEmail = "email-"
	mendID    = "external_id-"
	mendLang  = "language-"
)

// rowMend is a row of a preview as fields.
type rowMend struct {
	N         int
	Seen      string // what the row holds, to tell what somebody else has changed meanwhile
	Fields    []mendField
	Languages []option
	LangFault bool
}

// mendField is a cell to be typed.
type mendField struct {
	Name, Label, Value string // Label is a text key
	Type               string
	Fault              bool
}

// rowMend puts a row into fields, and blames those that its reasons name.
func (f *face) rowMend(v *visit, r typus.ImportRow) *rowMend {
	line := strconv.Itoa(r.N)
	blamed := func(name string) bool {
		return slices.ContainsFunc(r.Reasons, func(code string) bool { return strings.HasPrefix(code, name+"_") })
	}
	m := &rowMend{N: r.N, Seen: rowSeen(r), LangFault: blamed("language"), Fields: []mendField{
		{mendName + line, "import.row.name", r.Name, "text", blamed("name")},
		{mendEmail + line, "import.row.email", r.Email, "text", blamed("email")},
		{mendID + line, "import.row.externalID", r.ExternalID, "text", blamed("external_id")},
	}}
	for _, lang := range []string{"", "de", "en"} {
		m.Languages = append(m.Languages, option{Value: lang, Label: lang, Chosen: lang == r.Language})
	}
	if !slices.Contains([]string{"", "de", "en"}, r.Language) {
		m.Languages = append(m.Languages, option{Value: r.Language, Label: r.Language, Chosen: true})
	}
	m.Languages[0].Label = f.say(v, "import.row.noLanguage")
	return m
}

// rowSeen names what a row holds as its fields send it.
func rowSeen(r typus.ImportRow) string {
	var cells []string
	for _, cell := range []string{r.Name, r.Email, r.ExternalID, r.Language} {
		cells = append(cells, strings.Join(strings.Fields(cell), " "))
	}
	return hashOf(strings.Join(cells, "\x00"))[:16]
}

// importMend takes over what was typed for rows of the preview and goes back to it.
func (f *face) importMend(v *visit) error {
	i, err := f.pathImport(v)
	if err != nil {
		return err
	}
	by, saw := typedRows(v)
	if len(by) == 0 {
		return f.done(v, f.mendBack(v, i), f.say(v, "import.mend.nothing"))
	}
	out, err := f.Steps.MendRows(v.Context(), v.Reader, i.ID, by, func(stored typus.ImportRow) bool { return saw[stored.N] != rowSeen(stored) })
	if typus.Is(err, typus.Conflict) { // its page says what became of it meanwhile
		return f.goOn(v, importPath(i.ID))
	}
	if err != nil {
		return err
	}
	if len(out.Overtaken) > 0 {
		return f.renderImport(v, http.StatusConflict, func(view *importShowView) { f.overtakenRows(v, view, by, out.Overtaken) })
	}
	said := f.sayCount(v, "import.mend.ready", out.Ready)
	switch {
	case out.Left == 0:
		return f.done(v, f.mendBack(v, i), said)
	case out.Ready == 0:
		return f.undone(v, f.mendBack(v, i), f.sayCount(v, "import.mend.left", out.Left))
	}
	return f.undone(v, f.mendBack(v, i), said+" "+f.sayCount(v, "import.mend.left", out.Left))
}

// mendBack is the page of the preview from which rows were sent.
func (f *face) mendBack(v *visit, i typus.Import) string {
	state := typus.RowState(v.URL.Query().Get("zeilen"))
	if !state.Valid() {
		state = ""
	}
	return rowsPath(i.ID, state, int(position(v, "nach")))
}

// typedRows are the rows of the form in which something else was typed than it showed, and
// what it showed of each.
func typedRows(v *visit) ([]typus.ImportRow, map[int]string) {
	var rows []typus.ImportRow
	saw := map[int]string{}
	for _, line := range v.PostForm[mendRow] {
		n := int(numberOr(line, 0))
		r := typus.ImportRow{
			N: n, Name: v.PostFormValue(mendName + line), Email: v.PostFormValue(mendEmail + line),
			ExternalID: v.PostFormValue(mendID + line), Language: v.PostFormValue(mendLang + line),
		}
		saw[n] = v.PostFormValue(mendSeen + line)
		if n > 0 && saw[n] != rowSeen(r) && len(rows) < importRowsShown {
			rows = append(rows, r)
		}
	}
	return rows, saw
}

// overtakenRows puts what was typed beside what somebody else has stored meanwhile. Sent
// again, it replaces that.
func (f *face) overtakenRows(v *visit, view *importShowView, by, stored []typus.ImportRow) {
	for n, row := range view.Rows {
		same := func(r typus.ImportRow) bool { return r.N == row.N }
		at, now := slices.IndexFunc(by, same), slices.IndexFunc(stored, same)
		if at < 0 || now < 0 {
			continue
		}
		typed := by[at]
		typed.Reasons = row.ImportRow.Reasons
		mend := f.rowMend(v, typed)
		mend.Seen = rowSeen(stored[now])
		view.Rows[n].Mend = mend
		is := strings.Join(slices.DeleteFunc([]string{stored[now].Name, stored[now].Email, stored[now].ExternalID, stored[now].Language}, func(s string) bool { return s == "" }), " · ")
		view.Rows[n].Reasons = append(view.Rows[n].Reasons, f.say(v, "import.mend.overtaken", "Row", is))
	}
	view.Alert = f.say(v, "form.overtaken")
}
