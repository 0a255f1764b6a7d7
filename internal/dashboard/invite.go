package dashboard

import (
	"net/http"
	"strings"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/mail"
	"typus/internal/page"
)

// inviteView is the form that invites one person.
type inviteView struct {
	frame
	Form    inviteForm
	Known   *openInvite  // somebody with this address has an open invitation
	Refused bool         // no credits are left
	Full    bool         // the account may store nobody else
	Days    int          // how long the link is good for
	Ask     askedAddress // about an address that looks mistyped
}

// Template names the page.
func (inviteView) Template() string { return "invite" }

// Spent is the view for what is said of credits that are spent. That has the focus only where
// it is what is new: an open invitation is said below it.
func (view inviteView) Spent() inviteView {
	view.Fault = view.Fault && view.Known == nil
	return view
}

// openInvite is the candidate that an address belongs to already.
type openInvite struct {
	typus.Candidate
	Confirm string // what the form sends along to invite all the same
	Same    bool   // it has the external_id that was typed: inviting repeats it
}

type inviteForm struct {
	Name, Email, ExternalID, Language, Role, Send *field
	Place                                         *field // nil while there is only the default position
}

func (i inviteForm) fields() []*field {
	list := []*field{i.Name, i.Email, i.ExternalID, i.Language, i.Role, i.Send}
	if i.Place != nil {
		list = append(list, i.Place)
	}
	return list
}

func (f *face) inviteForm(v *visit, places []typus.Position) inviteForm {
	hint := "invite.sendHint"
	if !f.mails(v) {
		hint = "invite.sendHintNoMail"
	}
	form := inviteForm{
		Name:       &field{Name: "name", Label: "invite.name", Hint: "invite.nameHint", Autocomplete: "off"},
		Email:      &field{Name: "email", Label: "invite.email", Type: "email", Autocomplete: "off"},
		ExternalID: &field{Name: "external_id", Label: "invite.externalID", Hint: "invite.externalIDHint", Autocomplete: "off", Optional: true},
		Language:   f.languageField(v),
		Role:       f.roleField(v, v.Account.RoleProfile),
		Send:       &field{Name: "send_email", Label: "invite.send", Hint: hint, Type: "checkbox", Checked: true},
		Place:      f.placeField(v, places),
	}
	f.roleByPlace(v, form.Role, form.Place)
	return form
}

func (f *face) inviteView(v *visit, places []typus.Position) inviteView {
	return inviteView{
		frame: f.frame(v, areaInvite), Form: f.inviteForm(v, places),
		Refused: v.Account.OutOfCredits(), Days: chosenPlace(v, places).Over(v.Account).InviteDays,
	}
}

func (f *face) invite(v *visit, places []typus.Position) error {
	view := f.inviteView(v, places)
	room, err := assess.RoomIn(v.Context(), f.Store, v.Account)
	if err != nil {
		return err
	}
	view.Full = room == 0
	if err := f.from(v, view.Form); err != nil {
		return err
	}
	if gone(v, places) {
		f.sum(&view.frame, v, view.Form.fields()...)
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) inviteSent(v *visit, places []typus.Position) error {
	takeMeant(v)
	i := typedInvitation(v)
	if !offered(v, places) {
		return f.placeGone(v, places)
	}
	if askedOf(v, askInvite).Meant != "" {
		if _, faults := f.Steps.Check(i); len(faults) == 0 {
			return f.inviteMeant(v, places)
		}
	}
	again := v.PostFormValue("trotzdem") != "" && typus.SameMailbox(v.PostFormValue("trotzdem"), typus.TypedAddress(i.Email))
	out, err := f.Steps.InviteByForm(v.Context(), v.Reader, i, again, v.actor())
	if err != nil {
		return f.inviteAgain(v, places, err)
	}
	return f.goOn(v, invitedPath(out.Candidate.ID))
}

// inviteMeant shows the form again and asks whether another address was meant. What was typed
// stays.
func (f *face) inviteMeant(v *visit, places []typus.Position) error {
	view := f.inviteView(v, places)
	view.Switch.None = true
	fill(v, view.Form.fields()...)
	view.Ask = askedOf(v, askInvite)
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// Question is what is asked about the address. It has the focus unless something is said that
// comes before it.
func (view inviteView) Question() askedAddress {
	ask := view.Ask
	ask.Focus = view.Alert == "" && view.Known == nil && !((view.Refused || view.Full) && view.Fault)
	return ask
}

// typedInvitation is what the form says.
func typedInvitation(v *visit) assess.Invitation {
	return assess.Invitation{
		Name: v.PostFormValue("name"), Email: v.PostFormValue("email"), ExternalID: strings.TrimSpace(v.PostFormValue("external_id")),
		Language: v.PostFormValue("language"), RoleProfile: v.PostFormValue("role_profile"), SendEmail: v.PostFormValue("send_email") != "",
		PositionID: typedPlace(v),
	}
}

// inviteAgain shows the form again with what was typed and what is wrong.
func (f *face) inviteAgain(v *visit, places []typus.Position, err error) error {
	if assess.ClosedPosition(err) || typus.Is(err, typus.Forbidden) { // meanwhile
		return f.placeGone(v, places)
	}
	view := f.inviteView(v, places)
	view.Switch.None = true
	fill(v, view.Form.fields()...)
	view.Ask = askedOf(v, askInvite)
	status := http.StatusUnprocessableEntity
	switch kind := typus.KindOf(err); {
	case f.blame(&view.frame, v, err, view.Form.fields()...):
	case assess.AccountFull(err):
		view.Full, view.Fault, status = true, true, http.StatusConflict
	case kind == typus.NoCredit:
		view.Refused, view.Fault, status = true, true, http.StatusPaymentRequired
	case kind == typus.Conflict:
		if err := f.inviteRefused(&view, v, err); err != nil {
			return err
		}
	default:
		return err
	}
	return f.render(v, status, view)
}

// inviteRefused says why an invitation is refused: the address has an open invitation,
// or a test with another role profile has begun.
func (f *face) inviteRefused(view *inviteView, v *visit, err error) error {
	if c, begun := assess.BegunAs(err); begun {
		view.Form.Role.Fault = f.say(v, "invite.fault.begun", "Role", f.roleName(v, c.RoleProfile))
		f.sum(&view.frame, v, view.Form.fields()...)
		return nil
	}
	view.Fault = true
	view.Known, err = f.openInvite(v)
	return err
}

// openInvite finds the candidate with the typed address. It returns an error if there
// is none, because then the conflict was about something else.
func (f *face) openInvite(v *visit) (*openInvite, error) {
	i := typedInvitation(v)
	i.Email = typus.TypedAddress(i.Email)
	c, err := f.Steps.OpenInvitation(v.Context(), v.Reader, i)
	if typus.Is(err, typus.NotFound) {
		return nil, typus.Errorf(typus.Unavailable, "the same invitation is being changed right now").WithCause(err)
	}
	return &openInvite{c, i.Email, i.ExternalID != "" && c.ExternalID == i.ExternalID}, err
}

// inviteLetter shows the letter as it would be sent, with a link that leads
// nowhere.
func (f *face) inviteLetter(v *visit, places []typus.Position) error {
	if !offered(v, places) {
		return f.placeGone(v, places)
	}
	i, place := typedInvitation(v), chosenPlace(v, places)
	account := place.Over(v.Account)
	if typus.Blank(i.Name) {
		i.Name = f.say(v, "invite.exampleName")
	}
	if !page.Speaks(i.Language) {
		i.Language = account.Language
	}
	own, contact, err := f.Store.LetterTerms(v.Context(), v.Account, typus.LetterInvitation, i.Language, v.User.ID)
	if err != nil {
		return err
	}
	link := f.links.Of(v.Account).Test(strings.Repeat("x", 32))
	m, err := mail.Invitation{
		Look: mail.LookOf(v.Account, place.ID), Language: i.Language, CandidateName: i.Name, AccountName: v.Account.Name, Contact: contact, Own: own, Told: account.Notice,
		Link: link, Expires: account.Shown(f.now().Add(time.Duration(account.InviteDays) * 24 * time.Hour)),
	}.Message()
	if err != nil {
		return err
	}
	return f.showLetter(v, m, link)
}

// invitedView is what came of the form: the link, to be sent or shown.
type invitedView struct {
	frame
	typus.Candidate
	Link   string
	Letter typus.LetterState // "" when none was wanted
	Mail   bool              // a mail server is there for it
	QR     qrCode

	Earlier *earlierView // nil for none
}

// Template names the page.
func (invitedView) Template() string { return "invited" }

func (f *face) invitedPage(v *visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	c, err := f.Store.CandidateFor(v.Context(), v.Reader, id)
	if err != nil {
		return err
	}
	if f.Steps.Obstacle(c) != "" { // nobody is invited any more
		return f.goOn(v, candidatePath(c.ID))
	}
	link, err := f.Steps.Link(v.Account, c)
	if err != nil {
		return err
	}
	letter, err := f.Store.LastLetterFor(v.Context(), v.Reader, c.ID, typus.LetterInvitation)
	if err != nil && !typus.Is(err, typus.NotFound) {
		return err
	}
	earlier, err := f.Store.EarlierOf(v.Context(), v.Reader, c.ID)
	if err != nil {
		return err
	}
	view := invitedView{frame: f.frame(v, areaInvite), Candidate: c, Link: link, Letter: letter.State, Mail: f.mails(v), Earlier: f.earlierOf(v, false, earlier)}
	view.Crumbs = []crumb{{Label: "shell.invite", Path: invitePath}}
	if view.QR, err = newQR(link); err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}
