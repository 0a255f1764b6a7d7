package dashboard

import (
	"net/http"
)

// keyFormView asks for the name of a new key.
type keyFormView struct {
	frame
	Name *field
}

// Template names the page.
func (keyFormView) Template() string { return "apikey-create" }

func (f *face) keyForm(w http.ResponseWriter, r *http.Request, v visitor) keyFormView {
	view := keyFormView{
		frame: f.settingsFrame(w, r, v, sectionKeys),
		Name:  &field{Name: "name", Label: "apikeys.name", Hint: "apikeys.name.hint", Autocomplete: "off"},
	}
	view.Crumbs = []crumb{{Label: "shell.keys", Path: keysPath}}
	return view
}

func (f *face) newKey(w http.ResponseWriter, r *http.Request, v visitor) error {
	return f.render(w, v, http.StatusOK, f.keyForm(w, r, v))
}

// createKey makes a key; the list shows it this once.
func (f *face) createKey(w http.ResponseWriter, r *http.Request, v visitor) error {
	_, secret, err := f.Access.CreateKey(r.Context(), v.Account.ID, r.PostFormValue("name"), v.actor(r))
	if sent, err := f.sentBefore(w, r, err, to(keysPath)); sent {
		return err
	}
	if err != nil {
		view := f.keyForm(w, r, v)
		fill(r, view.Name)
		if !f.blame(&view.frame, v, err, view.Name) {
			return err
		}
		return f.render(w, v, http.StatusUnprocessableEntity, view)
	}
	return f.reveal(w, r, v, keysPath, secret, f.say(v, "apikeys.created"))
}
