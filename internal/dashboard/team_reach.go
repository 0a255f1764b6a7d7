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
		form.Positions.Options = append(form.Positions.Options, option{Value: positionParam(p), Label: label, Chosen: named})
	}
	return form
}

// typedReach is what a form says, of the positions that it offers. It reports false, with
// what is wrong in the form, when nothing is chosen of what is to be chosen from.
func (f *face) typedReach(v *visit, form *reachForm, role typus.UserRole) (access.Reach, bool) {
	reach := access.Reach{OnlyNamed: v.PostFormValue("reichweite") == reachSome, Named: map[int64]bool{}}
	some := false
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
	fields := view.Reach.fields()
	if view.Member.Editable && overtaken(v, fields...) {
		f.compare(&view.frame, v, fields...)
		return f.render(v, http.StatusConflict, view)
	}
	reach, sound := f.typedReach(v, view.Reach, u.Role)
	if view.Reach.What == nil {
		reach.OnlyNamed = u.OnlyNamed
	}
	if !sound {
		fill(v, fields...)
		f.sum(&view.frame, v, fields...)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	if err := f.Access.SetReach(v.Context(), v.Account.ID, u.ID, reach, v.actor()); err != nil {
		return f.memberFailed(v, u, err)
	}
	return f.done(v, memberPath(u.ID), f.say(v, "reach.saved", "Name", u.Called()))
}
