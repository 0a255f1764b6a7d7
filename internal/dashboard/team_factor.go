package dashboard

import (
	"net/http"

	"typus"
)

// resetFactorView asks an owner whether somebody's second factor is to go, and for
// the owner's password: a session that was left open must not weaken others' logins.
type resetFactorView struct {
	frame
	Member   memberRow
	Password *field // nil: it was given a moment ago
	Back     string
}

// Template names the page.
func (resetFactorView) Template() string { return "resetfactor" }

func (f *face) resetFactorView(w http.ResponseWriter, r *http.Request, v visitor, u typus.User) resetFactorView {
	view := resetFactorView{
		frame: f.settingsFrame(w, r, v, sectionTeam), Member: newMemberRow(v, u, 0), Back: memberPath(u.ID),
	}
	view.Member.Name = u.Called()
	view.Crumbs = []crumb{{Label: "shell.team", Path: teamPath}, {Name: u.Called(), Path: view.Back}}
	if !v.confirmed(f.now(), secretShownFor) {
		password := presentPassword()
		view.Password = &password
	}
	return view
}

// mayReset reports whether the visitor may take the second factor from a user: an
// owner from everybody else who has one.
func (v visitor) mayReset(u typus.User) bool { return v.may(owner) && u.ID != v.User.ID && u.HasTOTP }

func (f *face) askResetFactor(w http.ResponseWriter, r *http.Request, v visitor) error {
	u, err := f.memberOf(r, v)
	if err != nil {
		return err
	}
	if !v.mayReset(u) {
		return f.goOn(w, r, memberPath(u.ID))
	}
	return f.render(w, v, http.StatusOK, f.resetFactorView(w, r, v, u))
}

func (f *face) resetFactor(w http.ResponseWriter, r *http.Request, v visitor) error {
	u, err := f.memberOf(r, v)
	if err != nil {
		return err
	}
	if !v.confirmed(f.now(), secretShownFor) {
		if err := f.Access.Confirm(r.Context(), v.Session, r.PostFormValue("password")); err != nil {
			view := f.resetFactorView(w, r, v, u)
			status, said, err := f.refusal(w, v, err, "profile.wrongPassword")
			if err != nil {
				return err
			}
			view.Password.Fault = said
			f.sum(&view.frame, v, view.Password)
			return f.render(w, v, status, view)
		}
	}
	err = f.Access.ResetSecondFactor(r.Context(), v.Account.ID, u.ID, v.actor(r))
	if typus.Is(err, typus.Conflict) { // a second click
		return f.goOn(w, r, memberPath(u.ID))
	}
	if err != nil {
		return f.memberFailed(w, r, v, u, err)
	}
	return f.done(w, r, v, memberPath(u.ID), f.say(v, "team.resetDone", "Name", u.Called()))
}
