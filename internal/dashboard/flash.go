package dashboard

import (
	"encoding/base64"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// flash is a message that an action leaves for the next page. A good one is shown once.
// A bad one is shown until somebody dismisses it or a newer message takes its place.
type flash struct {
	Kind   string // "good" or "bad"
	Text   string
	Lang   string // of the text
	User   int64  // whose bad flash it is: it may outlive a session, and nobody else sees it
	Secret string // shown this once and kept nowhere, such as a new key
	At     string // the page that shows the secret; no other takes the flash
	Reader int64  // the user who may see the secret: nobody else who has the cookie
	Until  int64  // and until when, in unix seconds: a copy of the cookie shows nothing later
	World  bool   // it is about the account's test world, and waits for a page of that
	Shown  bool   // a bad one that stays was read before: it takes no focus from the next pages
}

const (
	flashCookie = "typus-flash"
	flashLife   = 300 // seconds until a good flash that nobody took is dropped
	flashStays  = 0   // a bad one is kept until the browser is closed
)

// goOn redirects to a page, or to the list of candidates if path is "".
func (f *face) goOn(v *visit, path string) error {
	if path == "" {
		path = homePath
	}
	http.Redirect(v.w, v.Request, f.at(v, path), http.StatusSeeOther)
	return nil
}

// done redirects to a page, which says what was done.
func (f *face) done(v *visit, path, said string) error {
	return f.leave(v, path, flash{Kind: "good", Text: said})
}

// undone is like done, for an action that did not work, or did not work for all.
func (f *face) undone(v *visit, path, said string) error {
	return f.leave(v, path, flash{Kind: "bad", Text: said})
}

// reveal is like done, with a secret that the page shows this once, even if other pages
// are opened in between. The secret travels in a sealed cookie and is stored nowhere.
func (f *face) reveal(v *visit, path, secret, said string) error {
	return f.leave(v, path, flash{Kind: "good", Text: said, Secret: secret, At: f.at(v, path)})
}

func (f *face) leave(v *visit, path string, left flash) error {
	life := flashLife
	left.Lang, left.World = v.lang, v.Account.IsWorld()
	if left.Kind == "bad" {
		left.User, life = v.User.ID, flashStays
	}
	if left.Secret != "" {
		left.Reader, left.Until = v.User.ID, f.now().Unix()+flashLife
	}
	if err := f.sealFlash(v, left, life); err != nil {
		return err
	}
	return f.goOn(v, path)
}

func (f *face) sealFlash(v *visit, left flash, life int) error {
	body, err := json.Marshal(left)
	if err != nil {
		return err
	}
	f.setCookie(v, flashCookie, base64.RawURLEncoding.EncodeToString(f.Box.Seal(body, flashCookie)), life)
	return nil
}

// Refuses reports whether the message says, for the first time, that something did not
// work.
func (l flash) Refuses() bool { return l.Kind == "bad" && !l.Shown }

// reveals reports whether the visitor may see the secret.
func (l flash) reveals(v *visit, now time.Time) bool {
	return v.known() && l.Reader == v.User.ID && now.Unix() < l.Until
}

// Foreign reports whether the text is in another language than the page.
func (l flash) Foreign(lang string) bool { return l.Lang != "" && l.Lang != lang }

// takeFlash takes the message that was left for this visitor. A cookie that we did not
// seal is ignored. A form that is shown again takes no message, which then waits for
// the next page.
func (f *face) takeFlash(v *visit) flash {
	var left flash
	if v.Method != http.MethodGet {
		return left
	}
	cookie, err := v.Cookie(f.cookieName(flashCookie))
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
	if err == nil && (left.At != "" && left.At != v.URL.Path || left.User != 0 && !v.known() || left.World != v.Account.IsWorld()) {
		return flash{}
	}
	if err == nil && left.User != 0 && left.User == v.User.ID {
		if seen := left; !left.Shown {
			seen.Shown = true
			_ = f.sealFlash(v, seen, flashStays) // at worst it takes the focus once more
		}
		return left
	}
	f.setCookie(v, flashCookie, "", -1)
	if err != nil || left.User != 0 || left.Secret != "" && !left.reveals(v, f.now()) {
		return flash{}
	}
	return left
}

// dismiss removes the message that stays until it is dismissed.
func (f *face) dismiss(v *visit) error {
	f.setCookie(v, flashCookie, "", -1)
	return f.goOn(v, ownPath(v.PostFormValue("seite")))
}
