package dashboard

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// maxChosen bounds what is done to many candidates at once.
const maxChosen = 100

// paramID names a chosen candidate, paramBack the page to go back to.
const (
	paramID   = "id"
	paramBack = "seite"
)

// choiceView asks whether something is really to be done to some candidates.
type choiceView struct {
	frame
	Heading string // text keys
	Advice  string
	Button  string
	Alarm   bool // it cannot be undone
	Action  string
	Method  string // "get" where nothing is changed
	Rows    []candidateRow
	Gone    int    // how many of those who were chosen are not there any more
	Until   *field // the new end of the invitations, nil where none is asked for
	Tell    *field // whether to write to those whose link works again, nil where none has run out
	Back    string
}

// Template names the page.
func (choiceView) Template() string { return "choice" }

// bulk is something that is done to chosen candidates.
type bulk struct {
	path    string
	done    string // text keys: how many it was done to
	heading string
	advice  string
	button  string
	alarm   bool
}

var (
	bulkRemind = bulk{path: selectedPath + "/erinnern", done: "candidates.done.reminded"}
	bulkExtend = bulk{path: selectedPath + "/verlaengern", done: "candidates.done.extended",
		heading: "candidates.extend.heading", advice: "candidates.extend.advice", button: "candidates.extend.button"}
	bulkCancel = bulk{path: selectedPath + "/zurueckziehen", done: "candidates.done.cancelled",
		heading: "candidates.cancel.heading", advice: "candidates.cancel.advice", button: "candidates.cancel.button", alarm: true}
	bulkErase = bulk{path: selectedPath + "/loeschen", done: "candidates.done.erased",
		heading: "candidates.erase.heading", advice: "candidates.erase.advice", button: "candidates.erase.button", alarm: true}

	// Files of those who are left of the chosen.
	bulkExport = bulk{path: selectedPath + "/export", heading: "candidates.rest.heading", advice: "candidates.rest.advice", button: "candidates.rest.button"}
	bulkGuides = bulk{path: guidesPath, heading: "candidates.rest.heading", advice: "candidates.rest.advice", button: "candidates.rest.button"}
)

// chosen reads the candidates that a form or an address names, and counts those who are not
// there, be they erased meanwhile, of other accounts or never known.
func (f *face) chosen(ctx context.Context, v *visit, values url.Values) ([]store.CandidateRow, int, error) {
	var ids []int64
	for _, text := range values[paramID] {
		id, err := strconv.ParseInt(text, 10, 64)
		if err == nil && id > 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, 0, nil
	}
	if len(ids) > maxChosen {
		return nil, 0, errTooMany
	}
	rows, err := f.Store.CandidateRowsOf(ctx, v.Reader, ids)
	return rows, len(ids) - len(rows), err
}

var errTooMany = typus.Errorf(typus.Invalid, "at most %d candidates at once", maxChosen)

// withAll is withThose for whoever sends a file, which cannot say that somebody is missing from
// it: if some are not there any more, a page says so and offers the file of the others.
func (f *face) withAll(v *visit, values url.Values, b bulk, h func([]store.CandidateRow) error) error {
	return f.withThose(v, values, func(rows []store.CandidateRow, gone int) error {
		if gone == 0 {
			return h(rows)
		}
		view := f.choice(v, b, rows, values)
		view.Gone = gone
		if v.Method == http.MethodGet {
			view.Method = "get"
		}
		return f.render(v, http.StatusOK, view)
	})
}

// withThose calls h with the candidates that were chosen, and how many are not there any more.
// Without any, with too many, or where none of them is there any more, it goes back and says
// so.
func (f *face) withThose(v *visit, values url.Values, h func(rows []store.CandidateRow, gone int) error) error {
	rows, gone, err := f.chosen(v.Context(), v, values)
	switch {
	case errors.Is(err, errTooMany):
		return f.undone(v, f.backTo(v, values), f.say(v, "candidates.tooMany", "Max", maxChosen))
	case err != nil:
		return err
	case len(rows) == 0 && gone > 0:
		return f.undone(v, f.backFromGone(v, values), f.sayCount(v, "candidates.allGone", gone))
	case len(rows) == 0:
		return f.undone(v, f.backTo(v, values), f.say(v, "candidates.nobodyChosen"))
	}
	return h(rows, gone)
}

// backTo is the page that a form says to go back to, without one the list as it was last seen.
func (f *face) backTo(v *visit, values url.Values) string {
	if back := ownPath(values.Get(paramBack)); back != "" {
		return back
	}
	return f.lastList(v)
}

// backFromGone is backTo once people are not there any more, and neither are their pages.
func (f *face) backFromGone(v *visit, values url.Values) string {
	back := f.backTo(v, values)
	for _, home := range []string{homePath, worldPath} {
		if strings.HasPrefix(back, home+"/kandidat/") {
			return f.lastList(v)
		}
	}
	return back
}

// ask shows the page that asks before b is done.
func (f *face) ask(b bulk) handler {
	return func(v *visit) error {
		q := v.URL.Query()
		return f.withThose(v, q, func(rows []store.CandidateRow, gone int) error {
			view := f.choice(v, b, rows, q)
			view.Gone = gone
			return f.render(v, http.StatusOK, view)
		})
	}
}

func (f *face) choice(v *visit, b bulk, rows []store.CandidateRow, values url.Values) choiceView {
	view := choiceView{
		frame: f.frame(v, areaCandidates), Heading: b.heading, Advice: b.advice, Button: b.button, Alarm: b.alarm,
		Action: b.path, Back: f.backTo(v, values),
	}
	view.Crumbs = []crumb{f.listCrumb(v)}
	view.Switch.None = v.Method != http.MethodGet
	for _, row := range rows {
		view.Rows = append(view.Rows, f.candidateRow(v, row))
	}
	if b.path == bulkExtend.path {
		view.Until = f.untilField(v.Account, daysOf(rows), time.Time{})
		if slices.ContainsFunc(rows, func(row store.CandidateRow) bool { return row.Stand(f.now()) == typus.StandExpired }) {
			view.Tell = tellField(v.Method == http.MethodGet || v.PostFormValue("schreiben") != "")
		}
	}
	return view
}

// daysOf is for how long the position of people invites, 0 where those of one differ from
// those of another.
func daysOf(rows []store.CandidateRow) int {
	for _, row := range rows {
		if row.Days != rows[0].Days {
			return 0
		}
	}
	return rows[0].Days
}

// untilField asks for the new end of an invitation and proposes what new ones get: for so
// many days as their position invites, or the account where that is 0.
func (f *face) untilField(a typus.Account, days int, present time.Time) *field {
	now := f.now()
	proposed, latest := a.Shown(now).AddDate(0, 0, max(typus.Position{InviteDays: days}.Over(a).InviteDays, 1)), a.DayOf(now.Add(assess.MaxExtension-longestDay))
	if present = a.Shown(present); present.After(proposed) {
		proposed = present
	}
	return &field{
		Name: "ende", Label: "candidates.extend.until", Hint: "candidates.extend.hint", Type: "date",
		Value: min(proposed.Format(time.DateOnly), latest), Min: a.DayOf(now), Max: latest,
	}
}

// longestDay is how long after its beginning a day may end: the clocks may go back on it.
const longestDay = 25 * time.Hour

// remindMany writes to all that were chosen.
func (f *face) remindMany(v *visit) error {
	by := v.actor()
	return f.each(v, bulkRemind, func(c typus.Candidate) error { return f.Steps.Remind(v.Context(), v.Reader, c.ID, by) })
}

// extendMany moves the end of all that were chosen.
func (f *face) extendMany(v *visit) error {
	by, end := v.actor(), v.Account.EndOfDay(v.PostFormValue("ende"))
	if end.Sub(f.now()) <= 0 || end.Sub(f.now()) > assess.MaxExtension {
		return f.withThose(v, v.PostForm, func(rows []store.CandidateRow, gone int) error {
			view := f.choice(v, bulkExtend, rows, v.PostForm)
			view.Gone = gone
			view.Until.Value, view.Until.Fault = v.PostFormValue("ende"), f.say(v, "candidates.extend.fault")
			f.sum(&view.frame, v, view.Until)
			return f.render(v, http.StatusUnprocessableEntity, view)
		})
	}
	return f.each(v, bulkExtend, func(c typus.Candidate) error {
		if f.told(v, c) {
			return f.Steps.RenewLink(v.Context(), v.Reader, c.ID, end, by, nil)
		}
		return f.Steps.Extend(v.Context(), v.Reader, c.ID, end, by, nil)
	})
}

// cancelMany withdraws the invitations of all that were chosen.
func (f *face) cancelMany(v *visit) error {
	by := v.actor()
	return f.each(v, bulkCancel, func(c typus.Candidate) error { return f.Steps.Cancel(v.Context(), v.Reader, c.ID, by) })
}

// eraseMany erases all that were chosen. It does not go back to the page of somebody
// who was erased.
func (f *face) eraseMany(v *visit) error {
	by := v.actor()
	v.PostForm.Set(paramBack, f.backFromGone(v, v.PostForm))
	return f.each(v, bulkErase, func(c typus.Candidate) error { return f.Steps.Erase(v.Context(), v.Reader, c.ID, by) })
}

// each does something to every chosen candidate, each in a transaction of its own, and
// says what came of it. If it is refused for one, the others still get it; an internal
// error ends it.
func (f *face) each(v *visit, b bulk, do func(c typus.Candidate) error) error {
	return f.withThose(v, v.PostForm, func(rows []store.CandidateRow, gone int) error {
		done, reasons := 0, map[string]int{}
		if gone > 0 {
			reasons["candidates.not.gone"] = gone
		}
		for _, row := range rows {
			err := do(row.Candidate)
			if err == nil {
				done++
				continue
			}
			if !typus.Is(err, typus.Conflict) && !typus.Is(err, typus.NotFound) && !typus.Is(err, typus.Suspended) {
				return err
			}
			reasons[f.reasonKey(v, err)]++
		}
		said := f.outcome(v, b, done, reasons)
		if len(reasons) > 0 {
			return f.undone(v, f.backTo(v, v.PostForm), said)
		}
		return f.done(v, f.backTo(v, v.PostForm), said)
	})
}

// reasonKeys say why something was not done to a candidate.
var reasonKeys = map[string]string{
	"finished":  "candidates.not.finished",
	"cancelled": "candidates.not.cancelled",
	"expired":   "candidates.not.expired",
	"declined":  "candidates.not.declined",
	"unwanted":  "candidates.not.unwanted",
	"queued":    "candidates.not.queued",
	"recent":    "candidates.not.recent",
	"bounced":   "candidates.not.bounced",
	"taken":     "candidates.not.taken",
	"decided":   "decision.not.decided",
	"rejected":  "decision.not.rejected",
	"opened":    "decision.not.opened",
	"withheld":  "decision.not.withheld",

	typus.CodePositionClosed: "candidates.not.closed",
}

// reasonOf is the text key of a reason, "" for none.
func (f *face) reasonOf(v *visit, code string) string {
	if code == string(assess.ObstacleQueued) && !f.mails(v) {
		return "candidates.not.waiting"
	}
	return reasonKeys[code]
}

func (f *face) reasonKey(v *visit, err error) string {
	if own, ok := errors.AsType[*typus.Error](err); ok && len(own.Fields) > 0 {
		if key := f.reasonOf(v, own.Fields[0].Code); key != "" {
			return key
		}
	}
	switch {
	case typus.Is(err, typus.NotFound):
		return "candidates.not.gone"
	case typus.Is(err, typus.Suspended):
		return "candidates.not.suspended"
	}
	return "candidates.not.other"
}

// outcome says "3 erinnert, 1 nicht: Test schon abgeschlossen".
func (f *face) outcome(v *visit, b bulk, done int, reasons map[string]int) string {
	parts := []string{f.sayCount(v, b.done, done)}
	for _, key := range slices.Sorted(maps.Keys(reasons)) {
		parts = append(parts, f.say(v, "candidates.not", "Count", reasons[key], "Reason", f.say(v, key)))
	}
	return strings.Join(parts, ", ") + "."
}
