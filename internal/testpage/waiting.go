package testpage

import (
	"net/http"
	"time"

	"typus"
)

// waitingView is the page of a test that cannot be begun at the moment, because whoever runs
// the server has suspended the account, which is nobody's business here.
type waitingView struct {
	frame
	Expires time.Time
}

// Template names the page.
func (waitingView) Template() string { return "waiting" }

func (f *face) waiting(w http.ResponseWriter, r *http.Request, v visit) error {
	view := waitingView{frame: v.frame(), Expires: v.Candidate.ExpiresAt}
	view.Leave, view.Switch.None = v.Stand != typus.StandDeclined, r.Method == http.MethodPost
	return f.pages.Render(w, http.StatusForbidden, v.lang, view)
}

// orWaiting calls h, and says that the test cannot be begun where that comes of it.
func (f *face) orWaiting(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, v visit) error {
		err := h(w, r, v)
		if typus.Is(err, typus.Suspended) {
			return f.waiting(w, r, v)
		}
		return err
	}
}
