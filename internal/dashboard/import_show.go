package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"typus"
	"typus/internal/assess"
	"typus/internal/roster"
)

// importRowsShown is how many rows are on one page of an import.
const importRowsShown = 100

// importShowView is an import: what would happen, what is happening, or what
// has happened.
type importShowView struct {
	frame
	Import  typus.Import
	Chips   []chip
	Rows    []rowView
	Next    string // address of the next page, "" on the last
	First   string // of the first page, "" on the first
	Refused bool   // no credits are left
	Credits int64
	Short   bool // more people than credits
	Room    int  // how many more people the account may store
	Starter bool
	Role    string
	Place   string // name of the position, "" for the default one
	Gone    bool   // the rows are removed
	Read    string // how the file was read, in words; "" where nobody knows
	Ours    bool   // Typus wrote the file
	Skipped string // how many rows are skipped and why, "" for none
	Mends   bool   // there are rows to be mended on this page
	Here    string // the query of this page, for the form that mends
}

// Template names the page.
func (importShowView) Template() string { return "import_show" }

// Left is how many rows have no outcome.
func (v importShowView) Left() int { return v.Import.Valid - v.Import.Done }

// Crowded reports whether more people can be invited than the account may store.
func (v importShowView) Crowded() bool { return v.Import.Valid > v.Room }

// Full reports whether the account may store nobody else.
func (v importShowView) Full() bool { return v.Room == 0 }

// rowView is a row as a table shows it.
type rowView struct {
	typus.ImportRow
	State   string // text key
	Badge   string // the class of the badge
	Reasons []string
	Mend    *rowMend // to type it anew, nil where that is not possible
}

// rowStates are the states of rows in the order of the chips.
var rowStates = []struct {
	state typus.RowState
	label string
	badge string
}{
	{typus.RowReady, "import.state.ready", ""},
	{typus.RowInvited, "import.state.invited", "badge-good"},
	{typus.RowFaulty, "import.state.faulty", "badge-bad"},
	{typus.RowDuplicate, "import.state.duplicate", "badge-warn"},
	{typus.RowKnown, "import.state.known", "badge-warn"},
	{typus.RowFailed, "import.state.failed", "badge-bad"},
}

// importReasons say the codes of reasons in words.
var importReasons = map[string]string{
	"name_required":              "import.reason.nameRequired",
	"name_too_long":              "import.reason.nameTooLong",
	"name_invalid":               "import.reason.nameInvalid",
	"email_required":             "import.reason.emailRequired",
	"email_too_long":             "import.reason.emailTooLong",
	"email_invalid":              "import.reason.emailInvalid",
	"external_id_too_long":       "import.reason.externalIDTooLong",
	"external_id_invalid":        "import.reason.externalIDInvalid",
	"language_invalid":           "import.reason.languageInvalid",
	"role_profile_invalid":       "import.reason.roleInvalid",
	"role_profile_already_begun": "import.reason.roleBegun",
	"quote_open":                 "import.reason.quoteOpen",
	"columns_more":               "import.reason.columnsMore",
	"row":                        "import.reason.row",
	"external_id_row":            "import.reason.sameID",
	"external_id_shortened":      "import.reason.shortened",
	"open":                       "import.reason.open",
	typus.CodePositionClosed:     "import.reason.closed",
	typus.CodeAccountFull:        "import.reason.full",
	"credits":                    "import.reason.credits",
}

// reason says a code in words; its second word is a line of the file.
func (f *face) reason(v *visit, code string) string {
	code, line, _ := strings.Cut(code, " ")
	key := importReasons[code]
	if key == "" {
		key = "import.reason.other"
	}
	return f.say(v, key, "Line", line)
}

func (f *face) rowView(v *visit, r typus.ImportRow) rowView {
	view := rowView{ImportRow: r}
	for _, s := range rowStates {
		if s.state == r.State {
			view.State, view.Badge = s.label, s.badge
		}
	}
	for _, code := range r.Reasons {
		view.Reasons = append(view.Reasons, f.reason(v, code))
	}
	return view
}

func (f *face) importShow(v *visit) error {
	return f.renderImport(v, http.StatusOK)
}

// importPlace names for which position an import invites, and with which role profile.
func (f *face) importPlace(v *visit, view *importShowView) error {
	role := v.Account.RoleProfile
	if view.Import.PositionID != 0 {
		p, err := f.Store.PositionFor(v.Context(), v.Reader, view.Import.PositionID)
		if err != nil {
			return err
		}
		view.Place, role = f.positionName(v, p), p.Over(v.Account).RoleProfile
	}
	view.Role = f.roleName(v, cmp.Or(view.Import.RoleProfile, role))
	return nil
}

func (f *face) renderImport(v *visit, status int, changes ...func(*importShowView)) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	i, counts, err := f.Store.ImportAndCounts(v.Context(), v.Reader, id)
	if err != nil {
		return err
	}
	if i.State == typus.ImportMapping {
		return f.goOn(v, importPath(i.ID)+"/spalten")
	}
	view := importShowView{
		Import: i, Refused: v.Account.OutOfCredits(), Credits: v.Account.Credits,
		Starter: v.Account.Plan == typus.PlanStarter, Gone: i.State.Ended() && !i.DropAt.After(f.now()),
	}
	if view.Room, err = assess.RoomIn(v.Context(), f.Store, v.Account); err != nil {
		return err
	}
	if err := f.importPlace(v, &view); err != nil {
		return err
	}
	if err := f.importTableOf(&view, counts, v); err != nil {
		return err
	}
	if len(view.Rows) == 0 && view.First != "" && status == http.StatusOK { // whatever stood on this page is gone, such as a row that was mended
		return f.goOn(v, view.First)
	}
	view.frame = f.frame(v, areaInvite)
	view.Short = view.Starter && int64(i.Valid) > v.Account.Credits
	view.Crumbs = []crumb{{Label: "shell.invite", Path: invitePath}, {Label: "import.title", Path: importsPath}}
	view.Switch.None = v.Method != http.MethodGet
	view.Fault = status != http.StatusOK
	view.Skipped = f.skipped(v, counts)
	view.Read, view.Ours = f.readInWords(v, i)
	for _, change := range changes {
		change(&view)
	}
	return f.render(v, status, view)
}

// skipped says how many rows are not invited and why.
func (f *face) skipped(v *visit, counts map[typus.RowState]int) string {
	faulty, twice := counts[typus.RowFaulty], counts[typus.RowDuplicate]
	var kinds []string
	if faulty > 0 {
		kinds = append(kinds, f.say(v, "import.preview.faulty", "Count", faulty))
	}
	if twice > 0 {
		kinds = append(kinds, f.say(v, "import.preview.twice", "Count", twice))
	}
	if len(kinds) == 0 {
		return ""
	}
	return f.sayCount(v, "import.preview.skipped", faulty+twice, "Kinds", strings.Join(kinds, ", "))
}

// importTableOf fills in the rows that the address asks for.
func (f *face) importTableOf(view *importShowView, counts map[typus.RowState]int, v *visit) error {
	id, state := view.Import.ID, typus.RowState(v.URL.Query().Get("zeilen"))
	if !state.Valid() {
		state = ""
	}
	after := int(position(v, "nach"))
	_, view.Here, _ = strings.Cut(rowsPath(id, state, after), "?")
	all := 0
	for _, n := range counts {
		all += n
	}
	view.Chips = []chip{{Label: "import.state.all", Count: strconv.Itoa(all), Path: rowsPath(id, "", 0), Current: state == ""}}
	for _, s := range rowStates {
		if counts[s.state] > 0 || s.state == state {
			view.Chips = append(view.Chips, chip{s.label, strconv.Itoa(counts[s.state]), rowsPath(id, s.state, 0), s.state == state})
		}
	}
	rows, err := f.Store.ImportRowsFor(v.Context(), v.Reader, id, state, after, importRowsShown+1)
	if err != nil {
		return err
	}
	if len(rows) > importRowsShown {
		rows = rows[:importRowsShown]
		view.Next = rowsPath(id, state, rows[importRowsShown-1].N)
	}
	if after > 0 {
		view.First = rowsPath(id, state, 0)
	}
	before, err := f.tookPart(v, rows)
	if err != nil {
		return err
	}
	held, err := f.heldIDs(v, view.Import, rows)
	if err != nil {
		return err
	}
	for _, row := range rows {
		shown := f.rowView(v, row)
		if row.State == typus.RowReady && before[typus.MailboxKey(row.Email)] {
			shown.Reasons = append(shown.Reasons, f.say(v, "earlier.before"))
		}
		if keys, known := held[row.ExternalID]; known && row.State == typus.RowReady && keys != sameKey(row.Email) {
			shown.Reasons = append(shown.Reasons, f.say(v, "import.reason.storedID"))
		}
		if meant := meantAddress(row.Email); meant != "" && row.State == typus.RowReady && view.Import.State == typus.ImportPreview {
			shown.Reasons = append(shown.Reasons, f.say(v, "invite.meant", "Email", meant))
		}
		if view.Import.State == typus.ImportPreview && row.Mendable() {
			shown.Mend, view.Mends = f.rowMend(v, row), true
		}
		view.Rows = append(view.Rows, shown)
	}
	return nil
}

// tookPart says which addresses of rows that can be invited belong to somebody who has finished
// a test before, of those that the visitor reads.
func (f *face) tookPart(v *visit, rows []typus.ImportRow) (map[string]bool, error) {
	var emails []string
	for _, row := range rows {
		if row.State == typus.RowReady {
			emails = append(emails, row.Email)
		}
	}
	if len(emails) == 0 {
		return nil, nil
	}
	return f.Store.FinishedByEmail(v.Context(), v.Reader, emails)
}

// heldIDs says which external IDs of rows that can be invited somebody has already whom the
// visitor reads, and the addresses that go by each. Who is invited with another address is
// somebody else, as in a file that holds both.
func (f *face) heldIDs(v *visit, i typus.Import, rows []typus.ImportRow) (map[string][2]string, error) {
	var ids []string
	for _, row := range rows {
		if row.State == typus.RowReady && row.ExternalID != "" {
			ids = append(ids, row.ExternalID)
		}
	}
	if len(ids) == 0 || i.State != typus.ImportPreview {
		return nil, nil
	}
	return f.Store.HeldExternalIDs(v.Context(), v.Reader, ids)
}

// sameKey is what heldIDs says of an external ID that an address alone goes by.
func sameKey(email string) [2]string {
	key := typus.MailboxKey(email)
	return [2]string{key, key}
}

func rowsPath(id int64, state typus.RowState, after int) string {
	q := url.Values{}
	if state != "" {
		q.Set("zeilen", string(state))
	}
	if after > 0 {
		q.Set("nach", strconv.Itoa(after))
	}
	return listPath(importPath(id), q)
}

// importConfirm lets the import begin.
func (f *face) importConfirm(v *visit) error {
	i, err := f.pathImport(v)
	if err != nil {
		return err
	}
	err = f.Steps.StartImport(v.Context(), v.Reader, i.ID, v.actor())
	if typus.Is(err, typus.NoCredit) {
		return f.renderImport(v, http.StatusPaymentRequired)
	}
	if assess.AccountFull(err) {
		return f.renderImport(v, http.StatusConflict)
	}
	if assess.ClosedPosition(err) {
		return f.undone(v, importPath(i.ID), f.say(v, "import.closed"))
	}
	// A second click finds it begun: that is no fault.
	if err != nil && !typus.Is(err, typus.Conflict) {
		return err
	}
	return f.goOn(v, importPath(i.ID))
}

// importCancel ends an import, or throws a preview away.
func (f *face) importCancel(v *visit) error {
	i, err := f.pathImport(v)
	if err != nil {
		return err
	}
	if err := f.Steps.CancelImport(v.Context(), v.Reader, i.ID, v.actor()); err != nil {
		return err
	}
	if i, err = f.pathImport(v); err != nil {
		return err
	}
	if !i.StartedAt.IsZero() { // it has invited people, and its page says whom
		return f.goOn(v, importPath(i.ID))
	}
	return f.done(v, importsPath, f.say(v, "import.dropped"))
}

// importProgress says to the page's script how far the import is.
func (f *face) importProgress(v *visit) error {
	i, err := f.pathImport(v)
	if err != nil {
		return err
	}
	return f.progress(v, i.State == typus.ImportRunning, i.Done, f.say(v, "import.progress", "Done", i.Done, "Valid", i.Valid))
}

// importResult sends every row of an import with what became of it, as a file. If no
// letters were sent, it holds the links, because somebody has to pass them on. It is a
// POST because the audit log notes every export.
func (f *face) importResult(v *visit) error {
	i, err := f.pathImport(v)
	if err != nil {
		return err
	}
	if err := f.clerk.NoteExport(v.Context(), v.Account.ID, typus.AuditImportExported, strconv.FormatInt(i.ID, 10), v.actor()); err != nil {
		return err
	}
	say := func(key string) string { return f.say(v, key) }
	csv := newCSV(v.w, "import-"+strconv.FormatInt(i.ID, 10)+".csv", v.lang)
	heading := []string{say("import.row.line"), say("import.row.name"), say("import.row.email"), "external_id", say("import.row.language"),
		say("import.row.state"), say("import.row.reason"), "candidate_id"}
	if !i.SendEmail {
		heading = append(heading, say("import.row.link"))
	}
	csv.Row(heading...)
	for after := 0; ; {
		rows, err := f.Store.ImportRowsFor(v.Context(), v.Reader, i.ID, "", after, resultRows)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return csv.send()
		}
		last := rows[len(rows)-1].N
		candidates, err := f.linked(v, i, after, last)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := f.resultRow(v, csv, i, row, candidates); err != nil {
				return err
			}
		}
		if err := csv.send(); err != nil {
			return err
		}
		after = last
	}
}

// resultRows are read at once.
const resultRows = 500

// linked are the candidates whose links stand in the result, by their id; none
// where letters brought the links.
func (f *face) linked(v *visit, i typus.Import, after, last int) (map[int64]typus.Candidate, error) {
	if i.SendEmail {
		return map[int64]typus.Candidate{}, nil
	}
	return f.Store.ImportedCandidates(v.Context(), v.Reader, i.ID, after, last)
}

func (f *face) resultRow(v *visit, csv *csvFile, i typus.Import, row typus.ImportRow, candidates map[int64]typus.Candidate) error {
	view := f.rowView(v, row)
	id := ""
	if row.CandidateID != 0 {
		id = strconv.FormatInt(row.CandidateID, 10)
	}
	cells := []string{strconv.Itoa(row.N), row.Name, row.Email, roster.Text(row.ExternalID), row.Language, f.say(v, view.State), strings.Join(view.Reasons, " "), id}
	if !i.SendEmail {
		link := ""
		if c, there := candidates[row.CandidateID]; there {
			var err error
			if link, err = f.Steps.Link(v.Account, c); err != nil {
				return err
			}
		}
		cells = append(cells, link)
	}
	csv.Row(cells...)
	return nil
}
