package dashboard

import (
	"net/http"
	"slices"
	"strconv"

	"typus"
	"typus/internal/accounts"
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

func (f *face) positionMembers(v *visit, p typus.Position) error {
	users, err := f.Store.Users(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	named, err := f.Store.MembersOf(v.Context(), v.Account.ID, p.ID)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, f.positionMembersView(v, p, users, named))
}

// chosenMembers are those whom the form names, and those who are named although the form does
// not offer them, as owners: it says nothing of them.
func chosenMembers(v *visit, offered *field, now []int64) []int64 {
	var members []int64
	for _, word := range v.PostForm[offered.Name] {
		members = append(members, numberOr(word, 0))
	}
	for _, id := range now {
		if !offered.offers(strconv.FormatInt(id, 10)) {
			members = append(members, id)
		}
	}
	return members
}

// setPositionMembers stores whom a position names, and whether it is confidential. Whoever
// leaves themselves out of a confidential one may do so once it has been said what follows.
func (f *face) setPositionMembers(v *visit, p typus.Position) error {
	users, err := f.Store.Users(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	typed := accounts.Access{Confidential: v.PostFormValue("confidential") != ""}
	var (
		view            positionMembersView
		late, gone, ask bool
	)
	err = f.Accounts.ChangeAccess(v.Context(), v.Reader, p.ID, v.actor(), func(p typus.Position, now accounts.Access) (accounts.Access, bool) {
		view = f.positionMembersView(v, p, users, now.Members)
		late = overtaken(v, view.Named, view.Confidential)
		typed.Members = chosenMembers(v, view.Named, now.Members)
		gone = p.Confidential && typed.Confidential && v.User.Role != typus.RoleOwner && !slices.Contains(typed.Members, v.User.ID)
		ask = gone && v.PostFormValue("verlassen") == ""
		return typed, !late && !ask
	})
	switch {
	case err != nil:
		return err
	case late:
		f.compare(&view.frame, v, view.Named, view.Confidential)
		return f.render(v, http.StatusConflict, view)
	case ask:
		fill(v, view.Named, view.Confidential)
		view.Leaves, view.Switch.None = true, true
		view.Named.Fault = f.say(v, "position.members.yourself")
		f.sum(&view.frame, v, view.Named)
		return f.render(v, http.StatusUnprocessableEntity, view)
	case gone:
		return f.done(v, positionsPath, f.say(v, "position.members.left"))
	}
	return f.done(v, positionPath(p), f.say(v, "position.members.saved"))
}
