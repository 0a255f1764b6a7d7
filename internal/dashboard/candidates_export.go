package dashboard

import (
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/report"
	"typus/internal/roster"
	"typus/internal/store"
)

// exportList sends the whole list that the filter selects as a file, in batches, so
// that its size does not matter; who the visitor is and what they read holds for one batch.
// It is a POST because the audit log notes every export.
func (f *face) exportList(v *visit) error {
	fl := readFilter(v.URL.Query())
	fl = fl.allowed(v)
	fl.After = ""
	q, sound := fl.query(v, f.now())
	if !sound {
		return f.goOn(v, fl.path())
	}
	q.Batch = true
	page, err := f.Store.CandidatePage(v.Context(), v.Reader, q)
	if err != nil {
		return err
	}
	var out *csvFile
	for {
		if out, err = f.exportRows(v, out, page.Rows); err != nil || page.Next.ID == 0 {
			return err
		}
		q.After = page.Next
		if err := f.stillMay(v, member); err != nil {
			return err
		}
		if page, err = f.Store.CandidatePage(v.Context(), v.Reader, q); err != nil {
			return err
		}
	}
}

// stillMay finds out anew who the visitor of a long answer is, and what they read: what ends
// while it is sent ends it within a batch, by cutting it off, because it has begun.
// Unavailable: they have no longer the role.
func (f *face) stillMay(v *visit, least typus.UserRole) error {
	who, err := f.visitor(v.Request)
	if err == nil && !who.may(least) {
		err = typus.Errorf(typus.Unavailable, "the visitor may no longer read this")
	}
	if err == nil {
		v.visitor = who
	}
	return err
}

// exportChosen sends the chosen candidates as a file.
func (f *face) exportChosen(v *visit) error {
	return f.withAll(v, v.PostForm, bulkExport, func(rows []store.CandidateRow) error {
		_, err := f.exportRows(v, nil, rows)
		return err
	})
}

// exportRows notes who takes the data of how many, and sends them. The file is begun
// with the first of them, for which it is nil.
func (f *face) exportRows(v *visit, out *csvFile, rows []store.CandidateRow) (*csvFile, error) {
	results := 0
	for _, row := range rows {
		if row.Scores != nil {
			results++
		}
	}
	counts := strconv.Itoa(len(rows)) + " " + strconv.Itoa(results)
	if err := f.clerk.NoteExport(v.Context(), v.Account.ID, typus.AuditCandidatesExported, counts, v.actor()); err != nil {
		return nil, err
	}
	if out == nil {
		out = f.startExport(v)
	}
	for _, row := range rows {
		out.Row(f.exported(v, row)...)
	}
	return out, out.send()
}

// startExport begins the file with its heading.
func (f *face) startExport(v *visit) *csvFile {
	head := make([]string, 0, len(exportColumns)+10)
	for _, key := range exportColumns {
		heading := f.say(v, key)
		if slices.Contains(exportMoments[:], key) {
			heading = f.inUTC(v, heading)
		}
		head = append(head, heading)
	}
	for _, d := range f.dimensions() {
		head = append(head, f.Instrument.DimensionName(v.lang, d))
	}
	head = append(head, f.say(v, "decision.heading"))
	out := newCSV(v.w, f.say(v, "candidates.file")+"-"+v.Account.DayOf(f.now())+".csv", v.lang)
	out.Row(head...)
	return out
}

// exportColumns are the headings, in the order of exported.
var exportColumns = [...]string{
	"candidates.column.id", "candidates.column.externalId", "candidates.column.name", "candidates.column.email",
	"candidates.file.status", "candidates.column.remarks", "candidates.column.answered", "candidates.column.invited",
	"candidates.column.started", "candidates.column.completed", "candidates.column.expires", "candidates.column.tags",
	"candidates.column.role", "candidates.column.legible", "candidates.column.found",
	"candidates.column.overall", "candidates.column.low", "candidates.column.high", "candidates.column.fit", "candidates.column.fitLabel", "candidates.column.between",
	"candidates.file.persona", "candidates.column.second", "candidates.column.stability",
}

// exportMoments are those of exportColumns that hold moments.
var exportMoments = [...]string{"candidates.column.invited", "candidates.column.started", "candidates.column.completed", "candidates.column.expires"}

// dimensions are the keys of the nine, in their order.
func (f *face) dimensions() []string {
	var keys []string
	for _, z := range f.Instrument.Roles()[0].Zones {
		keys = append(keys, z.Dimension)
	}
	return keys
}

// exported is a row of the file.
func (f *face) exported(v *visit, row store.CandidateRow) []string {
	return append(f.exportedResult(v, row), stageIn(v, row))
}

// stageIn is the stage in words, "" where it is withheld or not decided here.
func stageIn(v *visit, row store.CandidateRow) string {
	stage := row.Stage
	if stage == "" && !row.Blind && !v.Account.DecidesElsewhere {
		stage = typus.StageNew
	}
	return report.StageName(stage, v.lang)
}

// exportedResult is a row without what was decided. As in the list, a result has no figures
// where report.Doubt says why. An external ID stays text to a spreadsheet.
func (f *face) exportedResult(v *visit, row store.CandidateRow) []string {
	c, shown := row.Candidate, f.candidateRow(v, row)
	var remarks []string
	for _, m := range shown.State.Remarks {
		remarks = append(remarks, f.say(v, m.Label))
	}
	if shown.Doubt != "" && !shown.MadeUp { // which is a remark of the state
		remarks = append(remarks, shown.Doubt)
	}
	if shown.Enrolled {
		remarks = append(remarks, f.say(v, "list.enrolled"))
	}
	answered := ""
	switch {
	case shown.Finished:
		answered = strconv.Itoa(shown.Items)
	case shown.Running && !shown.Blind:
		answered = strconv.Itoa(shown.Answered)
	}
	cells := []string{
		strconv.FormatInt(c.ID, 10), roster.Text(c.ExternalID), c.Name, c.Email, string(c.Status), strings.Join(remarks, ", "), answered,
		v.inTable(c.CreatedAt), v.inTable(c.StartedAt), v.inTable(c.CompletedAt), v.inTable(c.ExpiresAt), strings.Join(row.Tags, ", "),
		f.roleName(v, c.RoleProfile),
	}
	if c.Scores == nil {
		return append(cells, make([]string, len(exportColumns)-len(cells)+len(f.dimensions()))...)
	}
	if shown.MadeUp {
		return append(cells, make([]string, len(exportColumns)-len(cells)+len(f.dimensions()))...)
	}
	legible, found := report.Legible(f.test(c.Instrument), *c.Scores, v.lang)
	cells = append(cells, legible, found)
	if shown.Doubt != "" {
		return append(cells, make([]string, len(exportColumns)-len(cells)+len(f.dimensions()))...)
	}
	cells = append(cells, strconv.Itoa(shown.Overall), strconv.Itoa(shown.Low), strconv.Itoa(shown.High), shown.Fit, shown.FitLabel, shown.Between,
		shown.Persona, shown.Second, strconv.Itoa(shown.Stability))
	for _, key := range f.dimensions() {
		cell := ""
		for _, d := range c.Scores.Dimensions {
			if d.Key == key {
				cell = strconv.Itoa(d.Score)
			}
		}
		cells = append(cells, cell)
	}
	return cells
}
