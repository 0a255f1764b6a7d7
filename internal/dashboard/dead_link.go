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
func (deadLinkView) Template() string { return "dead_link" }

func (f *face) deadLink(v *visit) error {
	view := deadLinkView{frame: f.frame(v, ""), Mail: f.Mail}
	view.Switch.None = v.Method != http.MethodGet
	view.Me = nil
	return f.render(v, http.StatusNotFound, view)
}

// orDeadLink shows the page of useless links if err says that the link is of no use,
// and returns any other error.
func (f *face) orDeadLink(v *visit, err error) error {
	if typus.Is(err, typus.NotFound) {
		return f.deadLink(v)
	}
	return err
}
