package dashboard

import (
	"net/http"
	"strconv"

	"typus"
	"typus/internal/roster"
)

// columnsView asks how a file is read, and which of its columns means what.
type columnsView struct {
	frame
	Import  typus.Import
	Read    []readField
	Shown   string // how the file is read now, for the form to say what it showed
	Ours    bool   // Typus wrote the file
	Columns []*field
	Turned  *field
	Sample  []sampleLine // the beginning of the file
	Numbers []int        // of the columns of the sample, as the options name them
}

// Template names the page.
func (columnsView) Template() string { return "import_columns" }

// fields are the questions in the order of the form.
func (c columnsView) fields() []*field {
	var list []*field
	for _, r := range c.Read {
		list = append(list, r.field)
	}
	return append(list, c.Columns...)
}

// sampleLine is a line of the file as it is read.
type sampleLine struct {
	Line    int
	Cells   []string
	Heading bool
	Above   bool // not part of the list
}

const (
	sampleLines = 5
	sampleWidth = 12
)

// columnLabels are the questions, in the order of the form.
var columnLabels = []struct {
	col   roster.Column
	label string
}{
	{roster.Email, "import.column.email"},
	{roster.Name, "import.column.name"},
	{roster.FirstName, "import.column.first"},
	{roster.LastName, "import.column.last"},
	{roster.ExternalID, "import.column.externalID"},
	{roster.Language, "import.column.language"},
}

// paramTurned says that names stand as "Muster, Jana"; paramShown how the file was read when
// the form was shown.
const (
	paramTurned = "umgekehrt"
	paramShown  = "gelesen"
)

// importColumns shows the question, also for a file that was understood; in its address may
// stand how the file is to be read.
func (f *face) importColumns(v *visit) error {
	i, err := f.pathImport(v)
	if err != nil {
		return err
	}
	if i.State != typus.ImportMapping && i.State != typus.ImportPreview {
		return f.goOn(v, importPath(i.ID))
	}
	t, c, sound, err := f.importFile(v, i, howTyped(v.URL.Query()))
	if err != nil {
		return err
	}
	view := f.columnsView(v, i, t, c)
	if !sound {
		view.Read[0].Fault = f.say(v, "import.read.fault")
		f.sum(&view.frame, v, view.fields()...)
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) columnsView(v *visit, i typus.Import, t roster.Table, c roster.Columns) columnsView {
	return f.columnsOf(f.frame(v, areaInvite), v, i, t, c)
}

func (f *face) columnsOf(fr frame, v *visit, i typus.Import, t roster.Table, c roster.Columns) columnsView {
	view := columnsView{frame: fr, Import: i, Read: f.readFields(v, t), Shown: howParams(t.How).Encode(), Ours: t.Ours}
	view.Crumbs = []crumb{{Label: "shell.invite", Path: invitePath}, {Label: "import.title", Path: importsPath}}
	for _, q := range columnLabels {
		fd := &field{Name: string(q.col), Label: q.label, Options: []option{{Label: f.say(v, "import.column.none"), Chosen: !c.Has(q.col)}}}
		for n := range t.Width() {
			label := f.say(v, "import.column.option", "Number", n+1, "Heading", t.Heading(n))
			at, mapped := c.At[q.col]
			fd.Options = append(fd.Options, option{Value: strconv.Itoa(n), Label: label, Chosen: mapped && at == n})
		}
		view.Columns = append(view.Columns, fd)
	}
	view.Turned = &field{Name: paramTurned, Label: "import.column.turned", Type: "checkbox", Optional: true, Checked: c.Turned}
	view.Sample = sampleOf(t)
	for n := range min(t.Width(), sampleWidth) {
		view.Numbers = append(view.Numbers, n+1)
	}
	return view
}

// sampleOf are the first lines of the list with its headings, and the lines above them.
func sampleOf(t roster.Table) []sampleLine {
	at := 0
	for n, rec := range t.Records[:min(len(t.Records), maxHeadings)] {
		if rec.Line == t.How.Heading {
			at = n
		}
	}
	var list []sampleLine
	for _, rec := range t.Records[max(0, at-sampleLines+1):min(len(t.Records), at+sampleLines)] {
		line := sampleLine{Line: rec.Line, Heading: rec.Line == t.How.Heading, Above: rec.Line < t.How.Heading}
		for _, cell := range rec.Cells[:min(len(rec.Cells), sampleWidth, t.Width())] {
			line.Cells = append(line.Cells, roster.Short(cell))
		}
		for len(line.Cells) < min(t.Width(), sampleWidth) {
			line.Cells = append(line.Cells, "")
		}
		list = append(list, line)
	}
	return list
}

// importMapped reads the file with the columns that somebody chose. If they chose as well
// to read it in another way, the columns are no longer those that they saw, and are asked
// for again.
func (f *face) importMapped(v *visit) error {
	i, err := f.pathImport(v)
	if err != nil {
		return err
	}
	how := howTyped(v.PostForm)
	if shown := v.PostFormValue(paramShown); shown != "" && shown != howParams(how).Encode() {
		return f.done(v, listPath(importPath(i.ID)+"/spalten", howParams(how)), f.say(v, "import.read.anew"))
	}
	t, _, _, err := f.importFile(v, i, how)
	if err != nil {
		return err
	}
	c, faults := chosenColumns(v, t.Width())
	if len(faults) > 0 {
		view := f.columnsView(v, i, t, c)
		view.Switch.None = true
		for _, fd := range view.Columns {
			fd.Fault = f.columnText(v, faults[roster.Column(fd.Name)])
		}
		f.sum(&view.frame, v, view.fields()...)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	err = f.Steps.PreviewImport(v.Context(), v.Reader, i.ID, listOf(t, c))
	if err != nil && !typus.Is(err, typus.Conflict) {
		return err
	}
	return f.goOn(v, importPath(i.ID))
}

// columnFault is what is wrong with the column that was chosen for something.
type columnFault struct {
	said  string // text key
	taken string // text key: what the same column was chosen for before, "" for nothing
}

// columnText says a fault, "" for none.
func (f *face) columnText(v *visit, fault columnFault) string {
	switch {
	case fault.said == "":
		return ""
	case fault.taken == "":
		return f.say(v, fault.said)
	}
	return f.say(v, fault.said, "Question", f.say(v, fault.taken))
}

// chosenColumns is what the form says, and what is wrong with each answer.
func chosenColumns(v *visit, width int) (roster.Columns, map[roster.Column]columnFault) {
	c := roster.Columns{At: map[roster.Column]int{}, Turned: v.PostFormValue(paramTurned) != ""}
	taken, faults := map[int]string{}, map[roster.Column]columnFault{}
	for _, q := range columnLabels {
		n, err := strconv.Atoi(v.PostFormValue(string(q.col)))
		if err != nil || n < 0 || n >= width {
			continue
		}
		if taken[n] != "" {
			faults[q.col] = columnFault{"import.column.twice", taken[n]}
		} else {
			taken[n] = q.label
		}
		c.At[q.col] = n
	}
	if !c.Has(roster.Email) {
		faults[roster.Email] = columnFault{said: "import.column.noEmail"}
	}
	if !c.Named() {
		faults[roster.Name] = columnFault{said: "import.column.noName"}
	}
	return c, faults
}

// pathImport reads the import that the address names. NotFound.
func (f *face) pathImport(v *visit) (typus.Import, error) {
	id, err := pathID(v)
	if err != nil {
		return typus.Import{}, err
	}
	return f.Store.ImportFor(v.Context(), v.Reader, id)
}
