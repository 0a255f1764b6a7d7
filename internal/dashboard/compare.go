package dashboard

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"typus"
	"typus/internal/report"
	"typus/internal/store"
)

// How many people are compared: more than five no longer fit beside each other, and
// differ reliably only from so many points on that little is left to be said.
const (
	fewestCompared = 2
	mostCompared   = 5
)

// comparisonView sets the results of several people side by side.
type comparisonView struct {
	frame
	report.Comparison
	People    []comparedPerson
	Panels    []comparedPanel // the nine dimensions
	Match     comparedPanel   // the overall scores
	Guides    string          // address of the guides of all of them, as one file
	Questions []comparedQuestion
	First     bool // the head is open: never here, as whoever compares has read it
}

// Template names the page.
func (comparisonView) Template() string { return "comparison" }

// comparedPerson is one of those side by side.
type comparedPerson struct {
	report.Compared
	Shape              int // of their mark, from 1
	Path               string
	Invited, Completed time.Time
	Aged               int    // after so many months the result is too old, 0 if it is not
	Stage              string // what the team has decided, in words; "" where the visitor does not see it
}

// comparedPanel is one of the drawings, with its figures beside it.
type comparedPanel struct {
	Name  string
	Zone  *report.Zone
	Box   *report.Box // the zone as it is drawn
	Chart report.Chart
	Marks []comparedMark // one for each person
	report.Compare
}

// comparedMark is a score of one of the people and where it is drawn.
type comparedMark struct {
	report.Dimension
	Shape  int
	Middle float64
	Band   report.Whisker
}

// comparedQuestion is a question with what the team has rated, one list for each person.
type comparedQuestion struct {
	report.Question
	Dimension string
	Ratings   [][]report.Heard
}

// comparedArea is the room of a drawing; a list of figures with lines as high stands
// beside it.
var comparedArea = report.Area{Width: 100, Row: 2}

// uncomparedView says why people are not compared, and lets the choice be changed.
type uncomparedView struct {
	frame
	Why   string           // text key
	Whose []comparedPerson // whom it is about
	Rate  bool             // who looks is to rate them first, on the page of the guide
	Rows  []candidateRow   // who was chosen, so that the choice is not lost
	Alone string           // the one who was chosen, if others are to be found for them
	With  []candidateRow   // whom they could be compared with
}

// Template names the page.
func (uncomparedView) Template() string { return "uncompared" }

// compareChosen leads from the choice in a list to the comparison. The address holds
// nothing but ids.
func (f *face) compareChosen(v *visit) error {
	chosen := v.PostForm[paramID]
	switch {
	case len(chosen) == 0:
		return f.undone(v, f.backTo(v, v.PostForm), f.say(v, "candidates.nobodyChosen"))
	case len(chosen) > maxChosen:
		return f.undone(v, f.backTo(v, v.PostForm), f.say(v, "candidates.tooMany", "Max", maxChosen))
	}
	return f.goOn(v, listPath(comparePath, url.Values{paramID: chosen}))
}

// comparison shows the comparison of the people whom the address names. NotFound if one of
// them is not there for the visitor.
func (f *face) comparison(v *visit) error {
	ids, why := comparedIDs(v.URL.Query()[paramID])
	var rows []store.CandidateRow
	if len(ids) > 0 {
		var err error
		if rows, err = f.Store.CandidateRowsOf(v.Context(), v.Reader, ids); err != nil {
			return err
		}
	}
	slices.SortFunc(rows, func(a, b store.CandidateRow) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	if why == tooFew && len(rows) == 1 && !rows[0].Blind && rows[0].Status == typus.StatusFinished {
		return f.compareWithWhom(v, rows[0])
	}
	if why != "" {
		return f.uncompared(v, why, rows, nil)
	}
	if len(rows) < len(ids) {
		return typus.Errorf(typus.NotFound, "there is no such candidate")
	}
	if v.Method == http.MethodHead { // it asks for no result, and is not noted
		v.w.WriteHeader(http.StatusOK)
		return nil
	}
	if open := slices.DeleteFunc(slices.Clone(rows), func(r store.CandidateRow) bool { return r.Status == typus.StatusFinished }); len(open) > 0 {
		return f.uncompared(v, "compare.unfinished", rows, open)
	}
	// Before anything that depends on a result: who is blind for one of them learns
	// nothing of any.
	if closed := slices.DeleteFunc(slices.Clone(rows), func(r store.CandidateRow) bool { return !r.Blind }); len(closed) > 0 {
		return f.uncompared(v, compareBlind, rows, closed)
	}
	return f.compareResults(v, ids, rows)
}

// Text keys of reasons that people are not compared.
const (
	compareBlind = "compare.blind" // a result is withheld
	tooFew       = "compare.few"
)

// comparedIDs reads whom an address names. Without a text key of what is wrong with it,
// they can be compared; else they are those whom it names well.
func comparedIDs(values []string) ([]int64, string) {
	var ids []int64
	why := ""
	for _, text := range values[:min(len(values), maxChosen)] {
		id, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil || id <= 0:
			why = cmp.Or(why, "compare.malformed")
		case slices.Contains(ids, id):
			why = cmp.Or(why, "compare.twice")
		default:
			ids = append(ids, id)
		}
	}
	switch {
	case why != "":
	case len(values) == 0:
		why = "compare.nobody"
	case len(ids) < fewestCompared:
		why = tooFew
	case len(ids) > mostCompared:
		why = "compare.many"
	}
	return ids, why
}

// mostWith is how many people the choice for one of them offers.
const mostWith = 20

// compareWithWhom lets somebody choose whom to compare one person with: the newest who were
// tested for the same version of the role profile. The visitor is to rate none of them first.
func (f *face) compareWithWhom(v *visit, row store.CandidateRow) error {
	found, err := f.Store.CandidatePage(v.Context(), v.Reader, store.CandidateQuery{Status: typus.StatusFinished, Role: row.RoleProfile})
	if err != nil {
		return err
	}
	view := uncomparedView{frame: f.frame(v, areaCandidates), Alone: row.Name, Rows: []candidateRow{f.candidateRow(v, row)}}
	view.Crumbs = []crumb{f.listCrumb(v), {Name: row.Name, Path: candidatePath(row.ID)}}
	for _, other := range found.Rows {
		if other.ID != row.ID && !other.Blind && sameVersions(row, other) && len(view.With) < mostWith {
			view.With = append(view.With, f.candidateRow(v, other))
		}
	}
	return f.render(v, http.StatusOK, view)
}

// sameVersions reports whether two results go by the same version of the test and of the role
// profile, or that is not told of one.
func sameVersions(a, b store.CandidateRow) bool {
	if a.Result == nil || b.Result == nil {
		return true
	}
	one, err := report.CaveatsOf(a.Result)
	other, fault := report.CaveatsOf(b.Result)
	return err == nil && fault == nil && a.Instrument == b.Instrument && one.Role == other.Role
}

// uncompared says why the people are not compared; whose are those it is about.
func (f *face) uncompared(v *visit, why string, rows, whose []store.CandidateRow) error {
	view := uncomparedView{frame: f.frame(v, areaCandidates), Why: why, Rate: why == compareBlind && v.interviews()}
	view.Crumbs = []crumb{f.listCrumb(v)}
	for _, row := range whose {
		view.Whose = append(view.Whose, comparedPerson{Compared: report.Compared{Name: row.Name}, Path: candidatePath(row.ID)})
	}
	for _, row := range rows {
		view.Rows = append(view.Rows, f.candidateRow(v, row))
	}
	status := http.StatusUnprocessableEntity
	if why == "compare.nobody" || why == compareBlind {
		status = http.StatusOK // nothing is wrong with the address
	}
	return f.render(v, status, view)
}

// compareResults compares people whose results the visitor may see, and notes that they
// were seen.
func (f *face) compareResults(v *visit, ids []int64, rows []store.CandidateRow) error {
	kept, err := f.Store.ResultsFor(v.Context(), v.Reader, ids)
	if err != nil {
		return err
	}
	if len(kept) < len(rows) {
		return typus.Errorf(typus.NotFound, "there is no result of such a candidate")
	}
	results := make([]store.Result, len(rows))
	for i, row := range rows {
		results[i] = kept[slices.IndexFunc(kept, func(r store.Result) bool { return r.CandidateID == row.ID })]
	}
	if why := incomparable(results); why != "" {
		return f.uncompared(v, why, rows, nil)
	}
	view, err := f.comparisonView(v, rows, results)
	if err != nil {
		return err
	}
	if err := f.Steps.NoteViews(v.Context(), v.Reader, ids, v.actor()); err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// incomparable is the text key of the reason why results say nothing beside each other:
// they were made in different ways, or compared with different roles. "": they do.
func incomparable(results []store.Result) string {
	a := results[0]
	for _, b := range results[1:] {
		if a.Instrument != b.Instrument || a.InstrumentHash != b.InstrumentHash || a.Norm != b.Norm || a.ScoringVersion != b.ScoringVersion {
			return "compare.versions"
		}
	}
	for _, b := range results[1:] {
		if a.RoleProfile != b.RoleProfile || !bytes.Equal(a.RoleSnapshot, b.RoleSnapshot) {
			return "compare.roles"
		}
	}
	return ""
}

// comparisonView reads the results. Internal: one of them is damaged.
func (f *face) comparisonView(v *visit, rows []store.CandidateRow, results []store.Result) (comparisonView, error) {
	people := make([]report.Person, len(rows))
	for i, row := range rows {
		read, err := report.Read(results[i].Scores, results[i].RoleSnapshot)
		if err != nil {
			return comparisonView{}, err
		}
		read.MadeUp = row.MadeUp
		people[i] = report.Person{Name: row.Name, Stored: read}
	}
	in := f.test(results[0].Instrument)
	view := drawnComparison(report.ComparisonOf(in, people, v.lang))
	view.frame = f.frame(v, areaCandidates)
	view.Crumbs = []crumb{f.listCrumb(v)}
	ids, named := make([]int64, len(rows)), url.Values{}
	for i, row := range rows {
		ids[i] = row.ID
		named.Add(paramID, strconv.FormatInt(row.ID, 10))
		p := &view.People[i]
		p.Path, p.Invited, p.Completed, p.Aged = candidatePath(row.ID), row.CreatedAt, row.CompletedAt, v.aged(row.Answered(), f.now())
		if v.may(viewer) { // as on the page of each: interviewers neither decide nor see it
			p.Stage = stageIn(v, row)
		}
	}
	ratings, err := f.Store.RatingsFor(v.Context(), v.Reader, ids)
	if err != nil {
		return comparisonView{}, err
	}
	chosen, err := f.Store.CoreQuestions(v.Context(), v.Account.ID)
	if err != nil {
		return comparisonView{}, err
	}
	for _, r := range ratings {
		if topic, known := report.Asked(in, r.Question, v.lang, chosen...); known && r.Final && r.Mark != nil {
			view.rate(topic, slices.Index(ids, r.CandidateID), r)
		}
	}
	view.Guides = listPath(guidesPath, named)
	view.inOrder(report.GuideOf(in, people[0].Role, v.lang, typus.CoreOf(chosen, rows[0].PositionID)...).Questions())
	return view, nil
}

// inOrder puts the questions of a guide first, in its order.
func (v *comparisonView) inOrder(guide []report.Question) {
	place := func(c comparedQuestion) int {
		i := slices.IndexFunc(guide, func(q report.Question) bool { return q.Key == c.Key })
		if i < 0 {
			return len(guide)
		}
		return i
	}
	slices.SortStableFunc(v.Questions, func(a, b comparedQuestion) int { return cmp.Compare(place(a), place(b)) })
}

// drawnComparison adds the drawings to a comparison.
func drawnComparison(c report.Comparison) comparisonView {
	view := comparisonView{Comparison: c, Match: drawnPanel("", nil, c.Overall)}
	for i, p := range c.People {
		view.People = append(view.People, comparedPerson{Compared: p, Shape: i + 1})
	}
	for _, d := range c.Dimensions {
		view.Panels = append(view.Panels, drawnPanel(d.Name, d.Zone, d.Compare))
	}
	return view
}

func drawnPanel(name string, zone *report.Zone, c report.Compare) comparedPanel {
	p := comparedPanel{Name: name, Zone: zone, Chart: report.Bars(c.Scores, comparedArea), Compare: c}
	for i, row := range p.Chart.Rows {
		p.Box = row.Zone // the same of all
		p.Marks = append(p.Marks, comparedMark{Dimension: c.Scores[i], Shape: i + 1, Middle: row.Middle, Band: row.Band})
	}
	return p
}

// rate puts a rating of one of the people beside the others of the same question.
func (v *comparisonView) rate(t report.Topic, person int, r store.Rating) {
	q := t.Questions[0]
	i := slices.IndexFunc(v.Questions, func(c comparedQuestion) bool { return c.Key == q.Key })
	if i < 0 {
		i = len(v.Questions)
		v.Questions = append(v.Questions, comparedQuestion{Question: q, Dimension: t.Name, Ratings: make([][]report.Heard, len(v.People))})
	}
	v.Questions[i].Ratings[person] = append(v.Questions[i].Ratings[person], heardOf(r))
}
