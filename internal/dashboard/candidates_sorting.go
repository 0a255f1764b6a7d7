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

func (f *face) sorting(w http.ResponseWriter, r *http.Request, v visitor) error {
	return f.render(w, v, http.StatusOK, f.sortingView(w, r, v))
}

func (f *face) sortingView(w http.ResponseWriter, r *http.Request, v visitor) sortingView {
	view := sortingView{frame: f.frame(w, r, v, areaCandidates), Since: v.Account.ScoreSortingAt, By: v.Account.ScoreSortingBy}
	view.Crumbs = []crumb{{Label: "shell.candidates", Path: "/dashboard"}}
	return view
}

// setSorting switches sorting by score on, once the notice is acknowledged, or off.
func (f *face) setSorting(w http.ResponseWriter, r *http.Request, v visitor) error {
	on := r.PostFormValue("an") != ""
	if on && r.PostFormValue("gelesen") == "" {
		view := f.sortingView(w, r, v)
		view.frame.Fault, view.Fault = true, f.say(v, "candidates.sorting.missing")
		view.Switch.None = true
		return f.render(w, v, http.StatusUnprocessableEntity, view)
	}
	if err := f.Accounts.SetScoreSorting(r.Context(), v.Account.ID, on, v.actor(r)); err != nil {
		return err
	}
	key := "candidates.sorting.isOff"
	if on {
		key = "candidates.sorting.isOn"
	}
	return f.done(w, r, v, "/dashboard", f.say(v, key))
}
