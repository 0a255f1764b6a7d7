package dashboard

import (
	"net/http"
	"strings"

	"typus"
)

// keyRevokeView asks whether a key is to be revoked, and for its name.
type keyRevokeView struct {
	frame
	Key  keyRow
	Name *field
}

// Template names the page.
func (keyRevokeView) Template() string { return "apikey-revoke" }

func (f *face) keyRevokeForm(w http.ResponseWriter, r *http.Request, v visitor, key typus.APIKey) (keyRevokeView, error) {
	calls, err := f.Store.CallsByKey(r.Context(), v.Account.ID, f.since())
	if err != nil {
		return keyRevokeView{}, err
	}
	view := keyRevokeView{
		frame: f.settingsFrame(w, r, v, sectionKeys),
		Key:   keyRows([]typus.APIKey{key}, calls, f.now())[0],
		Name:  &field{Name: "name", Label: "apikeys.revoke.name", Autocomplete: "off"},
	}
	view.Crumbs = []crumb{{Label: "shell.keys", Path: keysPath}}
	return view, nil
}

func (f *face) askRevokeKey(w http.ResponseWriter, r *http.Request, v visitor) error {
	key, err := f.keyInPath(r, v)
	if err != nil {
		return err
	}
	view, err := f.keyRevokeForm(w, r, v, key)
	if err != nil {
		return err
	}
	return f.render(w, v, http.StatusOK, view)
}

// revokeKey ends a key once its name is given. Revoking what is revoked says the
// same: it is what was wanted.
func (f *face) revokeKey(w http.ResponseWriter, r *http.Request, v visitor) error {
	key, err := f.keyInPath(r, v)
	if err != nil {
		return err
	}
	if key.RevokedAt.IsZero() && strings.TrimSpace(r.PostFormValue("name")) != key.Name {
		view, err := f.keyRevokeForm(w, r, v, key)
		if err != nil {
			return err
		}
		fill(r, view.Name)
		view.Name.Fault = f.say(v, "apikeys.revoke.other")
		f.sum(&view.frame, v, view.Name)
		return f.render(w, v, http.StatusUnprocessableEntity, view)
	}
	if err := f.Access.RevokeKey(r.Context(), v.Account.ID, key.ID, v.actor(r)); err != nil {
		return err
	}
	return f.done(w, r, v, keysPath, f.say(v, "apikeys.revoked", "Name", key.Name))
}
