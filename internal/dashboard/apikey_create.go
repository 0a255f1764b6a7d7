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
func (keyFormView) Template() string { return "apikey_create" }

func (f *face) keyForm(v *visit) keyFormView {
	view := keyFormView{
		frame: f.settingsFrame(v, sectionKeys),
		Name:  &field{Name: "name", Label: "apikeys.name", Hint: "apikeys.name.hint", Autocomplete: "off"},
	}
	view.Crumbs = []crumb{{Label: "shell.keys", Path: keysPath}}
	return view
}

func (f *face) newKey(v *visit) error {
	return f.render(v, http.StatusOK, f.keyForm(v))
}

// createKey makes a key; the list shows it this once.
func (f *face) createKey(v *visit) error {
	_, secret, err := f.Access.CreateKey(v.Context(), v.Account.ID, v.PostFormValue("name"), v.actor())
	if sent, err := f.sentBefore(v, err, to(keysPath)); sent {
		return err
	}
	if err != nil {
		view := f.keyForm(v)
		fill(v, view.Name)
		if !f.blame(&view.frame, v, err, view.Name) {
			return err
		}
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	return f.reveal(v, keysPath, secret, f.say(v, "apikeys.created"))
}
