package page

import (
	"net/http"
	"slices"

	"golang.org/x/text/language"
)

// Languages are the languages of all pages. The first one is used where nothing else
// decides.
func Languages() []string { return []string{"de", "en"} }

// Speaks reports whether there are pages in a language.
func Speaks(lang string) bool { return slices.Contains(Languages(), lang) }

const (
	languageParam  = "lang"
	languageCookie = "lang"
)

// Language chooses the language of a page. The order is: what the address asks
// for (?lang=), what the reader once chose and is stored with them, the cookie of
// an earlier choice, what the browser prefers, the account's language, German.
// stored and account may be empty.
func Language(r *http.Request, stored, account string) string {
	if c, err := r.Cookie(languageCookie); err == nil && !Speaks(stored) && Speaks(c.Value) {
		stored = c.Value
	}
	return PersonsLanguage(r, stored, account)
}

// PersonsLanguage is Language on a page that belongs to one person: the cookie says nothing
// there, because it may be somebody else's who has used the same browser.
func PersonsLanguage(r *http.Request, stored, account string) string {
	if asked := r.URL.Query().Get(languageParam); Speaks(asked) {
		return asked
	}
	if Speaks(stored) {
		return stored
	}
	if lang, ok := preferred(r.Header.Get("Accept-Language")); ok {
		return lang
	}
	if Speaks(account) {
		return account
	}
	return Languages()[0]
}

// preferred is the best of our languages for an Accept-Language header, if the
// header names one that is at least close.
func preferred(header string) (string, bool) {
	wanted, _, err := language.ParseAcceptLanguage(header)
	if err != nil || len(wanted) == 0 {
		return "", false
	}
	var tags []language.Tag
	for _, lang := range Languages() {
		tags = append(tags, language.Make(lang))
	}
	_, i, confidence := language.NewMatcher(tags).Match(wanted...)
	return Languages()[i], confidence >= language.High
}

// RememberLanguage keeps a choice on the device for a year, for pages that know
// nothing of the reader. secure is for sites on https.
func RememberLanguage(w http.ResponseWriter, lang string, secure bool) {
	http.SetCookie(w, &http.Cookie{
		Name: languageCookie, Value: lang, Path: "/", MaxAge: 365 * 24 * 60 * 60,
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
	})
}
