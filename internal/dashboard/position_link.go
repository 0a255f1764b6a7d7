package dashboard

import (
	"net/http"
	"strconv"
	"time"

	"typus"
)

// publicLinkView is the page of a position's public link.
type publicLinkView struct {
	frame
	Path      string // of the position
	Action    string
	Name      string
	On        bool
	NoMail    bool // nobody could confirm an address
	Shut      bool // the position is closed, and the link dead meanwhile
	Address   string
	Over      bool // its end has come
	Full      bool
	Confirmed int
	Cap       int
	Credits   *int64 // the balance, nil where it does not end invitations
	Most      *field
	Ends      *field
}

// Template names the page.
func (publicLinkView) Template() string { return "position_link" }

// proposedMost is how many a new link lets in unless somebody says otherwise.
const proposedMost = 50

func (f *face) publicLinkView(v *visit, p typus.Position, l typus.PublicLink) (publicLinkView, error) {
	view := publicLinkView{
		frame: f.positionFrame(v, p), Path: positionPath(p), Action: positionPath(p) + "/link", Name: f.positionName(v, p),
		On: l.ID != 0, NoMail: !f.mails(v), Shut: p.State != typus.PositionOpen, Confirmed: l.Confirmed, Cap: l.Most,
	}
	view.Most, view.Ends = f.publicLinkFields(v.Account, l)
	view.Seen = seen(view.Most, view.Ends)
	if v.Account.Plan == typus.PlanStarter {
		view.Credits = &v.Account.Credits
	}
	if !view.On {
		return view, nil
	}
	stand := l.Stand(typus.Account{}, p, f.now())
	view.Over, view.Full = stand == typus.PublicOver, stand == typus.PublicFull
	var err error
	view.Address, err = f.Accounts.PublicAddress(v.Account, l)
	return view, err
}

// publicLinkFields are the fields of the form, as they are stored.
func (f *face) publicLinkFields(a typus.Account, l typus.PublicLink) (most, ends *field) {
	most = &field{Name: "most", Label: "link.most", Hint: "link.mostHint", Type: "number", Min: "1", Max: strconv.Itoa(typus.MaxEnrolled), InputMode: "numeric", Value: strconv.Itoa(proposedMost)}
	ends = &field{Name: "ends", Label: "link.ends", Hint: "link.endsHint", Type: "date", Optional: true}
	if l.ID != 0 {
		most.Value = strconv.Itoa(l.Most)
	}
	ends.Value = a.DayOf(l.EndsAt)
	return most, ends
}

// publicLink shows the public link of a position.
func (f *face) publicLink(v *visit, p typus.Position) error {
	l, err := f.Store.PublicLinkOf(v.Context(), v.Account.ID, p.ID)
	if err != nil {
		return err
	}
	view, err := f.publicLinkView(v, p, l)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// setPublicLink switches the public link of a position on, or changes whom it lets in. What
// cannot be stored stays in the form.
func (f *face) setPublicLink(v *visit, p typus.Position) error {
	if !f.mails(v) {
		return f.undone(v, positionPath(p)+"/link", f.say(v, "link.noMail"))
	}
	var (
		stored typus.PublicLink
		late   bool
	)
	err := f.Accounts.KeepPublicLink(v.Context(), v.Reader, p.ID, v.actor(), func(l *typus.PublicLink) bool {
		stored = *l
		most, ends := f.publicLinkFields(v.Account, stored)
		if late = overtaken(v, most, ends); late {
			return false
		}
		l.Most, l.EndsAt = number(v, "most", -1), typedEnd(v, stored)
		return true
	})
	switch {
	case typus.Is(err, typus.Conflict):
		return f.undone(v, positionPath(p)+"/link", f.say(v, "link.positionClosed"))
	case err != nil && !typus.Is(err, typus.Invalid):
		return err
	case err == nil && !late && stored.ID == 0:
		return f.done(v, positionPath(p)+"/link", f.say(v, "link.isOn"))
	case err == nil && !late:
		return f.done(v, positionPath(p)+"/link", f.say(v, "link.kept"))
	}
	view, broken := f.publicLinkView(v, p, stored)
	if broken != nil {
		return broken
	}
	if late {
		f.compare(&view.frame, v, view.Most, view.Ends)
		return f.render(v, http.StatusConflict, view)
	}
	view.Seen = v.PostFormValue(seenName)
	fill(v, view.Most, view.Ends)
	f.blame(&view.frame, v, err, view.Most, view.Ends)
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// typedEnd is the end of the day that was typed, zero for none. What is no day is one that no
// link may end on.
func typedEnd(v *visit, stored typus.PublicLink) time.Time {
	typed := v.PostFormValue("ends")
	switch {
	case typed == "":
		return time.Time{}
	case !stored.EndsAt.IsZero() && typed == v.Account.DayOf(stored.EndsAt):
		return stored.EndsAt
	}
	if at := v.Account.EndOfDay(typed); !at.IsZero() {
		return at
	}
	return time.Unix(0, 0)
}

// renewPublicLink gives a position another address.
func (f *face) renewPublicLink(v *visit, p typus.Position) error {
	err := f.Accounts.RenewPublicLink(v.Context(), v.Reader, p.ID, v.actor())
	if typus.Is(err, typus.NotFound) {
		return f.undone(v, positionPath(p)+"/link", f.say(v, "link.isOff"))
	}
	if err != nil {
		return err
	}
	return f.done(v, positionPath(p)+"/link", f.say(v, "link.renewed"))
}

// revokePublicLink ends the link of a position.
func (f *face) revokePublicLink(v *visit, p typus.Position) error {
	if err := f.Accounts.RevokePublicLink(v.Context(), v.Reader, p.ID, v.actor()); err != nil {
		return err
	}
	return f.done(v, positionPath(p)+"/link", f.say(v, "link.isOff"))
}
