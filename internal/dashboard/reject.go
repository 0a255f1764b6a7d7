package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Several candidates are rejected at once without the test only: those whose result nobody
// has opened.
const (
	rejectPath   = selectedPath + "/absagen"
	rejectedPath = rejectPath + "/ergebnis"
	paramLeft    = "nicht" // who was left out, with the reason
)

// rejectView asks for what the rejection of several candidates rests on.
type rejectView struct {
	frame
	Rows []rejectRow
	Left []leftRow
	Gone int // how many of those who were chosen are not there any more
	Form *decisionForm
	Back string
}

// Template names the page.
func (rejectView) Template() string { return "reject" }

// rejectedView says who was rejected, and who was not.
type rejectedView struct {
	frame
	Done []candidateRow
	Left []leftRow
	Gone int // how many more were chosen, and are not there any more
}

// Template names the page.
func (rejectedView) Template() string { return "rejected" }

// rejectRow is who can be rejected, with the newest entry that the page has seen.
type rejectRow struct {
	candidateRow
	Last int64
}

// leftRow is who is left out, and why.
type leftRow struct {
	candidateRow
	Why string // text key
}

// deciding calls h unless decisions are kept in another system.
func (f *face) deciding(h handler) handler {
	return func(v *visit) error {
		if v.Account.DecidesElsewhere {
			return f.undone(v, f.lastList(v), f.say(v, "decision.isElsewhere"))
		}
		return h(v)
	}
}

// askReject shows who of the chosen can be rejected, and asks for the reasons.
func (f *face) askReject(v *visit) error {
	q := v.URL.Query()
	return f.withThose(v, q, func(rows []store.CandidateRow, gone int) error {
		view, err := f.rejectView(v, rows, q)
		if err != nil {
			return err
		}
		view.Gone = gone
		return f.render(v, http.StatusOK, view)
	})
}

func (f *face) rejectView(v *visit, rows []store.CandidateRow, values url.Values) (rejectView, error) {
	view := rejectView{frame: f.frame(v, areaCandidates), Form: newDecisionForm(v.lang, false), Back: f.backTo(v, values)}
	view.Crumbs = []crumb{f.listCrumb(v)}
	view.Switch.None = v.Method != http.MethodGet
	view.Form.Action, view.Form.Nonce = rejectPath, view.Nonce
	view.Form.Sources.Label, view.Form.Sources.Hint = "decision.many.sources", "decision.many.sourcesHint"
	view.Form.Sources.Options = view.Form.Sources.Options[:len(view.Form.Sources.Options)-1] // that the test was not used is said anyway
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	standings, err := f.Store.Standings(v.Context(), v.Reader, ids)
	for _, row := range rows {
		standing, known := standings[row.ID]
		why := assess.Obstacle("")
		switch {
		case !known:
			why = assess.ObstacleWithheld
		case standing.Opened:
			why = assess.ObstacleOpened
		case row.Stage == typus.StageRejection:
			why = assess.ObstacleRejected
		}
		if shown := f.candidateRow(v, row); why == "" {
			view.Rows = append(view.Rows, rejectRow{shown, standing.Last})
		} else {
			view.Left = append(view.Left, leftRow{shown, f.reasonOf(v, string(why))})
		}
	}
	return view, err
}

// rejectMany rejects all that were chosen and may be, each in a transaction of its own, and
// leads to a page that names them and the others. If a field is wrong, nobody is rejected.
func (f *face) rejectMany(v *visit) error {
	return f.withThose(v, v.PostForm, func(rows []store.CandidateRow, gone int) error {
		d, answer := typedDecision(v), url.Values{}
		d.Stage, d.Sources = typus.StageRejection, append(d.Sources, typus.SourceTestNotUsed)
		for _, row := range rows {
			id := strconv.FormatInt(row.ID, 10)
			by := v.actor()
			if d.CandidateID = row.ID; by.Form != "" {
				by.Form = hashOf(by.Form + "\n" + id) // each of them is made once
			}
			err := f.Steps.RejectUnopened(v.Context(), v.Reader, d, lastSeen(v.PostFormValue("last-"+id)), by)
			_, before := clerk.SentBefore(err)
			switch {
			case err == nil || before:
				answer.Add(paramID, id)
			case typus.Is(err, typus.Invalid):
				return f.rejectAgain(v, rows, gone, err)
			case typus.Is(err, typus.Conflict) || typus.Is(err, typus.NotFound):
				answer.Add(paramLeft, id+"-"+why(err))
			default:
				return err
			}
		}
		for _, id := range v.PostForm[paramID] { // who is gone is counted there
			if !slices.ContainsFunc(rows, func(row store.CandidateRow) bool { return strconv.FormatInt(row.ID, 10) == id }) {
				answer.Add(paramLeft, id)
			}
		}
		return f.goOn(v, rejectedPath+"?"+answer.Encode())
	})
}

// why is the code of the reason for which something was not done.
func why(err error) string {
	for _, o := range []assess.Obstacle{assess.ObstacleDecided, assess.ObstacleOpened, assess.ObstacleWithheld} {
		if hindered(err, o) {
			return string(o)
		}
	}
	return ""
}

// rejectAgain shows the page with what was typed and what is wrong with it.
func (f *face) rejectAgain(v *visit, rows []store.CandidateRow, gone int, err error) error {
	view, failed := f.rejectView(v, rows, v.PostForm)
	if failed != nil {
		return failed
	}
	view.Gone = gone
	view.Form.fill(v)
	f.blame(&view.frame, v, err, view.Form.Reasons, view.Form.Sources, view.Form.Text)
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// rejected says who was rejected and who was left out, as the address names them. Only who
// stands there as rejected is called so.
func (f *face) rejected(v *visit) error {
	q, reasons := v.URL.Query(), map[string]string{}
	all := url.Values{paramID: q[paramID]}
	for _, text := range q[paramLeft] {
		id, code, _ := strings.Cut(text, "-")
		reasons[id] = code
		all.Add(paramID, id)
	}
	return f.withThose(v, all, func(rows []store.CandidateRow, gone int) error {
		view := rejectedView{frame: f.frame(v, areaCandidates), Gone: gone}
		view.Crumbs = []crumb{f.listCrumb(v)}
		for _, row := range rows {
			shown := f.candidateRow(v, row)
			code, left := reasons[strconv.FormatInt(row.ID, 10)]
			if !left && row.Stage == typus.StageRejection {
				view.Done = append(view.Done, shown)
				continue
			}
			key := f.reasonOf(v, code)
			if key == "" {
				key = "candidates.not.other"
			}
			view.Left = append(view.Left, leftRow{shown, key})
		}
		return f.render(v, http.StatusOK, view)
	})
}
