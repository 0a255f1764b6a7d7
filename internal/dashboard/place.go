package dashboard

import (
	"net/http"
	"slices"

	"typus"
)

// inviting calls h with the positions to which the visitor may invite: the open ones whose
// candidates they read. Where there is none, it says so.
func (f *face) inviting(h func(v *visit, places []typus.Position) error) handler {
	return func(v *visit) error {
		places, err := f.Store.Positions(v.Context(), v.Reader, typus.PositionOpen)
		if err != nil {
			return err
		}
		if len(places) == 0 {
			fr := f.frame(v, areaInvite)
			fr.Switch.None = v.Method != http.MethodGet
			return f.render(v, http.StatusForbidden, plainView{frame: fr, Heading: "place.none.heading", Advice: "place.none.advice"})
		}
		return h(v, places)
	}
}

// placeField asks for which position somebody is invited; nil while nobody is asked, since
// there is only the default one.
func (f *face) placeField(v *visit, places []typus.Position) *field {
	if gone(v, places) {
		return f.otherPlace(v, places)
	}
	if len(places) == 0 || len(places) == 1 && places[0].Standard {
		return nil
	}
	fd := &field{Name: paramPosition, Label: "place.label", Hint: "place.hint"}
	chosen := positionParam(chosenPlace(v, places))
	for _, p := range places {
		word := positionParam(p)
		fd.Options = append(fd.Options, option{Value: word, Label: f.positionName(v, p), Chosen: word == chosen})
	}
	return fd
}

// chosenPlace is the position that the address or the form names, or else the first one.
func chosenPlace(v *visit, places []typus.Position) typus.Position {
	if v.Request != nil {
		name := v.FormValue(paramPosition)
		if i := slices.IndexFunc(places, func(p typus.Position) bool { return positionParam(p) == name }); i >= 0 {
			return places[i]
		}
	}
	if len(places) == 0 {
		return typus.Position{Reminders: typus.RemindersOfAccount}
	}
	return places[0]
}

// gone reports whether the address or the form names a position that is not one of those to
// which the visitor may invite.
func gone(v *visit, places []typus.Position) bool {
	if v.Request == nil {
		return false
	}
	name := v.FormValue(paramPosition)
	return name != "" && !slices.ContainsFunc(places, func(p typus.Position) bool { return positionParam(p) == name })
}

// typedPlace is the position that a form names, 0 for the default one.
func typedPlace(v *visit) int64 { return numberOr(v.PostFormValue(paramPosition), 0) }

// offered reports whether the position that a form names is still one to which the visitor
// may invite. A form that does not ask for one means the default one.
func offered(v *visit, places []typus.Position) bool {
	name, asked := v.PostFormValue(paramPosition), v.PostForm.Has(paramPosition)
	return slices.ContainsFunc(places, func(p typus.Position) bool {
		return positionParam(p) == name || !asked && p.Standard
	})
}

// otherPlace asks for another position than the one that was closed while the form was open,
// or is out of the visitor's reach by now. None is chosen: the first would be taken unread.
func (f *face) otherPlace(v *visit, places []typus.Position) *field {
	fd := &field{Name: paramPosition, Label: "place.label", Hint: "place.hint", Fault: f.say(v, "place.gone"), Options: []option{{Label: f.say(v, "place.choose"), Chosen: true}}}
	for _, p := range places {
		if word := positionParam(p); word != v.FormValue(paramPosition) {
			fd.Options = append(fd.Options, option{Value: word, Label: f.positionName(v, p)})
		}
	}
	return fd
}

// placeGone shows the form of an invitation again, asking for another position.
func (f *face) placeGone(v *visit, places []typus.Position) error {
	view := f.inviteView(v, places)
	view.Switch.None = true
	fill(v, view.Form.fields()...)
	view.Form.Place = f.otherPlace(v, places)
	f.sum(&view.frame, v, view.Form.fields()...)
	return f.render(v, http.StatusConflict, view)
}

// roleByPlace leaves the role profile to the position, once one is asked for.
func (f *face) roleByPlace(v *visit, role, place *field) {
	if place == nil {
		return
	}
	for i := range role.Options {
		role.Options[i].Chosen = false
	}
	role.Options = append([]option{{Label: f.say(v, "place.role"), Chosen: true}}, role.Options...)
}
