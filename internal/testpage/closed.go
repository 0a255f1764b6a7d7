package testpage

import (
	"net/http"
	"time"

	"typus"
	"typus/internal/page"
)

// closedView is the page of an invitation that has run out or was withdrawn.
type closedView struct {
	frame
	Cancelled bool
	Begun     bool
	Expired   time.Time
	Asked     bool // a new link was asked for today
}

// Template names the page.
func (closedView) Template() string { return "closed" }

func (f *face) closed(w http.ResponseWriter, r *http.Request, v visit) error {
	view := closedView{
		frame: v.frame(), Cancelled: v.Stand == typus.StandWithdrawn,
		Begun: v.Candidate.Begun(), Expired: v.Candidate.ExpiresAt,
	}
	view.Over = true
	if !view.Cancelled {
		var err error
		if view.Asked, err = f.steps.LinkRequested(r.Context(), v.Candidate); err != nil {
			return err
		}
	}
	return f.pages.Render(w, http.StatusGone, v.lang, view)
}

// requestLink tells the team that somebody would still like to take part.
// Whoever can take part already is led to the test.
func (f *face) requestLink(w http.ResponseWriter, r *http.Request, v visit) error {
	err := f.steps.RequestLink(r.Context(), v.token)
	if err != nil && !typus.Is(err, typus.Conflict) {
		return err
	}
	return v.redirect(w, r, "")
}

// unknownView is the page of a link that leads to no test. It has no data, so that it
// can reveal nothing. Its script takes the service worker away.
type unknownView struct{ frame }

// Template names the page.
func (unknownView) Template() string { return "unknown" }

func (f *face) unknown(w http.ResponseWriter, r *http.Request) error {
	view := unknownView{}
	view.Switch.None = r.Method != http.MethodGet && r.Method != http.MethodHead
	return f.pages.Render(w, http.StatusNotFound, page.Language(r, "", ""), view)
}
