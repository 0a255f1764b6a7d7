package dashboard

import (
	"net/http"
	"strconv"

	"typus"
	"typus/internal/roster"
)

// columnsView asks which column of a file means what.
type columnsView struct {
	frame
	Import  typus.Import
	Columns []*field
	Heading *field
	Sample  [][]string // the first lines of the file
	Numbers []int      // of the columns of the sample, as the options name them
}

// Template names the page.
func (columnsView) Template() string { return "import_columns" }

const (
	sampleLines = 5
	sampleWidth = 12
)

// columnLabels are the questions, in the order of the form.
var columnLabels = []struct {
	col         roster.Column
	label, hint string
}{
	{roster.Email, "import.column.email", ""},
	{roster.Name, "import.column.name", "import.column.nameHint"},
	{roster.FirstName, "import.column.first", ""},
	{roster.LastName, "import.column.last", ""},
	{roster.ExternalID, "import.column.externalID", ""},
	{roster.Language, "import.column.language", ""},
}

// importTable reads the file of an import again. NotFound once it is no longer kept.
func (f *face) importTable(v *visit, id int64) (roster.Table, error) {
	body, err := f.Store.ImportSource(v.Context(), v.Reader, id)
	if err != nil {
		return roster.Table{}, err
	}
	t, fault := roster.Read(body)
	if fault != "" {
		return roster.Table{}, typus.Errorf(typus.Internal, "a file that could be read before cannot be read: %s", fault)
	}
	return t, nil
}

// importColumns shows the question, also for a file that was understood.
func (f *face) importColumns(v *visit) error {
	i, err := f.pathImport(v)
	if err != nil {
		return err
	}
	if i.State != typus.ImportMapping && i.State != typus.ImportPreview {
		return f.goOn(v, importPath(i.ID))
	}
	t, err := f.importTable(v, i.ID)
	if err != nil {
		return err
	}
	c, _ := t.Guess()
	return f.render(v, http.StatusOK, f.columnsView(v, i, t, c))
}

func (f *face) columnsView(v *visit, i typus.Import, t roster.Table, c roster.Columns) columnsView {
	return f.columnsOf(f.frame(v, areaInvite), v, i, t, c)
}

func (f *face) columnsOf(fr frame, v *visit, i typus.Import, t roster.Table, c roster.Columns) columnsView {
	view := columnsView{frame: fr, Import: i}
	view.Crumbs = []crumb{{Label: "shell.invite", Path: invitePath}, {Label: "import.title", Path: importsPath}}
	first := t.Records[0].Cells
	for _, q := range columnLabels {
		fd := &field{Name: string(q.col), Label: q.label, Hint: q.hint, Options: []option{{Label: f.say(v, "import.column.none"), Chosen: !c.Has(q.col)}}}
		for n, cell := range first {
			label := f.say(v, "import.column.option", "Number", n+1, "Heading", roster.Short(cell))
			at, mapped := c.At[q.col]
			fd.Options = append(fd.Options, option{Value: strconv.Itoa(n), Label: label, Chosen: mapped && at == n})
		}
		view.Columns = append(view.Columns, fd)
	}
	view.Heading = &field{Name: "ueberschrift", Label: "import.column.heading", Type: "checkbox", Checked: c.Heading}
	for _, rec := range t.Records[:min(len(t.Records), sampleLines)] {
		var line []string
		for _, cell := range rec.Cells[:min(len(rec.Cells), sampleWidth)] {
			line = append(line, roster.Short(cell))
		}
		view.Sample = append(view.Sample, line)
		for len(view.Numbers) < len(line) {
			view.Numbers = append(view.Numbers, len(view.Numbers)+1)
		}
	}
	return view
}

// importMapped reads the file with the columns that somebody chose.
func (f *face) importMapped(v *visit) error {
	i, err := f.pathImport(v)
	if err != nil {
		return err
	}
	t, err := f.importTable(v, i.ID)
	if err != nil {
		return err
	}
	c, faults := chosenColumns(v, len(t.Records[0].Cells))
	if len(faults) > 0 {
		view := f.columnsView(v, i, t, c)
		view.Switch.None = true
		for _, fd := range view.Columns {
			fd.Fault = f.columnText(v, faults[roster.Column(fd.Name)])
		}
		f.sum(&view.frame, v, view.Columns...)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	err = f.Steps.PreviewImport(v.Context(), v.Reader, i.ID, t.People(c), t.Blank, t.LeftOut(c))
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
	c := roster.Columns{At: map[roster.Column]int{}, Heading: v.PostFormValue("ueberschrift") != ""}
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
