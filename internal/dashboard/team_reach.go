package dashboard

import (
	"net/http"
	"slices"

	"typus"
	"typus/internal/access"
)

// reachForm asks whose candidates somebody reads; nil while there is only the default
// position.
type reachForm struct {
	What      *field // nil for a role that reads all that are not confidential
	Positions *field
	offered   []int64 // ids of the positions that are to be chosen from
}

func (r *reachForm) fields() []*field {
	if r == nil {
		return nil
	}
	if r.What == nil {
		return []*field{r.Positions}
	}
	return []*field{r.What, r.Positions}
}

// What somebody reads.
const (
	reachAll  = "alle"
	reachSome = "gewaehlte"
)

// reachOf shows what is stored of a user. It offers the positions that the visitor reads: of
// others it does not tell, nor changes them.
func (f *face) reachOf(v *visit, all []typus.Position, onlyNamed bool, naming []int64) *reachForm {
	form := &reachForm{
		What: &field{Name: "reichweite", Label: "reach.what", Hint: "reach.whatHint", Options: []option{
			{Value: reachSome, Label: f.say(v, "reach.some"), Hint: f.say(v, "reach.someHint"), Chosen: onlyNamed},
			{Value: reachAll, Label: f.say(v, "reach.all"), Hint: f.say(v, "reach.allHint"), Chosen: !onlyNamed},
		}},
		Positions: &field{Name: "stellen", Label: "reach.positions", Hint: "reach.positionsHint", Many: true},
	}
	for _, p := range all {
		named := p.ID != 0 && slices.Contains(naming, p.ID)
		if p.State == typus.PositionArchived && !named {
			continue
		}
		label := f.positionName(v, p)
		switch {
		case p.Confidential:
			label = f.say(v, "reach.confidential", "Name", label)
		case p.State != typus.PositionOpen:
			label = f.say(v, "reach.closed", "Name", label)
		}
		form.offered = append(form.offered, p.ID)
		form.Positions.Options = append(form.Positions.Options, option{Value: positionParam(p), Label: label, Chosen: named})
	}
	return form
}

// reachOfRole is reachOf a user: nil for an owner, who reads everything, and without a choice
// of what an admin reads beside confidential positions.
func (f *face) reachOfRole(v *visit, all []typus.Position, u typus.User, naming []int64) *reachForm {
	if u.Role == typus.RoleOwner {
		return nil
	}
	form := f.reachOf(v, all, u.OnlyNamed, naming)
	if u.Role == typus.RoleAdmin {
		form.What = nil
	}
	return form
}

// typedReach is what a form says, of the positions that it offers, about a user whom some
// positions name. It reports false, with what is wrong in the form, when none is chosen and
// none names them that the visitor does not see.
func (f *face) typedReach(v *visit, form *reachForm, role typus.UserRole, naming []int64) (access.Reach, bool) {
	reach := access.Reach{OnlyNamed: v.PostFormValue("reichweite") == reachSome, Named: map[int64]bool{}}
	some := slices.ContainsFunc(naming, func(id int64) bool { return !form.shows(id) })
	for _, o := range form.Positions.Options {
		named := slices.Contains(v.PostForm[form.Positions.Name], o.Value)
		some = some || named
		reach.Named[numberOr(o.Value, 0)] = named
	}
	if role == typus.RoleOwner || role == typus.RoleAdmin {
		reach.OnlyNamed = false
	}
	if reach.OnlyNamed && !some {
		form.Positions.Fault = f.say(v, "reach.none")
		return reach, false
	}
	return reach, true
}

// shows reports whether the form offers a position, by its id.
func (r *reachForm) shows(id int64) bool { return slices.Contains(r.offered, id) }

// setReach changes whose candidates a person of the team reads.
func (f *face) setReach(v *visit) error {
	u, err := f.memberOf(v)
	if err != nil {
		return err
	}
	view, err := f.memberView(v, u)
	if err != nil {
		return err
	}
	if view.Reach == nil {
		return typus.Errorf(typus.NotFound, "nothing is to be chosen")
	}
	late, sound := false, true
	err = f.Access.SetReach(v.Context(), v.Account.ID, u.ID, v.actor(), func(u typus.User, naming []int64) (access.Reach, bool) {
		view.Reach = f.reachOfRole(v, view.positions, u, naming)
		if view.Reach == nil {
			return access.Reach{}, false // an owner by now
		}
		view.Shown = seen(view.Reach.fields()...)
		var reach access.Reach
		reach, sound = f.typedReach(v, view.Reach, u.Role, naming)
		if view.Reach.What == nil {
			reach.OnlyNamed = u.OnlyNamed
		}
		late = overtaken(v, view.Reach.fields()...)
		return reach, sound && !late
	})
	fields := view.Reach.fields()
	switch {
	case err != nil:
		return f.memberFailed(v, u, err)
	case late:
		f.compare(&view.frame, v, fields...)
		return f.render(v, http.StatusConflict, view)
	case !sound:
		fill(v, fields...)
		f.sum(&view.frame, v, fields...)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	return f.done(v, memberPath(u.ID), f.say(v, "reach.saved", "Name", u.Called()))
}
