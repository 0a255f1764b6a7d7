package dashboard

import (
	"net/http"

	"typus"
)

// resetFactorView asks an owner whether a user's second factor is to be removed, and
// for the owner's password, so that a session that was left open cannot weaken other
// people's logins.
type resetFactorView struct {
	frame
	Member   memberRow
	Password *field // nil: it was given a moment ago
	Back     string
}

// Template names the page.
func (resetFactorView) Template() string { return "reset_factor" }

func (f *face) resetFactorView(v *visit, u typus.User) resetFactorView {
	view := resetFactorView{
		frame: f.settingsFrame(v, sectionTeam), Member: newMemberRow(v, u, 0), Back: memberPath(u.ID),
	}
	view.Member.Name = u.Called()
	view.Crumbs = []crumb{{Label: "shell.team", Path: teamPath}, {Name: u.Called(), Path: view.Back}}
	if !v.confirmed(f.now(), secretShownFor) {
		password := presentPassword()
		view.Password = &password
	}
	return view
}

// mayReset reports whether the visitor may remove a user's second factor. An owner may
// do so for everybody else who has one.
func (v visitor) mayReset(u typus.User) bool { return v.may(owner) && u.ID != v.User.ID && u.HasTOTP }

func (f *face) askResetFactor(v *visit) error {
	u, err := f.memberOf(v)
	if err != nil {
		return err
	}
	if !v.mayReset(u) {
		return f.goOn(v, memberPath(u.ID))
	}
	return f.render(v, http.StatusOK, f.resetFactorView(v, u))
}

func (f *face) resetFactor(v *visit) error {
	u, err := f.memberOf(v)
	if err != nil {
		return err
	}
	if !v.confirmed(f.now(), secretShownFor) {
		if err := f.Access.Confirm(v.Context(), v.Session, v.PostFormValue("password")); err != nil {
			view := f.resetFactorView(v, u)
			status, err := f.refusalAt(&view.frame, v, err, "profile.wrongPassword", view.Password)
			if err != nil {
				return err
			}
			return f.render(v, status, view)
		}
	}
	err = f.Access.ResetSecondFactor(v.Context(), v.Account.ID, u.ID, v.actor())
	if typus.Is(err, typus.Conflict) { // a second click
		return f.goOn(v, memberPath(u.ID))
	}
	if err != nil {
		return f.memberFailed(v, u, err)
	}
	return f.done(v, memberPath(u.ID), f.say(v, "team.resetDone", "Name", u.Called()))
}
