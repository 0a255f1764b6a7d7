package testpage

import (
	"net/http"

	"typus"
)

// The fields of the forms of the own result.
const (
	ownSaid   = "stellungnahme"
	ownAsked  = "anliegen"
	ownAskFor = "text"
)

// maxCarried bounds, in bytes, what the forms of a code carry: three times as many are sent at
// most.
const maxCarried = 64 << 10

// written is what the candidate typed into the form of a comment or of a request. The forms of
// a code carry it, so that it is not lost where the code has run out over the writing.
type written struct {
	Comment string
	Kind    typus.RequestKind // of the request
	Request string
}

func writtenIn(r *http.Request) written {
	return written{r.PostFormValue(ownSaid), typus.RequestKind(r.PostFormValue(ownAsked)), r.PostFormValue(ownAskFor)}
}

// Any reports whether anything was typed or chosen.
func (w written) Any() bool { return w != written{} }

// Asks reports whether it is a request.
func (w written) Asks() bool { return w.Kind != "" || w.Request != "" }

// Fields are what a form carries, by name.
func (w written) Fields() map[string]string {
	return map[string]string{ownSaid: w.Comment, ownAsked: string(w.Kind), ownAskFor: w.Request}
}

func (w written) size() int { return len(w.Comment) + len(w.Kind) + len(w.Request) }

// putBack puts it into the form that it was written in. It is not stored yet, and the page
// says so.
func (w written) putBack(view *ownView) {
	if !w.Asks() {
		view.Comment.Text, view.Kept = w.Comment, "entwurf"
		return
	}
	view.Requests.Text, view.Kept = w.Request, "wunsch"
	view.Requests.choose(w.Kind)
}
