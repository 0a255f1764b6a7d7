package dashboard

import (
	"net/http"
	"slices"
	"strconv"

	"typus"
)

// positionMembersView says who reads the candidates of a position.
type positionMembersView struct {
	frame
	Name, Path          string
	Named, Confidential *field
	Leaves              bool // the visitor would no longer see the position, and may send the form again all the same
}

// Template names the page.
func (positionMembersView) Template() string { return "position_members" }

func (f *face) positionMembersView(v *visit, p typus.Position, users []typus.User, named []int64) positionMembersView {
	view := positionMembersView{
		frame: f.positionFrame(v, p), Name: f.positionName(v, p), Path: positionPath(p),
		Named:        &field{Name: "mitglied", Label: "position.members.who", Many: true},
		Confidential: &field{Name: "confidential", Label: "position.confidential", Hint: "position.confidentialHint", Type: "checkbox", Checked: p.Confidential},
	}
	for _, u := range users {
		if u.Role == typus.RoleOwner {
			continue // sees every position
		}
		hint := "position.members.everything"
		if u.OnlyNamed && u.Role != typus.RoleAdmin {
			hint = "position.members.named"
		}
		view.Named.Options = append(view.Named.Options, option{
			Value: strconv.FormatInt(u.ID, 10), Label: u.Called(), Chosen: slices.Contains(named, u.ID),
			Hint: f.say(v, hint, "Role", f.say(v, roleNames[u.Role])),
		})
	}
	view.Seen = seen(view.Named, view.Confidential)
	return view
}

// membersOf reads the team and whom the position names.
func (f *face) membersView(v *visit, p typus.Position) (positionMembersView, error) {
	users, err := f.Store.Users(v.Context(), v.Account.ID)
	if err != nil {
		return positionMembersView{}, err
	}
	named, err := f.Store.MembersOf(v.Context(), v.Account.ID, p.ID)
	return f.positionMembersView(v, p, users, named), err
}

func (f *face) positionMembers(v *visit, p typus.Position) error {
	view, err := f.membersView(v, p)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// setPositionMembers stores whom a position names, and whether it is confidential. Whoever
// leaves themselves out of a confidential one may do so once it has been said what follows.
func (f *face) setPositionMembers(v *visit, p typus.Position) error {
	view, err := f.membersView(v, p)
	if err != nil {
		return err
	}
	var named []int64
	for _, word := range v.PostForm[view.Named.Name] {
		named = append(named, numberOr(word, 0))
	}
	confidential := v.PostFormValue(view.Confidential.Name) != ""
	gone := p.Confidential && confidential && v.User.Role != typus.RoleOwner && !slices.Contains(named, v.User.ID)
	switch {
	case overtaken(v, view.Named, view.Confidential):
		f.compare(&view.frame, v, view.Named, view.Confidential)
		return f.render(v, http.StatusConflict, view)
	case gone && v.PostFormValue("verlassen") == "":
		fill(v, view.Named, view.Confidential)
		view.Leaves, view.Switch.None = true, true
		view.Named.Fault = f.say(v, "position.members.yourself")
		f.sum(&view.frame, v, view.Named)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	if err := f.nameMembers(v, p, named, confidential); err != nil {
		return err
	}
	if gone {
		return f.done(v, positionsPath, f.say(v, "position.members.left"))
	}
	return f.done(v, positionPath(p), f.say(v, "position.members.saved"))
}

// nameMembers stores both in the order in which the visitor sees the position all the while:
// whoever makes it confidential is named with that.
func (f *face) nameMembers(v *visit, p typus.Position, named []int64, confidential bool) error {
	if p.Confidential && !confidential {
		if err := f.Accounts.SetConfidential(v.Context(), v.Reader, p.ID, false, v.actor()); err != nil {
			return err
		}
	}
	err := f.Accounts.NameMembers(v.Context(), v.Reader, p.ID, v.actor(), func([]int64) ([]int64, bool) { return named, true })
	if err != nil || p.Confidential || !confidential {
		return err
	}
	return f.Accounts.SetConfidential(v.Context(), v.Reader, p.ID, true, v.actor())
}
