package testpage

import (
	"net/http"
	"time"

	"typus"
)

// declineView asks whether the candidate really does not want to take part, or
// says that this is stored, with a way back either way.
type declineView struct {
	frame
	Declined time.Time // zero: not yet
	Begun    bool
	Expires  time.Time
}

// Template names the page.
func (declineView) Template() string { return "decline" }

func (f *face) declinePage(w http.ResponseWriter, _ *http.Request, v visit) error {
	view := declineView{
		frame: v.frame(), Declined: v.Candidate.DeclinedAt,
		Begun: v.Candidate.Status == typus.StatusStarted, Expires: v.Candidate.ExpiresAt,
	}
	view.Over = v.Stand == typus.StandDeclined
	return f.pages.Render(w, http.StatusOK, v.lang, view)
}

func (f *face) decline(w http.ResponseWriter, r *http.Request, v visit) error {
	if err := f.steps.Decline(r.Context(), v.token); err != nil {
		return err
	}
	return v.redirect(w, r, "absage")
}
