package dashboard

import (
	"net/http"

	"typus"
)

// keyRevokeView asks whether a key is to be revoked, and for its name.
type keyRevokeView struct {
	frame
	Key  keyRow
	Name *field
}

// Template names the page.
func (keyRevokeView) Template() string { return "apikey_revoke" }

func (f *face) keyRevokeForm(v *visit, key typus.APIKey) (keyRevokeView, error) {
	calls, err := f.Store.CallsByKey(v.Context(), v.Account.ID, f.since())
	if err != nil {
		return keyRevokeView{}, err
	}
	rows := keyRows([]typus.APIKey{key}, calls, f.now())
	if err := f.tellKeys(v, rows); err != nil {
		return keyRevokeView{}, err
	}
	view := keyRevokeView{
		frame: f.settingsFrame(v, sectionKeys),
		Key:   rows[0],
		Name:  &field{Name: "name", Label: "apikeys.revoke.name", Autocomplete: "off"},
	}
	view.Crumbs = []crumb{{Label: "shell.keys", Path: keysPath}}
	return view, nil
}

func (f *face) askRevokeKey(v *visit) error {
	key, err := f.keyInPath(v)
	if err != nil {
		return err
	}
	view, err := f.keyRevokeForm(v, key)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// revokeKey revokes a key once its name is given. Revoking a revoked key gives the same
// answer, because the key is in the state that was wanted.
func (f *face) revokeKey(v *visit) error {
	key, err := f.keyInPath(v)
	if err != nil {
		return err
	}
	if key.RevokedAt.IsZero() && typus.TypedName(v.PostFormValue("name")) != typus.TypedName(key.Name) {
		view, err := f.keyRevokeForm(v, key)
		if err != nil {
			return err
		}
		fill(v, view.Name)
		view.Name.Fault = f.say(v, "apikeys.revoke.other")
		f.sum(&view.frame, v, view.Name)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	if err := f.Access.RevokeKey(v.Context(), v.Account.ID, key.ID, v.actor()); err != nil {
		return err
	}
	return f.done(v, keysPath, f.say(v, "apikeys.revoked", "Name", key.Name))
}
