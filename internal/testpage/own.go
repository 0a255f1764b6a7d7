package testpage

import (
	"crypto/rand"
	"errors"
	"math"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"typus"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/report"
	"typus/internal/web"
)

// ownView is the page of the candidate's own result, for who has proved who they are.
type ownView struct {
	frame
	Shown    bool
	Result   report.Own   // empty unless Shown
	Chart    report.Chart // of the nine dimensions, without the role's zones
	Policy   typus.OwnResultPolicy
	Reason   string    // why it is not shown
	Looks    []ownLook // earliest first
	Passed   []time.Time
	Keys     bool
	Answered time.Time // when the answers were given that were taken over, zero for answers of this test
	Taken    time.Time // when the test was handed in
	Comment  ownComment
	Requests ownRequests
	Masked   string // the candidate's address where the team has changed it and they have not confirmed it, else ""
	Kept     string // what was done just now: "stellungnahme", "anfrage", or "entwurf" and "wunsch": one waits to be sent
}

// Template names the page.
func (ownView) Template() string { return "own" }

// ownLook is that somebody of the team has seen the result, or kept it as a file, on a day.
type ownLook struct {
	Day  time.Time
	Role string // text key
	File bool
}

// ownRoles are the roles in words. A name stands nowhere on the page.
var ownRoles = map[typus.UserRole]string{
	typus.RoleOwner: "own.role.owner", typus.RoleAdmin: "own.role.admin", typus.RoleMember: "own.role.member",
	typus.RoleViewer: "own.role.viewer", typus.RoleInterviewer: "own.role.interviewer", "": "own.role.gone",
}

// roleOf is the text key of whoever has looked.
func roleOf(role typus.UserRole, operator bool) string {
	if operator {
		return "own.role.operator"
	}
	return ownRoles[role]
}

// ownComment is what the candidate says, and the form for another version.
type ownComment struct {
	Versions []typus.Comment // newest first
	Text     string          // as it was typed, where it could not be kept
	Fault    string          // the code of what is wrong with it
	Length   int             // how long it is
}

// Unread reports whether nobody has read a version.
func (c ownComment) Unread(v typus.Comment) bool { return len(v.Reads) == 0 }

// ownLockedView offers to send a code, or asks for it, to who has only the link.
type ownLockedView struct {
	frame
	Entering  bool    // the code is asked for
	Masked    string  // the candidate's address, so that they know it again; "" for none
	NoMail    bool    // no letter leaves this server
	Changed   bool    // the team has changed the address: a code to it proves nobody
	Form      string  // names the page, see assess.Entry
	Wrong     bool    // the code that was entered is not good
	WaitUntil int     // how many minutes to wait before another try, 0 for none
	Written   written // when the candidate was no longer known, kept until they are
}

// Template names the page.
func (ownLockedView) Template() string { return "own_locked" }

// maxComment bounds the form of a comment: a text that is far too long is still shown again.
const maxComment = 256 << 10

// proof says how the visitor is known to be the candidate, "" where the link is all they have.
func (f *face) proof(r *http.Request, v visit) assess.Proof {
	return f.steps.Proof(v.Test, f.deviceKept(r))
}

// deviceKept is what the device keeps that handed in, or on which a code was entered; "" for
// nothing.
func (f *face) deviceKept(r *http.Request) string {
	if cookie, err := r.Cookie(f.ownResultCookie()); err == nil {
		return cookie.Value
	}
	return ""
}

// entry is the code that was typed into a form.
func (f *face) entry(r *http.Request) assess.Entry {
	return assess.Entry{Code: r.PostFormValue("code"), Kept: f.deviceKept(r), Form: r.PostFormValue("formular"), IP: web.ClientIP(r.Context())}
}

// finished calls h once there is a result; else it leads to where the test stands.
func (f *face) finished(h handler) web.HandlerFunc { return f.known(f.ifFinished(h)) }

// entering is finished for the forms of a code, which may carry what the candidate wrote.
func (f *face) entering(h handler) web.HandlerFunc { return f.knownUpTo(maxComment, f.ifFinished(h)) }

func (f *face) ifFinished(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, v visit) error {
		if v.Stand != typus.StandFinished {
			return v.redirect(w, r, "")
		}
		return h(w, r, v)
	}
}

// proved calls h for the candidate; others get to the page that sends a code, which keeps what
// they have written.
func (f *face) proved(h func(w http.ResponseWriter, r *http.Request, v visit, by assess.Proof) error) web.HandlerFunc {
	return f.knownUpTo(maxComment, f.ifFinished(func(w http.ResponseWriter, r *http.Request, v visit) error {
		if _, large := errors.AsType[*http.MaxBytesError](r.ParseForm()); large {
			return &web.StatusError{Status: http.StatusRequestEntityTooLarge, Msg: "write a shorter text"}
		}
		by := f.proof(r, v)
		if by != "" {
			return h(w, r, v, by)
		}
		if wrote := writtenIn(r); wrote.Any() && wrote.size() <= maxCarried {
			return f.ownLocked(w, r, http.StatusOK, v, ownLockedView{Written: wrote})
		}
		return v.redirect(w, r, ownPath)
	}))
}

const (
	ownPath     = "ergebnis"
	ownCodePath = "ergebnis/code"
)

// own shows the result to the candidate, and the way to it to anybody else. That the
// candidate has seen it is noted once, and not where a browser only looks ahead.
func (f *face) own(w http.ResponseWriter, r *http.Request, v visit) error {
	if f.proof(r, v) == "" {
		return f.ownLocked(w, r, http.StatusOK, v, ownLockedView{})
	}
	view, opened, err := f.ownView(r, v)
	if err != nil {
		return err
	}
	if view.Shown && !opened && r.Method == http.MethodGet && !web.Prefetched(r) {
		if err := f.steps.OwnOpened(r.Context(), v.token); err != nil {
			return err
		}
	}
	view.Kept = kept(r)
	return f.pages.Render(w, http.StatusOK, v.lang, view)
}

// kept is what the address says was done, if it is something that is.
func kept(r *http.Request) string {
	if said := r.URL.Query().Get("neu"); said == "stellungnahme" || said == "anfrage" {
		return said
	}
	return ""
}

// ownView reads the page, and whether the candidate has seen it before.
func (f *face) ownView(r *http.Request, v visit) (ownView, bool, error) {
	own, err := f.steps.Own(r.Context(), v.Test)
	if err != nil {
		return ownView{}, false, err
	}
	view := ownView{
		frame: v.frame(), Shown: own.Shown, Policy: own.Terms.Policy, Reason: own.Terms.Reason,
		Passed: own.Passed, Keys: own.Keys, Comment: ownComment{Versions: own.Comments},
	}
	view.Over, view.Switch.Page = true, ownPath
	if own.AddressChanged && f.mails(v.Account) {
		view.Masked = masked(v.Candidate.Email)
	}
	view.Answered, view.Taken = v.Candidate.AnsweredAt, v.Candidate.CompletedAt
	view.Requests = newOwnRequests(own.Requests, own.Shown, v.Candidate.Answered())
	for _, l := range own.Looks {
		view.Looks = append(view.Looks, ownLook{l.Day, roleOf(l.Role, l.Operator), l.File})
	}
	if own.Shown {
		stored, err := report.Read(own.Stored.Scores, own.Stored.RoleSnapshot)
		if err != nil {
			return ownView{}, false, err
		}
		view.Result = report.OwnOf(report.Of(own.With, stored, v.lang))
		view.Chart = ownChart(view.Result.Dimensions)
	}
	return view, !own.OpenedAt.IsZero(), nil
}

// ownArea is as in the report: X in percent, Y in em.
var ownArea = report.Area{Width: 100, Row: 4, Label: 1.75}

// ownChart draws the scores without what the role asks for: the person is not measured by it
// here.
func ownChart(dims []report.Dimension) report.Chart {
	own := make([]report.Dimension, len(dims))
	for i, d := range dims {
		d.Zone = nil
		own[i] = d
	}
	return report.Bars(own, ownArea)
}

// ownLocked shows what whoever only has the link may know.
func (f *face) ownLocked(w http.ResponseWriter, r *http.Request, status int, v visit, view ownLockedView) error {
	reaches, err := f.steps.CodeReaches(r.Context(), v.Test, f.deviceKept(r))
	if err != nil {
		return err
	}
	view.frame, view.Changed, view.Form = v.frame(), !reaches, rand.Text()
	view.Switch.Page = ownPath
	if view.Entering {
		view.Switch.Page = ownCodePath
	}
	view.Over, view.Masked, view.NoMail = true, masked(v.Candidate.Email), !f.mails(v.Account)
	view.Fault, view.Switch.None = view.Wrong || view.WaitUntil > 0, view.Written.Any()
	return f.pages.Render(w, status, v.lang, view)
}

// masked is an address by which its owner knows it again and nobody else learns it:
// "k***@example.com".
func masked(email string) string {
	name, host, found := strings.Cut(email, "@")
	if !found || name == "" {
		return ""
	}
	first, _ := utf8.DecodeRuneInString(name)
	return string(first) + "***@" + host
}

// sendOwnCode sends a code, and says the same whether one was sent just before.
func (f *face) sendOwnCode(w http.ResponseWriter, r *http.Request, v visit) error {
	wrote := writtenIn(r)
	if !f.mails(v.Account) || v.Candidate.Email == "" {
		return f.ownLocked(w, r, http.StatusConflict, v, ownLockedView{Written: wrote})
	}
	err := f.steps.SendOwnCode(r.Context(), v.token, f.deviceKept(r), web.ClientIP(r.Context()))
	switch {
	case typus.Is(err, typus.TooMany):
		return f.ownWaits(w, r, v, err, wrote)
	case typus.Is(err, typus.Conflict): // which the page then says
		return f.ownLocked(w, r, http.StatusConflict, v, ownLockedView{Written: wrote})
	case err != nil:
		return err
	case wrote.Any():
		return f.ownLocked(w, r, http.StatusOK, v, ownLockedView{Entering: true, Written: wrote})
	}
	return v.redirect(w, r, ownCodePath)
}

// ownCode asks for the code, also on the device that handed in: it can confirm an address
// there.
func (f *face) ownCode(w http.ResponseWriter, r *http.Request, v visit) error {
	if f.proof(r, v) == typus.ConfirmedByCode {
		return v.redirect(w, r, ownPath)
	}
	return f.ownLocked(w, r, http.StatusOK, v, ownLockedView{Entering: true})
}

// enterOwnCode lets whoever knows the code in, for as long as the device that handed in, and
// shows again what they had written.
func (f *face) enterOwnCode(w http.ResponseWriter, r *http.Request, v visit) error {
	wrote := writtenIn(r)
	kept, err := f.steps.EnterOwnCode(r.Context(), v.token, f.entry(r))
	switch {
	case typus.Is(err, typus.TooMany):
		return f.ownWaits(w, r, v, err, wrote)
	case typus.Is(err, typus.Invalid):
		return f.ownLocked(w, r, http.StatusUnprocessableEntity, v, ownLockedView{Entering: true, Wrong: true, Written: wrote})
	case err != nil:
		return err
	}
	f.keepOwnResult(w, v, kept)
	if !wrote.Any() {
		return v.redirect(w, r, ownPath)
	}
	view, _, err := f.ownView(r, v)
	if err != nil {
		return err
	}
	wrote.putBack(&view)
	return f.pages.Render(w, http.StatusOK, v.lang, view)
}

func (f *face) ownWaits(w http.ResponseWriter, r *http.Request, v visit, err error, wrote written) error {
	return f.ownLocked(w, r, http.StatusTooManyRequests, v, ownLockedView{Entering: true, WaitUntil: minutes(err), Written: wrote})
}

// minutes is how many minutes to wait after TooMany, 1 at least.
func minutes(err error) int { return max(1, int(math.Ceil(clerk.Wait(err).Minutes()))) }

// closeOwn makes the device forget who it is.
func (f *face) closeOwn(w http.ResponseWriter, r *http.Request, v visit) error {
	if _, err := r.Cookie(f.ownResultCookie()); err == nil {
		f.forgetOwnResult(w, v)
	}
	return v.redirect(w, r, ownPath)
}

// ownComment keeps what the candidate says. What cannot be kept stays in the field.
func (f *face) ownComment(w http.ResponseWriter, r *http.Request, v visit, by assess.Proof) error {
	text := r.PostFormValue(ownSaid)
	err := f.steps.OwnComment(r.Context(), v.token, text, by, f.candidate(r))
	fault, ours := ownFault(err)
	if err != nil && !ours {
		return err
	}
	if fault == "" {
		return v.redirect(w, r, ownPath+"?neu=stellungnahme#stellungnahme")
	}
	view, _, err := f.ownView(r, v)
	if err != nil {
		return err
	}
	view.Fault = true
	view.Comment.Text, view.Comment.Fault, view.Comment.Length = text, fault, utf8.RuneCountInString(strings.ReplaceAll(text, "\r\n", "\n"))
	return f.pages.Render(w, http.StatusUnprocessableEntity, v.lang, view)
}

// ownFault is the code of what is wrong with what the candidate typed; false where an error is
// about something else.
func ownFault(err error) (string, bool) {
	own, is := errors.AsType[*typus.Error](err)
	if !is || len(own.Fields) == 0 || own.Kind != typus.Invalid && own.Kind != typus.Conflict {
		return "", false
	}
	return own.Fields[0].Code, true
}

// candidate is who does something on the pages of a test.
func (f *face) candidate(r *http.Request) typus.Actor {
	return typus.Actor{Name: typus.ActorCandidate, RequestID: web.RequestID(r.Context())}
}
