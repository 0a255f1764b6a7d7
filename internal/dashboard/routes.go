package dashboard

import (
	"typus"
)

// Who may use a route: anybody, or a user with at least this role.
const (
	anyone = typus.UserRole("")
	viewer = typus.RoleViewer
	member = typus.RoleMember
	admin  = typus.RoleAdmin
	owner  = typus.RoleOwner
)

// route is one line of the column.
type route struct {
	method, pattern string
	least           typus.UserRole
	handle          handler
	max             int64 // bytes of the body, 0 for the usual bound of a form
}

// routes are all addresses of the dashboard and of the way into it. What is
// opened with GET changes nothing; whatever changes something is a POST and
// answers with a redirect. The third word says who may.
func (f *face) routes() []route {
	return []route{
		{method: "GET", pattern: "/", least: anyone, handle: f.root},

		{method: "GET", pattern: "/dashboard/einstellungen", least: viewer, handle: f.settings},
		{method: "POST", pattern: "/dashboard/sprache", least: viewer, handle: f.setLanguage},
		{method: "POST", pattern: "/dashboard/darstellung", least: viewer, handle: f.setTheme},
	}
}
