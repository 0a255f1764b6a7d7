package testpage

import (
	"net/http"
	"time"

	"typus/internal/page"
)

// accessibilityView says how accessible the pages are, how that was found out and
// whom to tell about obstacles.
type accessibilityView struct {
	frame
	Written time.Time
}

// Template names the page.
func (accessibilityView) Template() string { return "accessibility" }

// assessed is the day on which the statement was last held against the pages.
func assessed() time.Time { return time.Date(2026, time.November, 28, 0, 0, 0, 0, time.UTC) }

func (f *face) accessibility(w http.ResponseWriter, _ *http.Request, v visit) error {
	view := accessibilityView{frame: v.frame(), Written: assessed()}
	view.Times = page.Times{} // the statement is ours, and of no account
	return f.pages.Render(w, http.StatusOK, v.lang, view)
}

// publicAccessibility is the statement for those who have no link, or one that
// leads nowhere.
func (f *face) publicAccessibility(w http.ResponseWriter, r *http.Request) error {
	return f.pages.Render(w, http.StatusOK, page.Language(r, "", ""), accessibilityView{Written: assessed()})
}
