package dashboard

import (
	"net/http"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
)

// setLanguage keeps the language of the user and of the device.
func (f *face) setLanguage(w http.ResponseWriter, r *http.Request, v visitor) error {
	lang := r.PostFormValue("sprache")
	if !page.Speaks(lang) {
		return typus.Errorf(typus.Invalid, "there is no such language")
	}
	v.User.Language = lang
	page.RememberLanguage(w, lang, f.links.Secure())
	return f.prefer(w, r, v)
}

// setTheme keeps whether the user sees light, dark, or what the device says.
func (f *face) setTheme(w http.ResponseWriter, r *http.Request, v visitor) error {
	theme := r.PostFormValue("darstellung")
	if theme != "" && theme != "light" && theme != "dark" {
		return typus.Errorf(typus.Invalid, "there is no such theme")
	}
	v.User.Theme = theme
	return f.prefer(w, r, v)
}

// prefer stores the two and goes back to the page.
func (f *face) prefer(w http.ResponseWriter, r *http.Request, v visitor) error {
	err := f.Store.InTx(r.Context(), func(tx *store.Tx) error {
		return tx.SetPreferences(r.Context(), v.Account.ID, v.User.ID, v.User.Language, v.User.Theme)
	})
	if err != nil {
		return err
	}
	return f.goOn(w, r, ownPath(r.PostFormValue("seite")))
}
