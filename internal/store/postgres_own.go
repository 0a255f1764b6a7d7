package store

import (
	"context"
	"strings"

	"typus"
)

// checkOwn refuses a schema that another program keeps its tables in: ours would
// stand among them, or fail on a name of theirs. Invalid.
func checkOwn(ctx context.Context, r reads) error {
	place, err := one(ctx, r, scanText, "", `select coalesce(current_schema, '')`)
	if err != nil {
		return err
	}
	if place == "" {
		return typus.Errorf(typus.Invalid, "the schema that search_path names is not in the database; make it with \"create schema …\", or name another")
	}
	names, err := r.strangers(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	return typus.Errorf(typus.Invalid, "the schema %s of the database belongs to another program (its tables: %s); nothing was changed; "+
		"make a database for Typus (createdb typus) or a schema (create schema typus), and name it in TYPUS_DATABASE (…/typus, or …?search_path=typus)",
		place, strings.Join(names, ", "))
}
