package db

import (
	"context"
	"strings"

	"typus"
)

// checkOwn returns Invalid if another program keeps its tables in the schema. Ours
// would stand among them, or fail on a name that is taken.
func checkOwn(ctx context.Context, a *Access) error {
	place, err := One(ctx, a, ScanText, "", `select coalesce(current_schema, '')`)
	if err != nil {
		return err
	}
	if place == "" {
		return typus.Errorf(typus.Invalid, "the schema that search_path names is not in the database; make it with \"create schema …\", or name another")
	}
	names, err := a.strangers(ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return checkRoom(ctx, a, place)
	}
	return typus.Errorf(typus.Invalid, "the schema %s of the database belongs to another program (its tables: %s); nothing was changed; "+
		"make a database for Typus (createdb typus) or a schema (create schema typus), and name it in TYPUS_DATABASE (…/typus, or …?search_path=typus)",
		place, strings.Join(names, ", "))
}

// checkRoom checks whether this user may make tables in an empty schema. Since
// PostgreSQL 15 only the owner of a database may do so in the schema public.
func checkRoom(ctx context.Context, a *Access, place string) error {
	fresh, err := a.migrated(ctx)
	if err != nil || len(fresh) > 0 {
		return err
	}
	user, err := One(ctx, a, ScanText, "", `select case when has_schema_privilege(current_schema, 'create') then '' else current_user end`)
	if err != nil || user == "" {
		return err
	}
	return typus.Errorf(typus.Forbidden, "the user %q may not make tables in the schema %s of the database; grant it (grant create on schema %s to %s), or make the user the owner of the database",
		user, place, place, user)
}
