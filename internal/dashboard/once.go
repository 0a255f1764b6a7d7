package dashboard

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"

	"typus/internal/clerk"
)

// A form that makes something carries a name of its own, new for each time that it
// is shown. Sent twice, as by a double click or by loading the answer again, it
// makes one thing.
const (
	formName = "formular" // the field that holds the name
	sentMark = "wieder"   // in an address: the form that leads there was sent before
)

// nonceOf is the name of the form that a request sends, "" for none.
func nonceOf(v *visit) string {
	if v.Method != http.MethodPost {
		return ""
	}
	if nonce := v.PostFormValue(formName); len(nonce) >= 16 && len(nonce) <= 64 {
		return nonce
	}
	return ""
}

// newNonce names a form that is shown: one that is shown again, because it was not
// accepted, keeps its name.
func newNonce(v *visit) string {
	if nonce := nonceOf(v); nonce != "" {
		return nonce
	}
	return rand.Text()
}

// formOf names the form that a request sends together with where it goes and what
// was typed: whoever goes back, changes something and sends it again means another
// thing. Password and code only prove who sends it, and not even a hash of them is
// kept.
func formOf(v *visit) string {
	if nonceOf(v) == "" {
		return ""
	}
	typed := maps.Clone(v.PostForm)
	typed.Del("password")
	typed.Del("code")
	return hashOf(v.URL.Path + "\n" + typed.Encode())
}

// withFile names a form that brings a file, which formOf knows nothing of.
func withFile(form, name string, body []byte) string {
	if form == "" {
		return ""
	}
	return hashOf(fmt.Sprintf("%s\n%s\n%s", form, name, body))
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// sentBefore leads to the page of what the same form has made already; false when
// err is about something else. Nothing is left for that page to say: it may wait
// for it already, and with it a secret that is shown once.
func (f *face) sentBefore(v *visit, err error, path func(id int64) string) (bool, error) {
	id, sent := clerk.SentBefore(err)
	if !sent {
		return false, nil
	}
	return true, f.goOn(v, path(id)+"?"+sentMark)
}

// sentText is what the page at a path says, by its key, to whoever is led there by
// a form that was sent before.
func sentText(path string) string {
	if path == keysPath {
		return "apikeys.sentBefore"
	}
	return "form.sentBefore"
}

// to is the path of what a form has made where that has no page of its own.
func to(path string) func(int64) string { return func(int64) string { return path } }
