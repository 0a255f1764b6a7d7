package testpage

import (
	"net/http"

	"typus"
)

// remindersView asks whether no more reminders are wanted, or says that there
// will be none.
type remindersView struct {
	frame
	Off      bool
	Finished bool
}

// Template names the page.
func (remindersView) Template() string { return "reminders" }

func (f *face) reminders(w http.ResponseWriter, r *http.Request, v visit) error {
	off, err := f.steps.RemindersStopped(r.Context(), v.Candidate)
	if err != nil {
		return err
	}
	return f.remindersPage(w, v, off)
}

func (f *face) remindersPage(w http.ResponseWriter, v visit, off bool) error {
	return f.pages.Render(w, http.StatusOK, v.lang, remindersView{frame: v.frame(), Off: off, Finished: v.Stand == typus.StandFinished})
}

// stopReminders ends the reminders. A mail program that does so with one click
// does not follow redirects and gets its answer at once (RFC 8058, 3.1).
func (f *face) stopReminders(w http.ResponseWriter, r *http.Request, v visit) error {
	if err := f.steps.StopReminders(r.Context(), v.token); err != nil {
		return err
	}
	if r.PostFormValue("List-Unsubscribe") == "One-Click" {
		return f.remindersPage(w, v, true)
	}
	return v.redirect(w, r, "erinnerungen")
}
