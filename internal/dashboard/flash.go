package dashboard

import (
	"encoding/base64"
	"net/http"

	"github.com/go-json-experiment/json"
)

// flash is what an action leaves for the next page to say, once.
type flash struct {
	Kind   string // "good" or "bad"
	Text   string
	Secret string // shown this once and kept nowhere, such as a new key
	At     string // the page that shows the secret; no other takes the flash
}

const (
	flashCookie = "typus-flash"
	flashLife   = 300 // seconds until a flash that nobody took is dropped
)

// flash leaves a text, given by its key, to the next page.
func (f *face) flash(w http.ResponseWriter, v visitor, key string, pairs ...any) error {
	return f.leave(w, v, flash{Kind: "good"}, key, pairs...)
}

// flashBad is flash for what did not work, or not wholly.
func (f *face) flashBad(w http.ResponseWriter, v visitor, key string, pairs ...any) error {
	return f.leave(w, v, flash{Kind: "bad"}, key, pairs...)
}

// flashSecret is flash with a secret that the page at a path shows this once,
// whatever other pages are opened meanwhile. It travels in a sealed cookie and is
// stored nowhere.
func (f *face) flashSecret(w http.ResponseWriter, v visitor, at, secret, key string, pairs ...any) error {
	return f.leave(w, v, flash{Kind: "good", Secret: secret, At: at}, key, pairs...)
}

func (f *face) leave(w http.ResponseWriter, v visitor, left flash, key string, pairs ...any) error {
	var err error
	if left.Text, err = f.pages.Text(v.lang, key, pairs...); err != nil {
		return err
	}
	return f.leaveText(w, left)
}

// leaveText leaves a text that is said already, such as one that counts.
func (f *face) leaveText(w http.ResponseWriter, left flash) error {
	body, err := json.Marshal(left)
	if err != nil {
		return err
	}
	f.setCookie(w, flashCookie, base64.RawURLEncoding.EncodeToString(f.Box.Seal(body, flashCookie)), flashLife)
	return nil
}

// takeFlash takes what was left. A cookie that we did not seal says nothing.
func (f *face) takeFlash(w http.ResponseWriter, r *http.Request) flash {
	var left flash
	cookie, err := r.Cookie(f.cookieName(flashCookie))
	if err != nil {
		return left
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err == nil {
		sealed, err = f.Box.Open(sealed, flashCookie)
	}
	if err == nil {
		err = json.Unmarshal(sealed, &left)
	}
	if err == nil && left.At != "" && left.At != r.URL.Path {
		return flash{}
	}
	f.setCookie(w, flashCookie, "", -1)
	if err != nil {
		return flash{}
	}
	return left
}
