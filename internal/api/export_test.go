package api

import "typus/internal/web"

// Routes are the routes that a key opens, for tests of every one of them.
func Routes() []web.Route { return (&api{}).routes() }

// WorldRoutes are those that a key of a test world opens beside them.
func WorldRoutes() []web.Route { return (&api{}).testRoutes() }
