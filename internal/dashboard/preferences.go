package dashboard

import (
	"typus"
	"typus/internal/page"
	"typus/internal/store"
)

// setLanguage keeps the language of the user and of the device.
func (f *face) setLanguage(v *visit) error {
	lang := v.PostFormValue("sprache")
	if !page.Speaks(lang) {
		return typus.Errorf(typus.Invalid, "there is no such language")
	}
	v.User.Language = lang
	page.RememberLanguage(v.w, lang, f.links.Secure())
	return f.prefer(v)
}

// setTheme keeps whether the user sees light, dark, or what the device says.
func (f *face) setTheme(v *visit) error {
	theme := v.PostFormValue("darstellung")
	if theme != "" && theme != "light" && theme != "dark" {
		return typus.Errorf(typus.Invalid, "there is no such theme")
	}
	v.User.Theme = theme
	return f.prefer(v)
}

// prefer stores language and theme and goes back to the page.
func (f *face) prefer(v *visit) error {
	err := f.Store.InTx(v.Context(), func(tx *store.Tx) error {
		return tx.SetPreferences(v.Context(), v.Account.ID, v.User.ID, v.User.Language, v.User.Theme)
	})
	if err != nil {
		return err
	}
	return f.goOn(v, ownPath(v.PostFormValue("seite")))
}
