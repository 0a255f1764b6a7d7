package dashboard

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"typus"
	"typus/internal/panel"
	"typus/internal/report"
	"typus/internal/store"
)

// standardWord stands for the default position in addresses, whether it is a row or not.
const standardWord = "allgemein"

// positionPath is the page of a position.
func positionPath(p typus.Position) string { return positionsPath + "/" + positionParam(p) }

// positionParam is how addresses and forms name a position that is chosen.
func positionParam(p typus.Position) string {
	if p.Standard || p.ID == 0 {
		return standardWord
	}
	return strconv.FormatInt(p.ID, 10)
}

// positionOf reads the position of a name that positionParam gives. NotFound, also for one
// out of the visitor's reach.
func (f *face) positionOf(v *visit, name string) (typus.Position, error) {
	id := int64(0)
	if name != standardWord {
		if id = numberOr(name, 0); id == 0 {
			return typus.Position{}, typus.Errorf(typus.NotFound, "there is no such position")
		}
	}
	return f.Store.PositionFor(v.Context(), v.Reader, id)
}

// ofPosition calls h with the position that the address names. NotFound, also for one out
// of the visitor's reach.
func (f *face) ofPosition(h func(v *visit, p typus.Position) error) handler {
	return func(v *visit) error {
		p, err := f.positionOf(v, v.PathValue("id"))
		if err != nil {
			return err
		}
		return h(v, p)
	}
}

// ofOwnPosition is ofPosition for what the default position does not have.
func (f *face) ofOwnPosition(h func(v *visit, p typus.Position) error) handler {
	return f.ofPosition(func(v *visit, p typus.Position) error {
		if p.Standard {
			return typus.Errorf(typus.NotFound, "the default position has none")
		}
		return h(v, p)
	})
}

// positionFrame starts a page below that of a position.
func (f *face) positionFrame(v *visit, p typus.Position) frame {
	fr := f.frame(v, areaPositions)
	fr.Crumbs = []crumb{{Label: "positions.title", Path: positionsPath}, {Name: f.positionName(v, p), Path: positionPath(p)}}
	return fr
}

// positionView is the page of a position.
type positionView struct {
	frame
	Name         string
	Path         string
	Ref          string
	Standard     bool
	Confidential bool
	State        typus.PositionState
	ClosedAt     time.Time
	Invite       string // address of the form that invites for it, "" for who may not
	List         string // its candidates in the list
	Funnel       funnel
	Newest       []newestRow
	Facts        []fact
	Interview    string // text key
	Questions    int
	Stock        bool                 // the questions are those that the program proposes
	Public       *store.PublicFigures // of the public link, nil where there is none
	Named        []string
}

// Template names the page.
func (positionView) Template() string { return "position" }

// newestRow is a candidate on the page of a position.
type newestRow struct {
	ID      int64
	Name    string
	Invited time.Time
	State   state
	Stage   string // in words, "" while nothing was decided
}

// funnel is how far the candidates of a position are.
type funnel struct {
	All     int
	Steps   []funnelStep
	Few     bool // too few have begun to say how tests go
	Blind   bool // the visitor is not told how
	Minutes int  // median from beginning to hand-in, 0: not known
	GivenUp []section
}

// funnelStep is one number with its share of all who were invited.
type funnelStep struct {
	Label string // text key
	Count string
	Share int // in percent
}

// section is a part of the test in which people gave up.
type section struct{ N, People int }

// enoughBegun is from how many people on the page says where tests were given up and how
// long they take.
const enoughBegun = 10

// positionPage shows the page of a position. It costs four statements, and a fifth where an
// own role profile is named; one of them finds the visitor.
func (f *face) positionPage(v *visit, p typus.Position) error {
	figures, err := f.Store.PositionFigures(v.Context(), v.Reader, p, f.now())
	if err != nil {
		return err
	}
	newest, err := f.Store.NewestOf(v.Context(), v.Reader, p)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, f.positionView(v, f.frame(v, areaPositions), p, figures, newest))
}

func (f *face) positionView(v *visit, fr frame, p typus.Position, figures store.PositionFigures, newest []store.CandidateRow) positionView {
	view := positionView{
		frame: fr, Name: f.positionName(v, p), Path: positionPath(p), Ref: p.Ref, Standard: p.Standard, Confidential: p.Confidential,
		State: p.State, ClosedAt: p.ClosedAt, List: candidatesOf(p), Funnel: f.funnel(v, p, figures), Facts: f.positionFacts(v, p),
		Interview: "position.interview.open", Questions: figures.Questions, Public: figures.Public,
	}
	view.Crumbs = []crumb{{Label: "positions.title", Path: positionsPath}}
	if p.State == typus.PositionOpen && v.may(member) {
		view.Invite = inviteFor(p)
	}
	switch {
	case p.Blind && p.BlindAll:
		view.Interview = "position.interview.blindAll"
	case p.Blind:
		view.Interview = "position.interview.blind"
	}
	if view.Stock = figures.Questions == 0; view.Stock {
		view.Questions = len(report.CoreOr(nil))
	}
	for _, row := range newest {
		shown := newestRow{ID: row.ID, Name: row.Name, Invited: row.CreatedAt, State: stateOfRow(row, f.now())}
		if v.seesDecisions() {
			shown.Stage = report.StageName(row.Stage, v.lang)
		}
		view.Newest = append(view.Newest, shown)
	}
	if v.may(viewer) { // interviewers see nobody of the team
		for _, u := range figures.Named {
			view.Named = append(view.Named, u.Called())
		}
	}
	return view
}

// funnel puts the figures of a position into words and shares.
func (f *face) funnel(v *visit, p typus.Position, figures store.PositionFigures) funnel {
	all := figures.Invited()
	out := funnel{All: all.N, Blind: v.Reader.BlindTo(p), Few: figures.Begun().N < enoughBegun}
	step := func(label string, n store.Count) {
		out.Steps = append(out.Steps, funnelStep{Label: label, Count: counted(n), Share: n.N * 100 / max(all.N, 1)})
	}
	step("position.funnel.invited", all)
	step("position.funnel.begun", figures.Begun())
	step("position.funnel.finished", figures.Finished)
	if out.Blind {
		return out
	}
	if v.seesDecisions() {
		step("position.funnel.decided", figures.Decided)
	}
	if !out.Few {
		out.Minutes, out.GivenUp = minutes(figures.Times), f.sections(figures.GivenUp)
	}
	return out
}

// minutes is the median of times in whole minutes, at least one; 0 without times.
func minutes(times []time.Duration) int {
	if len(times) == 0 {
		return 0
	}
	var taken []float64
	for _, t := range times {
		taken = append(taken, t.Minutes())
	}
	return max(int(math.Round(panel.Median(taken))), 1)
}

// sections counts in which part of the test people gave up: in that of the first statement
// that is open.
func (f *face) sections(list []store.GivenUp) []section {
	people := map[int]int{}
	for _, g := range list {
		in := f.test(g.Instrument)
		sheet := in.NewSheet()
		if g.Sheet == nil || sheet.UnmarshalBinary(g.Sheet) != nil {
			sheet = in.NewSheet()
		}
		at := in.Blocks()
		for i, a := range sheet.Answers {
			if a.Value == 0 && !a.Skipped {
				at = in.Items()[i].Block
				break
			}
		}
		people[at]++
	}
	var out []section
	for n, count := range people {
		out = append(out, section{n, count})
	}
	slices.SortFunc(out, func(a, b section) int { return a.N - b.N })
	return out
}

// positionFacts are the settings of a position in words.
func (f *face) positionFacts(v *visit, p typus.Position) []fact {
	a := p.Over(v.Account)
	of := func(said string, own bool) string {
		if own {
			return said
		}
		return said + " (" + f.say(v, "position.settings.account") + ")"
	}
	whom := f.forWhom(v, a)
	if p.ClientKind == typus.ClientOfAccount && whom != f.forWhom(v, typus.Account{Name: a.Name}) {
		whom = of(whom, false)
	}
	return []fact{
		{Label: "position.settings.for", Text: whom},
		{Label: "position.role", Text: of(f.roleName(v, a.RoleProfile), p.RoleProfile != "")},
		{Label: "position.language", Text: of(f.say(v, languageNames[a.Language]), p.Language != "")},
		{Label: "position.days", Text: of(f.sayCount(v, "position.settings.days", a.InviteDays), p.InviteDays > 0)},
		{Label: "position.reminders", Text: of(f.say(v, "account.reminders"+strconv.Itoa(a.Reminders)), p.Reminders != typus.RemindersOfAccount)},
	}
}

// forWhom says for whom an account looks for people.
func (f *face) forWhom(v *visit, a typus.Account) string {
	words, _ := a.Notice.ClientKind.In(v.lang)
	switch {
	case a.Notice.Client != "":
		return f.say(v, "position.settings.named", "Client", a.Notice.Client)
	case words != "":
		return f.say(v, "position.settings.described", "Client", words)
	}
	return f.say(v, "position.settings.own", "Account", a.Name)
}

// candidatesOf is the list of candidates of a position.
func candidatesOf(p typus.Position) string {
	return listPath(peoplePath, url.Values{paramPosition: {positionParam(p)}})
}

// inviteFor is the form that invites for a position.
func inviteFor(p typus.Position) string {
	return listPath(invitePath, url.Values{paramPosition: {positionParam(p)}})
}

// paramPosition names a position in addresses and forms.
const paramPosition = "stelle"
