//go:build dev

package dashboard

// devRoutes are the routes of builds with the tag dev.
func (f *face) devRoutes() []route {
	return []route{{method: "GET", pattern: "/dashboard/_stil", least: viewer, handle: f.style}}
}
