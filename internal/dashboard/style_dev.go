//go:build dev

package dashboard

import "net/http"

// devRoutes are the routes of builds with the tag dev.
func (f *face) devRoutes() []route {
	return []route{{method: "GET", pattern: stylePath, least: viewer, handle: f.style}}
}

func (f *face) style(v *visit) error {
	return f.render(v, http.StatusOK, f.styleOf(f.frame(v, ""), v))
}
