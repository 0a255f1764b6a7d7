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

// A form that makes something carries a name (nonce) that is new each time the form is
// shown. If the form is sent twice, by a double click or by reloading the answer, it
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

// newNonce names a form that is to be shown. A form that is shown again because it was
// not accepted keeps its name.
func newNonce(v *visit) string {
	if nonce := nonceOf(v); nonce != "" {
		return nonce
	}
	return rand.Text()
}

// formOf names the form that a request sends, together with its address and what was
// typed, because whoever goes back, changes something and sends it again means another
// thing. Password and code are left out: they only prove who sends the form, and not
// even a hash of them is kept.
func formOf(v *visit) string {
	if nonceOf(v) == "" {
		return ""
	}
	typed := maps.Clone(v.PostForm)
	typed.Del("password")
	typed.Del("code")
	return hashOf(v.URL.Path + "\n" + typed.Encode())
}

// withFile names a form that brings a file, which formOf does not include.
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

// sentBefore leads to the page of what the same form has already made. It reports false
// if err is about something else. It leaves no message, because one with a secret that
// is shown once may already be waiting for that page.
func (f *face) sentBefore(v *visit, err error, path func(id int64) string) (bool, error) {
	id, sent := clerk.SentBefore(err)
	if !sent {
		return false, nil
	}
	return true, f.goOn(v, path(id)+"?"+sentMark)
}

// sentText is the key of the text that the page at a path shows to whoever is led there
// by a form that was sent before.
func (f *face) sentText(v *visit) string {
	if v.URL.Path == f.at(v, keysPath) {
		return "apikeys.sentBefore"
	}
	return "form.sentBefore"
}

// to returns a function that always gives path, for things that have no page of their
// own.
func to(path string) func(int64) string { return func(int64) string { return path } }
