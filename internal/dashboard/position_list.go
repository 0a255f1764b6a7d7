package dashboard

import (
	"net/http"
	"net/url"
	"strconv"

	"typus"
	"typus/internal/store"
)

// The parameters of the list of positions.
const (
	paramState = "stand" // which positions: closed or archived; the open ones without it
	paramPage  = "seite"
)

// positionsOnScreen is how many positions a page of the list has.
const positionsOnScreen = 50

// positionsView is the list of the positions that the visitor reads.
type positionsView struct {
	frame
	Rows        []positionRow
	Chips       []chip
	None        bool // there is only the default one
	Decides     bool // decisions are kept here, and the visitor sees them
	Next, First string
}

// Template names the page.
func (positionsView) Template() string { return "positions" }

// positionRow is a position as the list shows it.
type positionRow struct {
	Name, Ref, Client string
	Path              string
	Confidential      bool
	Open, Begun, Done int
	Decided           string // "" to who is not to know
}

// positionName is what people call a position.
func (f *face) positionName(v *visit, p typus.Position) string {
	if p.Standard && p.Name == "" {
		return f.say(v, "positions.standard")
	}
	return p.Name
}

// positionStates are the chips of the list.
var positionStates = []struct {
	is          typus.PositionState
	label, word string
}{
	{typus.PositionOpen, "positions.chip.open", ""},
	{typus.PositionClosed, "positions.chip.closed", "geschlossen"},
	{typus.PositionArchived, "positions.chip.archived", "archiviert"},
}

// positions shows the list. It costs three statements; one of them finds the visitor.
func (f *face) positions(v *visit) error {
	all, err := f.Store.Positions(v.Context(), v.Reader)
	if err != nil {
		return err
	}
	view, shown := f.positionsView(v, f.frame(v, areaPositions), all)
	counts, err := f.Store.PositionCounts(v.Context(), v.Reader, shown)
	if err != nil {
		return err
	}
	view.Rows = f.positionRows(v, shown, counts)
	return f.render(v, http.StatusOK, view)
}

// positionsView is the list without its rows, and the positions that those are of.
func (f *face) positionsView(v *visit, fr frame, all []typus.Position) (positionsView, []typus.Position) {
	view := positionsView{frame: fr, None: true, Decides: v.seesDecisions()}
	q := v.URL.Query()
	var chosen []typus.Position
	for _, s := range positionStates {
		current := q.Get(paramState) == s.word
		n := 0
		for _, p := range all {
			view.None = view.None && p.Standard
			if p.State != s.is {
				continue
			}
			if n++; current {
				chosen = append(chosen, p)
			}
		}
		if n > 0 || current {
			view.Chips = append(view.Chips, chip{Label: s.label, Count: strconv.Itoa(n), Path: statePath(s.word, 1), Current: current})
		}
	}
	last := max(0, len(chosen)-1)/positionsOnScreen + 1
	page := min(int(numberOr(q.Get(paramPage), 1)), last) // an address may say anything, and a page that is gone
	from := (page - 1) * positionsOnScreen
	to := min(from+positionsOnScreen, len(chosen))
	if to < len(chosen) {
		view.Next = statePath(q.Get(paramState), page+1)
	}
	if from > 0 {
		view.First = statePath(q.Get(paramState), 1)
	}
	return view, chosen[from:to]
}

// statePath is a page of the list of the positions in a state.
func statePath(state string, page int) string {
	q := url.Values{}
	if state != "" {
		q.Set(paramState, state)
	}
	if page > 1 {
		q.Set(paramPage, strconv.Itoa(page))
	}
	return listPath(positionsPath, q)
}

func (f *face) positionRows(v *visit, list []typus.Position, counts map[int64]store.StatusCounts) []positionRow {
	var rows []positionRow
	for _, p := range list {
		rows = append(rows, f.positionRow(v, p, counts[p.ID]))
	}
	return rows
}

func (f *face) positionRow(v *visit, p typus.Position, n store.StatusCounts) positionRow {
	row := positionRow{
		Name: f.positionName(v, p), Ref: p.Ref, Path: positionPath(p), Confidential: p.Confidential,
		Open: n.Open, Begun: n.Started, Done: n.Finished,
	}
	if v.seesDecisions() && !v.Reader.BlindTo(p) {
		row.Decided = strconv.Itoa(n.Decided)
	}
	row.Client = p.ClientName
	if p.ClientKind == typus.ClientDescribed {
		row.Client, _ = p.ClientWords.In(v.lang)
	}
	return row
}
