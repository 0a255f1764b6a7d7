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
	Declined bool
	Begun    bool
	Expires  time.Time
}

// Template names the page.
func (declineView) Template() string { return "decline" }

func (f *face) declinePage(w http.ResponseWriter, _ *http.Request, v visit) error {
	view := declineView{
		frame: v.frame(), Declined: v.Stand == typus.StandDeclined,
		Begun: v.Candidate.Begun(), Expires: v.Candidate.ExpiresAt,
	}
	view.Over = view.Declined
	return f.pages.Render(w, http.StatusOK, v.lang, view)
}

func (f *face) decline(w http.ResponseWriter, r *http.Request, v visit) error {
	if err := f.steps.Decline(r.Context(), v.token); err != nil {
		return err
	}
	return v.redirect(w, r, "absage")
}
