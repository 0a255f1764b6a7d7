//go:build !dev

package dashboard

// devRoutes are none: the page that shows the parts is for builds with the tag dev.
func (f *face) devRoutes() []route { return nil }
