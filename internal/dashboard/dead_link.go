package dashboard

import (
	"net/http"

	"typus"
)

// deadLinkView says that a one-time link is of no use.
type deadLinkView struct {
	frame
	Mail bool
}

// Template names the page.
func (deadLinkView) Template() string { return "dead" }

func (f *face) deadLink(w http.ResponseWriter, r *http.Request, v visitor) error {
	view := deadLinkView{frame: f.frame(w, r, v, ""), Mail: f.Mail}
	view.Switch.None = r.Method != http.MethodGet
	view.Me = nil
	return f.render(w, v, http.StatusNotFound, view)
}

// orDeadLink shows the page of useless links for an error that says so.
func (f *face) orDeadLink(w http.ResponseWriter, r *http.Request, v visitor, err error) error {
	if typus.Is(err, typus.NotFound) {
		return f.deadLink(w, r, v)
	}
	return err
}
