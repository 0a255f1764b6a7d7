package dashboard

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// candidateView is the page of one candidate: where the test stands, or the
// report once it is finished.
type candidateView struct {
	frame
	candidateRow
	Expires time.Time
	Started time.Time
	Answers time.Time // when answers were given that were taken over, else zero
	Role    string    // name of the role profile
	For     string    // address of the position
	Lang    string    // text key of the language of the test
	Base    string    // address of this page

	Link     string // of the test, "" for those who may not open it
	QR       qrCode
	Remind   bool   // a reminder can be sent
	Send     bool   // an invitation can be sent
	Obstacle string // text key: why one of them cannot, "" where the page says it elsewhere
	Mailed   bool   // an invitation was sent before
	Bounced  bool   // the last invitation came back from the address that the person still has
	Came     string // the address from which it came back, if that was corrected since
	MailTo   string // whom the last invitation was to
	Doubtful bool   // nobody knows whether the last invitation arrived
	Waits    bool   // the invitation waits for a mail server
	Stand    typus.Stand
	Declined time.Time
	Asked    bool // the link has run out, and the person asks for a new one
	Until    *field
	Tell     *field // whether to write that the link works again; nil where it has not run out
	SeenEnd  string // see frame.Seen, of the form that moves the end
	NewName  *field
	NewEmail *field
	Ask      askedAddress // about an address that looks mistyped, of those two

	Report *reportView // nil until the test is finished

	Comment  *commentView  // nil where there is none to see or to enter
	Decision *decisionView // nil where the visitor sees none
	Own      *ownPanel     // nil where there is no result, or none to see
	Earlier  *earlierView  // nil for none

	EraseAt time.Time // when the retention is over, zero: never, or not to be told
	Keep    *keepView // nil where the visitor may not change it

	Timeline []event
	Notes    []noteLine
	Note     *field
	Tag      *field
	Reason   *field   // why the result is opened without ratings; nil where it is not withheld
	Known    []string // tags of the account that the candidate does not have
}

// Template names the page.
func (candidateView) Template() string { return "candidate" }

// Mends reports whether the notice about the letter that came back holds the form that
// corrects the address, and sends the invitation again.
func (c *candidateView) Mends() bool { return c.Bounced && c.Send }

// noteLine is a note as the page shows it.
type noteLine struct {
	ID     int64
	Author string
	Body   string
	At     time.Time
	Drop   bool // the visitor may delete it
}

// languageKeys name the languages of a test.
var languageKeys = map[string]string{"de": "candidate.language.de", "en": "candidate.language.en"}

// aCandidate reads the candidate of the address. NotFound.
func (f *face) aCandidate(v *visit) (typus.Candidate, error) {
	id, err := pathID(v)
	if err != nil {
		return typus.Candidate{}, err
	}
	return f.Store.CandidateFor(v.Context(), v.Reader, id)
}

// ofCandidate calls h with the candidate of the address. It finds the candidate before
// it looks at what was sent, so that a form for an unknown candidate is answered like
// the page. If the candidate's state does not allow the action (Conflict), the page
// says so.
func (f *face) ofCandidate(h func(v *visit, c typus.Candidate) error) handler {
	return func(v *visit) error {
		c, err := f.aCandidate(v)
		if err != nil {
			return err
		}
		err = h(v, c)
		if v.Method == http.MethodPost && typus.Is(err, typus.Conflict) {
			return f.undone(v, candidatePath(c.ID), f.say(v, "candidate.refused", "Reason", f.say(v, f.reasonKey(v, err))))
		}
		return err
	}
}

// candidate shows the page.
func (f *face) candidate(v *visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	view, err := f.candidatePage(v, id)
	if typus.Is(err, typus.NotFound) {
		if led, fault := f.ofWorld(v, id); led || fault != nil {
			return fault
		}
	}
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// candidatePage reads the page of a candidate, whatever it is shown for, with three
// statements. Looking at a report is noted, and nobody sees one without that. NotFound.
func (f *face) candidatePage(v *visit, id int64) (*candidateView, error) {
	row, err := f.aRow(v, id)
	if err != nil {
		return nil, err
	}
	row.Blind = row.Blind || v.Method == http.MethodHead // it asks for no report, and is not noted
	about, err := f.Store.DossierOf(v.Context(), v.Reader, id)
	if err != nil {
		return nil, err
	}
	first := !about.Viewed
	if row.Status == typus.StatusFinished && !row.Blind {
		if about, err = f.noteLook(v, id, about); err != nil {
			return nil, err
		}
	}
	view, err := f.candidateView(v, row, about)
	if err == nil && view.Report != nil {
		view.Report.First = first
	}
	return view, err
}

// noteLook notes that the visitor looks at a report, and reads what the person says, unless
// both are noted already. It returns what stands about the candidate by then.
func (f *face) noteLook(v *visit, id int64, about store.Dossier) (store.Dossier, error) {
	if v.looked(about.Audit, f.now()) && v.read(about.Comments) {
		return about, nil
	}
	if err := f.Steps.NoteView(v.Context(), v.Reader, id, v.actor()); err != nil {
		return about, err
	}
	return f.Store.DossierOf(v.Context(), v.Reader, id)
}

// aRow reads a candidate as a list has them. NotFound.
func (f *face) aRow(v *visit, id int64) (store.CandidateRow, error) {
	rows, err := f.Store.CandidateRowsOf(v.Context(), v.Reader, []int64{id})
	if err == nil && len(rows) == 0 {
		err = typus.Errorf(typus.NotFound, "there is no such candidate")
	}
	if err != nil {
		return store.CandidateRow{}, err
	}
	return rows[0], nil
}

// looked reports whether lines of the audit log say that the visitor has looked at a report
// so lately that it need not be noted again.
func (v visitor) looked(lines []typus.AuditEntry, now time.Time) bool {
	return slices.ContainsFunc(lines, func(a typus.AuditEntry) bool {
		return a.UserID == v.User.ID && assess.Views(a.Action) && typus.Recent(a.CreatedAt, now, assess.ViewEvery)
	})
}

// openDoubtful shows the figures of a result that should not be interpreted.
func (f *face) openDoubtful(v *visit, c typus.Candidate) error {
	_, err := f.Store.ResultFor(v.Context(), v.Reader, c.ID)
	if typus.Is(err, typus.NotFound) { // there is none, or it is withheld
		return f.goOn(v, candidatePath(c.ID))
	}
	if err != nil {
		return err
	}
	if err := f.Steps.OpenDoubtful(v.Context(), v.Reader, c.ID, v.actor()); err != nil {
		return err
	}
	return f.goOn(v, candidatePath(c.ID))
}

func (f *face) candidateView(v *visit, row store.CandidateRow, about store.Dossier) (*candidateView, error) {
	c := row.Candidate
	view := &candidateView{
		frame: f.frame(v, areaCandidates), candidateRow: f.candidateRow(v, row),
		Expires: c.ExpiresAt, Started: c.StartedAt, Answers: c.AnsweredAt, Role: f.roleName(v, c.RoleProfile), For: positionPath(typus.Position{ID: c.PositionID}),
		Lang: languageKeys[c.Language], Base: candidatePath(c.ID),
		Bounced: row.Bounced(), MailTo: row.MailTo, Doubtful: row.Mail == typus.LetterUncertain, Waits: !f.mails(v) && row.Mail == typus.LetterQueued, Mailed: row.Mail != "", Stand: c.Stand(f.now()), Declined: c.DeclinedAt,
		Note: &field{Name: "notiz", Label: "candidate.notes.new", Rows: 3},
		Tag:  &field{Name: "tag", Label: "candidate.tags.new", Autocomplete: "off"},
	}
	if row.Corrected() {
		view.Came = row.MailTo
	}
	view.NewName, view.NewEmail = correction(c)
	view.Crumbs, view.Seen, view.SeenEnd = []crumb{f.listCrumb(v)}, seen(view.NewName, view.NewEmail), seen(endOf(v, c))
	var err error
	switch {
	case view.Withheld:
		view.Reason = &field{Name: "grund", Label: "blind.reason", Rows: 2}
	case c.Status == typus.StatusFinished:
		err = f.addReport(v, row, about, view)
	default:
		view.Asked = view.Stand == typus.StandExpired && slices.ContainsFunc(about.Audit, func(e typus.AuditEntry) bool {
			return e.Action == typus.AuditCandidateLinkRequested && !e.CreatedAt.Before(c.ExpiresAt)
		})
		if err = f.addLetters(v, c, about.Letters, view); err == nil {
			err = f.addInvitation(v, row, view)
		}
	}
	if err != nil {
		return nil, err
	}
	view.addTeam(v, about)
	f.addKeeping(v, c, about, view)
	f.addComments(v, row, about, view)
	f.addDecisions(v, row, about, view)
	f.addOwn(v, row, about, view)
	view.Earlier = f.earlierOf(v, view.Finished, about.Earlier)
	view.Timeline = f.timeline(v, c, about)
	view.Timeline = f.withDecisions(v, view)
	return view, nil
}

// addReport adds what came of the test.
func (f *face) addReport(v *visit, row store.CandidateRow, about store.Dossier, view *candidateView) error {
	kept, err := f.Store.ResultFor(v.Context(), v.Reader, row.ID)
	if err != nil {
		return err
	}
	if view.Report, err = f.shownReport(v, row, kept, about); err == nil {
		view.Report.Glance = f.glance(v, view.Report)
	}
	return err
}

// shownReport is the report of a result as the visitor may see it: without figures if it
// should not be interpreted and they have not opened it all the same, and with what the team
// heard in its interviews.
func (f *face) shownReport(v *visit, row store.CandidateRow, kept store.Result, about store.Dossier) (*reportView, error) {
	shown, err := newReport(f.test(kept.Instrument), kept, row.MadeUp, v.lang, typus.CoreOf(about.Questions, row.PositionID)...)
	if err != nil {
		return nil, err
	}
	shown.Base, shown.Aged = candidatePath(row.ID), v.aged(row.Answered(), f.now())
	shown.TakenOver = f.takenOver(v, row.Candidate)
	if v.may(viewer) {
		shown.RolePage, shown.Confirms = rolePath(shown.Asked.Key), v.may(admin)
	}
	shown.Closed = shown.Doubtful() && !about.Opened
	f.addRatings(v, row.Candidate, about, shown)
	return shown, nil
}

// addLetters adds which letters can be written, and why not where the state of
// the test does not say it.
func (f *face) addLetters(v *visit, c typus.Candidate, letters []typus.Letter, view *candidateView) error {
	if f.Steps.Obstacle(c) != "" || !v.may(member) {
		return nil
	}
	reminder, invitation, err := f.Steps.Against(v.Context(), c, letters)
	view.Remind, view.Send = reminder == "" && view.Mailed, invitation == ""
	if why := cmp.Or(invitation, reminder); why != "" && view.Mailed && !view.Waits {
		view.Obstacle = f.reasonOf(v, string(why))
	}
	return err
}

// addInvitation adds what can be done before the test is finished. The link
// opens the test, so only those who may invite see it.
func (f *face) addInvitation(v *visit, row store.CandidateRow, view *candidateView) error {
	if view.Stand == typus.StandWithdrawn || !v.may(member) {
		return nil
	}
	view.Until = f.untilField(v.Account, row.Days, row.ExpiresAt)
	if view.Stand == typus.StandExpired {
		view.Tell = tellField(true)
		return nil
	}
	var err error
	if view.Link, err = f.Steps.Link(v.Account, row.Candidate); err != nil {
		return err
	}
	view.QR, err = newQR(view.Link)
	return err
}

// addTeam adds what the team wrote.
func (view *candidateView) addTeam(v *visit, about store.Dossier) {
	for _, n := range about.Notes {
		view.Notes = append(view.Notes, noteLine{ID: n.ID, Author: n.Author, Body: n.Body, At: n.CreatedAt, Drop: v.mayDrop(n)})
	}
	for _, tag := range about.Tags {
		if !slices.Contains(view.Tags, tag) {
			view.Known = append(view.Known, tag)
		}
	}
}

// again shows the page with what was typed and what is wrong with it.
func (f *face) again(v *visit, c typus.Candidate, mend func(*candidateView)) error {
	return f.againAs(v, c, http.StatusUnprocessableEntity, mend)
}

// againAs is again with a status of its own.
func (f *face) againAs(v *visit, c typus.Candidate, status int, mend func(*candidateView)) error {
	view, err := f.candidatePage(v, c.ID)
	if err != nil {
		return err
	}
	view.Switch.None = true
	mend(view)
	return f.render(v, status, view)
}

// mails reports whether letters of the account can be read by whoever they are to: those of a
// test world are kept, and need no mail server.
func (f *face) mails(v *visit) bool { return f.Mail || v.Account.IsWorld() }

// written is what is said once a letter is queued: the text of key if there is a mail
// server, else that the letter waits for one.
func (f *face) written(v *visit, key string) string {
	if !f.mails(v) {
		key = "candidate.written"
	}
	return f.say(v, key)
}

func (f *face) remind(v *visit, c typus.Candidate) error {
	if err := f.Steps.Remind(v.Context(), v.Reader, c.ID, v.actor()); err != nil {
		return err
	}
	return f.done(v, candidatePath(c.ID), f.written(v, "candidate.reminded"))
}

func (f *face) resend(v *visit, c typus.Candidate) error {
	if err := f.Steps.Resend(v.Context(), v.Reader, c.ID, v.actor()); err != nil {
		return err
	}
	return f.done(v, cmp.Or(ownPath(v.PostFormValue(paramBack)), candidatePath(c.ID)), f.written(v, "candidate.resent"))
}

// correction is the form that corrects who somebody is.
func correction(c typus.Candidate) (*field, *field) {
	return &field{Name: "name", Label: "candidate.correct.name", Value: c.Name, Autocomplete: "off"},
		&field{Name: "email", Label: "candidate.correct.email", Type: "email", Value: c.Email, Autocomplete: "off"}
}

// endOf is when an invitation ends, as a form would send it.
func endOf(v *visit, c typus.Candidate) *field {
	return &field{Name: "ende", Label: "candidates.extend.until", Type: "date", Value: v.Account.DayOf(c.ExpiresAt)}
}

// tellField asks whether people are written to, whose link works again.
func tellField(checked bool) *field {
	return &field{Name: "schreiben", Label: "candidates.extend.tell", Hint: "candidates.extend.tellHint", Checked: checked, Optional: true}
}

// told reports whether somebody is to be written to whose link works again.
func (f *face) told(v *visit, c typus.Candidate) bool {
	return v.PostFormValue("schreiben") != "" && c.Stand(f.now()) == typus.StandExpired
}

func (f *face) extend(v *visit, c typus.Candidate) error {
	late, step, said := false, f.Steps.Extend, f.say(v, "candidate.extended")
	tell := f.told(v, c)
	if tell {
		step, said = f.Steps.RenewLink, f.written(v, "home.link.done")
	}
	err := step(v.Context(), v.Reader, c.ID, v.Account.EndOfDay(v.PostFormValue("ende")), v.actor(), func(now typus.Candidate) bool {
		c, late = now, overtaken(v, endOf(v, now))
		return !late
	})
	switch {
	case typus.Is(err, typus.Invalid):
		return f.again(v, c, func(view *candidateView) {
			if view.Until == nil {
				view.Until = f.untilField(v.Account, 0, c.ExpiresAt)
			}
			view.SeenEnd = v.PostFormValue(seenName)
			view.Until.Value, view.Until.Fault = v.PostFormValue("ende"), f.say(v, "candidates.extend.fault")
			if view.Tell != nil {
				view.Tell.Checked = tell
			}
			f.sum(&view.frame, v, view.Until)
		})
	case tell && typus.Is(err, typus.Conflict):
		return f.undone(v, candidatePath(c.ID), f.say(v, "candidates.extend.unsent", "Reason", f.say(v, f.reasonKey(v, err))))
	case err != nil:
		return err
	case late:
		return f.extendLate(v, c)
	}
	return f.done(v, candidatePath(c.ID), said)
}

// extendLate shows the end that was typed beside the one that somebody else has stored.
func (f *face) extendLate(v *visit, c typus.Candidate) error {
	return f.againAs(v, c, http.StatusConflict, func(view *candidateView) {
		end := endOf(v, c)
		view.SeenEnd = seen(end)
		f.compare(&view.frame, v, end)
		if view.Until != nil { // else it was withdrawn just now
			view.Until.Value, view.Until.Fault, view.Until.First = end.Value, end.Fault, end.First
		}
	})
}

func (f *face) correct(v *visit, c typus.Candidate) error {
	takeMeant(v)
	ask := f.askedOfCorrection(v, c)
	if ask.Meant != "" {
		return f.again(v, c, func(view *candidateView) {
			fill(v, view.NewName, view.NewEmail)
			view.Ask, view.Seen = ask, v.PostFormValue(seenName)
		})
	}
	name, email, late := v.PostFormValue("name"), v.PostFormValue("email"), false
	err := f.Steps.Correct(v.Context(), v.Reader, c.ID, name, email, v.actor(), func(now typus.Candidate) bool {
		newName, newEmail := correction(now)
		late = overtaken(v, newName, newEmail)
		return !late
	})
	if err == nil && late {
		return f.againAs(v, c, http.StatusConflict, func(view *candidateView) {
			view.Ask = ask
			f.compare(&view.frame, v, view.NewName, view.NewEmail)
		})
	}
	if typus.Is(err, typus.Invalid) {
		return f.again(v, c, func(view *candidateView) {
			view.Ask = ask
			view.NewName.Value, view.NewEmail.Value, view.Seen = name, email, v.PostFormValue(seenName)
			f.blame(&view.frame, v, err, view.NewName, view.NewEmail)
		})
	}
	if err != nil {
		return err
	}
	if v.PostFormValue(paramSend) == "" {
		return f.done(v, candidatePath(c.ID), f.say(v, "candidate.corrected"))
	}
	if err = v.Account.Serving(); err == nil {
		err = f.Steps.Resend(v.Context(), v.Reader, c.ID, v.actor())
	}
	if typus.Is(err, typus.Conflict) || typus.Is(err, typus.Suspended) {
		return f.undone(v, candidatePath(c.ID), f.say(v, "candidate.correctedOnly", "Reason", f.say(v, f.reasonKey(v, err))))
	}
	if err != nil {
		return err
	}
	return f.done(v, candidatePath(c.ID), f.written(v, "candidate.correctedSent"))
}

// askedOfCorrection asks about another address than the stored one, once nothing else is wrong.
func (f *face) askedOfCorrection(v *visit, c typus.Candidate) askedAddress {
	ask := askCorrect
	if v.PostFormValue(paramSend) != "" {
		ask = askCorrectSend
	}
	ask = askedOf(v, ask)
	if _, wrong := f.Steps.Check(assess.Invitation{Name: v.PostFormValue("name"), Email: ask.Typed}); wrong != nil || typus.SameMailbox(ask.Typed, c.Email) {
		return ask.answered()
	}
	return ask
}
