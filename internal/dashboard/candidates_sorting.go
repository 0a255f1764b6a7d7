package dashboard

import (
	"net/http"
	"time"
)

// sortingView is the notice about sorting by score, and the switch.
type sortingView struct {
	frame
	Since time.Time // zero: it is off
	By    string
	Fault string
}

// Template names the page.
func (sortingView) Template() string { return "sorting" }

func (f *face) sorting(v *visit) error {
	return f.render(v, http.StatusOK, f.sortingView(v))
}

func (f *face) sortingView(v *visit) sortingView {
	view := sortingView{frame: f.frame(v, areaCandidates), Since: v.Account.ScoreSortingAt, By: v.Account.ScoreSortingBy}
	view.Crumbs = []crumb{f.listCrumb(v)}
	return view
}

// setSorting switches sorting by score on, once the notice is acknowledged, or off.
func (f *face) setSorting(v *visit) error {
	on := v.PostFormValue("an") != ""
	if on && v.PostFormValue("gelesen") == "" {
		view := f.sortingView(v)
		view.frame.Fault, view.Fault = true, f.say(v, "candidates.sorting.missing")
		view.Switch.None = true
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	if err := f.Accounts.SetScoreSorting(v.Context(), v.Account.ID, on, v.actor()); err != nil {
		return err
	}
	key := "candidates.sorting.isOff"
	if on {
		key = "candidates.sorting.isOn"
	}
	return f.done(v, f.lastList(v), f.say(v, key))
}
