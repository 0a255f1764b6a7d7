package testpage

import (
	"net/http"
	"time"

	"typus"
	"typus/internal/notice"
)

// startView is the page behind the link of the invitation.
type startView struct {
	frame
	Title    string // of the test
	Name     string
	Items    int
	Expires  time.Time
	ForWhom  notice.Paragraph
	Welcome  []string // the account's own words, a line each
	Notice   notice.Notice
	Declined bool // before
	Missing  bool // "Start" was pressed without acknowledging
	Changed  bool // the notice has changed since it was shown
	Mail     bool // letters go out, so that a code to earlier answers can be asked for: by everybody
}

// Template names the page.
func (startView) Template() string { return "start" }

// resumeView is the page behind the link once the test has begun.
type resumeView struct {
	frame
	Name     string
	Progress progress
	Declined bool
}

// Template names the page.
func (resumeView) Template() string { return "resume" }

func (f *face) start(w http.ResponseWriter, r *http.Request, v visit) error {
	if v.Candidate.Begun() {
		fr := v.frame()
		fr.Leave = v.Stand == typus.StandBegun
		return f.pages.Render(w, http.StatusOK, v.lang, resumeView{
			frame: fr, Name: v.Candidate.Name, Progress: v.progress(), Declined: v.Stand == typus.StandDeclined,
		})
	}
	if v.Account.Suspended() {
		return f.waiting(w, r, v)
	}
	return f.pages.Render(w, http.StatusOK, v.lang, f.startView(v))
}

func (f *face) startView(v visit) startView {
	return startView{
		frame: v.frame(), Title: v.Instrument.Title(v.lang), Name: v.Candidate.Name,
		ForWhom: notice.ForWhom(v.lang, v.Account), Welcome: welcome(v), Items: len(v.items()), Expires: v.Candidate.ExpiresAt, Notice: notice.For(v.lang, v.Account), Declined: v.Stand == typus.StandDeclined, Mail: f.mails(v.Account),
	}
}

// begin starts the test, or goes on with a test that has begun: then nothing
// needs to be acknowledged again, and a decline is taken back.
func (f *face) begin(w http.ResponseWriter, r *http.Request, v visit) error {
	if v.Candidate.Begun() {
		if err := f.steps.Begin(r.Context(), v.token, typus.Notice{}, ""); err != nil {
			return err
		}
		return v.redirect(w, r, v.next())
	}
	if v.Account.Suspended() { // whatever is missing in the form
		return f.waiting(w, r, v)
	}
	read := r.PostFormValue("hinweise")
	n, ours := acknowledged(read, v.Account)
	if !ours {
		return f.startAgain(w, v, read != "")
	}
	err := f.steps.Begin(r.Context(), v.token, typus.Notice{Version: n.Version, Language: n.Language, At: f.clock.Now()}, n.Stored)
	if err != nil {
		return err
	}
	return v.redirect(w, r, "probe")
}

func (f *face) startAgain(w http.ResponseWriter, v visit, changed bool) error {
	view := f.startView(v)
	view.Fault, view.Missing, view.Changed = true, !changed, changed
	return f.pages.Render(w, http.StatusUnprocessableEntity, v.lang, view)
}
