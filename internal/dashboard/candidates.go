package dashboard

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/instrument"
	"typus/internal/report"
	"typus/internal/store"
)

// The parameters of the list, which all live in its address.
const (
	paramSearch = "suche"
	paramStatus = "status"
	paramRole   = "rolle"
	paramNeed   = "achtung"
	paramStage  = "stufe"
	paramFrom   = "von"
	paramTo     = "bis"
	paramTag    = "tag"
	paramSort   = "sortierung"
	paramAfter  = "nach"
)

// The orders of the list in its address.
const (
	sortByName    = "name"
	sortByOverall = "gesamtwert"
)

// candidatesView is the list of candidates.
type candidatesView struct {
	frame
	Filter candidateFilter
	Chips  []chip
	Menus  []chipMenu
	Sorts  []chip
	// WithinRole are the role profiles of which one must be chosen before the list can be
	// sorted by score, where that is asked for.
	WithinRole []choice
	Version    int // of the role profile by which the list is in the order of scores, if it is not the first one
	Tags       []option
	Rows       []candidateRow
	Next       string // address of the next page, "" on the last
	First      string // of the first page, "" on the first
	Clear      string // without any filter
	Export     string // of the same list as a file
	Back       string // this page
	Nobody     bool   // the account has invited nobody yet
	Score      bool   // sorting by score is switched on
	Snippet    string // an invitation by API
	Decides    bool   // decisions are kept here, and the visitor sees them
	Placed     bool   // there are positions beside the default one
	Gaps       string // what is missing in the notice before the test, told to those who invite; "" for nothing
}

// Template names the page.
func (candidatesView) Template() string { return "candidates" }

// The cursor of the list is opaque to its readers.
func writeCursor(c store.RowCursor) string {
	at := int64(0)
	if !c.At.IsZero() {
		at = c.At.UnixMilli()
	}
	text := strconv.FormatInt(c.ID, 10) + " " + strconv.FormatInt(at, 10) + " " + strconv.Itoa(c.Overall) + " " + string(c.NameKey)
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

func readCursor(text string) (store.RowCursor, bool) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	part := strings.SplitN(string(plain), " ", 4)
	if err != nil || len(part) != 4 || len(text) > 4000 {
		return store.RowCursor{}, false
	}
	id, err1 := strconv.ParseInt(part[0], 10, 64)
	at, err2 := strconv.ParseInt(part[1], 10, 64)
	overall, err3 := strconv.Atoi(part[2])
	const end = int64(1) << 43 // of the times that are stored, some centuries ahead
	if err1 != nil || err2 != nil || err3 != nil || id <= 0 || at < 0 || at >= end || overall < 0 || overall > 100 {
		return store.RowCursor{}, false
	}
	return store.RowCursor{ID: id, At: time.UnixMilli(at).UTC(), Overall: overall, NameKey: []byte(part[3])}, true
}

// candidates shows the list. It costs three statements, however many candidates there
// are; one of them finds the visitor.
func (f *face) candidates(v *visit) error {
	fl := readFilter(v.URL.Query())
	fl = fl.allowed(v)
	var page store.CandidatePage
	if q, sound := fl.query(v, f.now()); sound {
		var err error
		if page, err = f.Store.CandidatePage(v.Context(), v.Reader, q); err != nil {
			return err
		}
	}
	if len(page.Rows) == 0 && fl.After != "" { // whoever stood on this page is gone
		fl.After = ""
		return f.goOn(v, fl.path())
	}
	if roles := page.Counts.Roles; fl.Sort == sortByOverall && fl.Role == "" && len(roles) == 1 {
		fl.Role = roles[0].Key
		return f.goOn(v, fl.path())
	}
	view := candidatesView{frame: f.frame(v, areaCandidates), Filter: fl, Back: fl.path(), Score: v.sortsByScore(), Decides: v.seesDecisions()}
	f.rememberList(v, fl)
	v.named = map[string]string{}
	for _, r := range page.Counts.Roles {
		v.named[r.Key] = r.Name
	}
	for _, row := range page.Rows {
		view.Rows = append(view.Rows, f.candidateRow(v, row))
	}
	f.listLinks(v, &view, fl, page)
	if fl.Sort == sortByOverall {
		view.Version = f.laterVersion(v, fl.Role)
	}
	view.Placed = slices.ContainsFunc(page.Counts.Positions, func(p store.NamedPosition) bool { return !p.Standard })
	if v.may(member) {
		view.Gaps = f.gaps(v)
	}
	view.Nobody = len(page.Rows) == 0 && !fl.Any() && fl.After == "" && page.Counts.All.N == 0
	if view.Nobody {
		view.Snippet = inviteSnippet(f.links.APIInvites())
	}
	return f.render(v, http.StatusOK, view)
}

// counted writes a number. A count that was broken off is written as a round lower
// bound, or as "" if nothing was counted.
func counted(c store.Count) string {
	switch {
	case !c.More:
		return strconv.Itoa(c.N)
	case c.N == 0:
		return ""
	}
	step := 1
	for step*10 <= c.N {
		step *= 10
	}
	return strconv.Itoa(c.N/step*step) + "+"
}

// inviteSnippet is an invitation by API, ready for a terminal.
func inviteSnippet(address string) string {
	return `curl ` + address + ` \
  -H "Authorization: Bearer $TYPUS_KEY" \
  -H "Content-Type: application/json" \
  -d '{"name":"Kim Beispiel","email":"kim@example.com"}'`
}

// candidateRow is a candidate as the list shows them.
type candidateRow struct {
	ID         int64
	Name       string
	Email      string
	ExternalID string
	Enrolled   bool // by the public link of a position
	Tags       []string
	State      state
	Answered   int // of Items, for a running test
	Items      int
	Running    bool
	Finished   bool
	Blind      bool   // the visitor is to rate before they see what came of the test, and when
	Withheld   bool   // there is a result, and that is kept from the visitor for it
	Early      bool   // nobody has rated yet, so that only the candidate's page, which notes it, shows the result
	Doubt      string // why no figure is shown, "" where they are
	MadeUp     bool   // nobody gave the answers
	Position   string // in words
	Stage      string // of the newest decision, in words; "" where it is not shown
	Decided    bool   // something was decided that is more than StageNew
	Role       string // the role profile in words
	Overall    int
	Low, High  int    // the 90 % band of Overall
	Fit        string // "A" to "E"
	FitLabel   string
	Between    string // all classes of a borderline result, "" for one inside its class
	Persona    string
	Second     string // the second closest pattern
	Equal      bool   // both patterns are to be named with equal rank
	Stability  int    // in percent, of the closest pattern
	Invited    time.Time
	Completed  time.Time
	Aged       int // after so many months the result is too old, 0 if it is not
}

func (f *face) candidateRow(v *visit, row store.CandidateRow) candidateRow {
	c, lang := row.Candidate, v.lang
	out := candidateRow{
		ID: c.ID, Name: c.Name, Email: c.Email, ExternalID: c.ExternalID, Enrolled: row.Enrolled, Tags: row.Tags,
		State: stateOfRow(row, f.now()), Invited: c.CreatedAt, Completed: c.CompletedAt,
		Running: c.Status == typus.StatusStarted, Aged: v.aged(c.Answered(), f.now()),
	}
	if out.MadeUp = row.MadeUp; out.MadeUp {
		out.State.Remarks = append(out.State.Remarks, remark{"candidates.remark.madeUp", "warn"})
	}
	if c.TakenOver() {
		out.State.Remarks = append(out.State.Remarks, remark{"candidates.remark.takenOver", "soft"})
	}
	in := f.test(c.Instrument)
	out.Answered, out.Items = progress(in, row.Sheet)
	out.Finished, out.Blind, out.Withheld = c.Status == typus.StatusFinished, c.Blind, c.Withheld()
	out.Early = row.Early
	out.Position = inWords(row.Position, f.say(v, "positions.standard"))
	if !c.Blind && v.seesDecisions() {
		stage := cmp.Or(row.Stage, typus.StageNew)
		out.Stage, out.Decided = report.StageName(stage, lang), stage != typus.StageNew
	}
	out.Role = f.roleName(v, c.RoleProfile)
	if c.Scores == nil {
		return out
	}
	if out.Doubt = report.Doubt(*c.Scores, row.MadeUp, lang); out.Doubt == "" {
		out.score(in, *c.Scores, row.Result, lang)
	}
	return out
}

// Band is how wide the band of the overall score is.
func (r candidateRow) Band() int { return r.High - r.Low }

// score adds the figures of a result, each with what belongs beside it. If that cannot be
// read, there are no figures.
func (r *candidateRow) score(in *instrument.Instrument, s typus.Scores, result []byte, lang string) {
	c, err := report.CaveatsOf(result)
	if err != nil || c.Band == nil {
		r.Doubt = report.Unreadable(lang)
		return
	}
	r.Overall, r.Low, r.High = s.Overall, c.Band.Low, c.Band.High
	r.Fit, r.FitLabel, r.Between = s.Fit.Key, inWords(in.FitLabel(lang, s.Fit.Key), s.Fit.Label), c.Between(s.Fit.Key)
	r.Persona, r.Stability = inWords(in.PersonaName(lang, s.Persona.Key), s.Persona.Name), c.Stability
	r.Second, r.Equal = inWords(in.PersonaName(lang, c.Second.Key), c.Second.Name), c.Level == instrument.LevelMixed
}

// test is the version of the test that a candidate took or takes; for one that has not
// begun, or of a version that this program does not have, the current one.
func (f *face) test(ref string) *instrument.Instrument {
	if in, known := f.Instrument.Version(ref); known {
		return in
	}
	return f.Instrument
}

// progress counts the items of a sheet that are answered or skipped, and all items. A
// sheet that cannot be read counts as empty.
func progress(in *instrument.Instrument, packed []byte) (answered, items int) {
	sheet := in.NewSheet()
	items = len(sheet.Answers)
	if packed == nil || sheet.UnmarshalBinary(packed) != nil {
		return 0, items
	}
	for _, a := range sheet.Answers {
		if a.Value != 0 || a.Skipped {
			answered++
		}
	}
	return answered, items
}

// state is how a test stands, in words: the status and what stands beside it.
type state struct {
	Label   string   // text key
	Look    string   // of its badge
	Remarks []remark // may be empty
}

// remark is what stands beside a status.
type remark struct{ Label, Look string }

// stateOfRow is stateOf a row of a list. A letter that came back from an address which was
// corrected since says nothing of the new one.
func stateOfRow(row store.CandidateRow, now time.Time) state {
	if !row.Corrected() {
		return stateOf(row.Candidate, row.Mail, now)
	}
	s := stateOf(row.Candidate, "", now)
	if stand := row.Stand(now); stand != typus.StandFinished && stand != typus.StandWithdrawn {
		s.Remarks = append(s.Remarks, remark{"candidates.remark.corrected", "warn"})
	}
	return s
}

// stateOf names the status that the API names as well, and beside it what keeps the test
// from going on. That somebody has declined is said even where the time has run out:
// who extends it should know.
func stateOf(c typus.Candidate, mail typus.LetterState, now time.Time) state {
	s := state{Label: "candidates.state.open", Look: "soft"}
	if c.Begun() {
		s = state{Label: "candidates.state.started", Look: "warn"}
	}
	switch c.Stand(now) {
	case typus.StandFinished:
		return state{Label: "candidates.state.finished", Look: "good"}
	case typus.StandWithdrawn:
		s.Remarks = append(s.Remarks, remark{"candidates.remark.cancelled", "bad"})
	case typus.StandExpired:
		s.Remarks = append(s.Remarks, remark{"candidates.remark.expired", "bad"})
	}
	if !c.DeclinedAt.IsZero() {
		s.Remarks = append(s.Remarks, remark{"candidates.remark.declined", "bad"})
	}
	if mail == typus.LetterFailed {
		s.Remarks = append(s.Remarks, remark{"candidates.remark.bounced", "bad"})
	}
	if mail == typus.LetterUncertain {
		s.Remarks = append(s.Remarks, remark{"candidates.remark.mailUncertain", "warn"})
	}
	return s
}
