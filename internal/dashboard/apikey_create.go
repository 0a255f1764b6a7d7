package dashboard

import (
	"net/http"

	"typus"
	"typus/internal/access"
)

// keyFormView asks for the name of a new key, and for what it may do.
type keyFormView struct {
	frame
	Name, Scope *field
	Position    *field // nil while there is only the default one
}

// Template names the page.
func (keyFormView) Template() string { return "apikey_create" }

func (view *keyFormView) fields() []*field {
	if view.Position == nil {
		return []*field{view.Name, view.Scope}
	}
	return []*field{view.Name, view.Scope, view.Position}
}

func (f *face) keyForm(v *visit, positions []typus.Position) keyFormView {
	view := keyFormView{
		frame:    f.settingsFrame(v, sectionKeys),
		Name:     &field{Name: "name", Label: "apikeys.name", Hint: "apikeys.name.hint", Autocomplete: "off"},
		Scope:    f.scopeField(v),
		Position: f.keyPositionField(v, positions),
	}
	view.Crumbs = []crumb{{Label: "shell.keys", Path: keysPath}}
	return view
}

// scopeField asks what a new key may do; everything unless something else is chosen.
func (f *face) scopeField(v *visit) *field {
	fd := &field{Name: "scope", Label: "apikeys.scope"}
	for _, s := range typus.KeyScopes() {
		words := scopeWords[s]
		fd.Options = append(fd.Options, option{Value: string(s), Label: f.say(v, words.label), Hint: f.say(v, words.hint), Chosen: s == typus.ScopeAll})
	}
	return fd
}

// scopeWords say what a key may do: on its form, and in the list.
var scopeWords = map[typus.KeyScope]struct{ label, hint string }{
	typus.ScopeAll:           {"apikeys.scope.all", "apikeys.scope.all.hint"},
	typus.ScopeInvite:        {"apikeys.scope.invite", "apikeys.scope.invite.hint"},
	typus.ScopeWithoutScores: {"apikeys.scope.withoutScores", "apikeys.scope.withoutScores.hint"},
}

// keyPositionField asks of which position a new key is, of all unless one is chosen; nil
// while there is only the default one.
func (f *face) keyPositionField(v *visit, positions []typus.Position) *field {
	if len(positions) == 1 && positions[0].Standard {
		return nil
	}
	fd := &field{Name: "position", Label: "apikeys.position", Hint: "apikeys.position.hint", Options: []option{{Label: f.say(v, "apikeys.position.all"), Chosen: true}}}
	for _, p := range positions {
		label := f.positionName(v, p)
		if p.State == typus.PositionClosed {
			label = f.say(v, "reach.closed", "Name", label)
		}
		fd.Options = append(fd.Options, option{Value: positionParam(p), Label: label})
	}
	return fd
}

// keyPositions are those that a key is made for. Nobody needs one of an archived position.
func (f *face) keyPositions(v *visit) ([]typus.Position, error) {
	return f.Store.Positions(v.Context(), v.Reader, typus.PositionOpen, typus.PositionClosed)
}

func (f *face) newKey(v *visit) error {
	positions, err := f.keyPositions(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, f.keyForm(v, positions))
}

// createKey makes a key; the list shows it this once.
func (f *face) createKey(v *visit) error {
	_, secret, err := f.Access.CreateLimitedKey(v.Context(), v.Account.ID, v.PostFormValue("name"), typedLimit(v), v.actor())
	if sent, err := f.sentBefore(v, err, to(keysPath)); sent {
		return err
	}
	if err != nil {
		return f.createKeyAgain(v, err)
	}
	return f.reveal(v, keysPath, secret, f.say(v, "apikeys.created"))
}

// createKeyAgain shows the form with what was typed and what is wrong.
func (f *face) createKeyAgain(v *visit, err error) error {
	positions, failed := f.keyPositions(v)
	if failed != nil {
		return failed
	}
	view := f.keyForm(v, positions)
	fill(v, view.fields()...)
	if !f.blame(&view.frame, v, err, view.fields()...) {
		return err
	}
	if fd := view.Position; fd != nil && fd.Fault != "" { // else a browser would choose all, unread
		fd.Options = append([]option{{Value: "?", Label: f.say(v, "place.choose"), Chosen: true}}, fd.Options...)
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// typedLimit is what the form says that the key may do.
func typedLimit(v *visit) access.KeyLimit {
	limit := access.KeyLimit{Scope: typus.KeyScope(v.PostFormValue("scope"))}
	switch name := v.PostFormValue("position"); name {
	case "":
	case standardWord:
		limit.OnePosition = true
	default:
		limit.OnePosition, limit.PositionID = true, max(numberOr(name, -1), -1)
		if limit.PositionID == 0 {
			limit.PositionID = -1 // no position goes by that in a form
		}
	}
	return limit
}
