package db

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"typus"
)

// Schema is what makes the tables of a database.
type Schema struct {
	// Migrations are numbered SQL files in a directory of this name. They run in the
	// order of their names, each once; one named *.postgres.sql is for the dialect of
	// this name alone. The first one's name tells our database from another program's.
	Migrations fs.FS
	// Afterwards is what a migration leaves to Go, by its name.
	Afterwards map[string]func(ctx context.Context, tx *Tx) error
}

// Migrate brings the schema up to this program's and says which migrations it
// applied. All of them are one transaction, and one server at a time runs it.
// Conflict: a newer program has written the database.
func (d *DB) Migrate(ctx context.Context) ([]string, error) {
	var applied []string
	err := d.InTx(ctx, func(tx *Tx) error {
		applied = nil
		tx.endless = true // nobody knows how much there is to change
		if err := tx.lockMigrations(ctx); err != nil {
			return err
		}
		pending, err := tx.pending(ctx)
		if err != nil {
			return err
		}
		for _, name := range pending {
			if err := tx.apply(ctx, name); err != nil {
				return err
			}
			applied = append(applied, name)
		}
		return tx.sign(ctx)
	})
	return applied, err
}

// CheckSchema compares the schema with this program's without changing it.
// Conflict: the database has to be migrated, or a newer program has written it.
func (d *DB) CheckSchema(ctx context.Context) error {
	pending, err := d.pending(ctx)
	if err != nil {
		return err
	}
	if len(pending) > 0 {
		return typus.Errorf(typus.Conflict, "the database is empty or of an older version; run \"typus migrate\"")
	}
	return nil
}

// Fresh reports whether the database is empty: no migration ever ran on it.
func (d *DB) Fresh(ctx context.Context) (bool, error) {
	applied, err := d.migrated(ctx)
	return len(applied) == 0, err
}

// Newest is the name of the last migration that ran on the database; "" for an empty one.
func (d *DB) Newest(ctx context.Context) (string, error) {
	applied, err := d.migrated(ctx)
	if err != nil || len(applied) == 0 {
		return "", err
	}
	return applied[len(applied)-1], nil
}

// MoveKeys makes a table pass over counting keys: it gives none any more up to the highest one
// that it has given (or least, if that is higher), and none of as many after that as by says.
// It returns the last key that it passes over.
func (t *Tx) MoveKeys(ctx context.Context, table string, least, by int64) (int64, error) {
	if t.d.keyCount != "" {
		if _, err := t.Exec(ctx, strings.ReplaceAll(t.d.keyCount, "{table}", table)); err != nil {
			return 0, err
		}
	}
	return One(ctx, t, ScanInt, "the table "+table+" counts no keys", strings.ReplaceAll(t.d.keyMove, "{table}", table), least, by)
}

func (t *Tx) lockMigrations(ctx context.Context) error {
	if t.d.migrationLock != "" {
		if _, err := t.Exec(ctx, t.d.migrationLock); err != nil {
			return err
		}
	}
	_, err := t.Exec(ctx, `create table if not exists schema_migrations (name text primary key, applied_at bigint not null)`)
	return err
}

// sign marks the database as ours. A database lacks the mark if it was made before
// there was one, or was restored from a dump.
func (t *Tx) sign(ctx context.Context) error {
	if t.d.sign == "" {
		return nil
	}
	_, err := t.Exec(ctx, t.d.sign)
	return err
}

// pending lists the migrations that the database lacks, in order.
func (a *Access) pending(ctx context.Context) ([]string, error) {
	applied, err := a.migrated(ctx)
	if err != nil {
		return nil, err
	}
	known, err := a.migrations()
	if err != nil {
		return nil, err
	}
	var pending []string
	for _, name := range known {
		if !slices.Contains(applied, name) {
			pending = append(pending, name)
		}
	}
	for _, name := range applied {
		if !slices.Contains(known, name) {
			return nil, typus.Errorf(typus.Conflict, "the database was written by a newer version of Typus (it knows %s); use that version, or restore the backup of before the upgrade", name)
		}
	}
	return pending, nil
}

// migrations lists those for this database, in order.
func (a *Access) migrations() ([]string, error) {
	paths, err := fs.Glob(a.schema.Migrations, "migrations/*.sql")
	if err != nil {
		return nil, typus.Errorf(typus.Internal, "the migrations cannot be read").WithCause(err)
	}
	var names []string
	for _, path := range paths {
		name := strings.TrimPrefix(path, "migrations/")
		if of := strings.Split(name, "."); len(of) > 2 && of[1] != a.d.name {
			continue
		}
		names = append(names, name)
	}
	return names, nil
}

// migrated lists the migrations recorded in the database, none in an empty one or
// in another program's.
func (a *Access) migrated(ctx context.Context) ([]string, error) {
	there, err := One(ctx, a, ScanInt, "", a.d.hasMigrations)
	if err != nil || there < 2 {
		return nil, err
	}
	return All(ctx, a, ScanText, `select name from schema_migrations order by name`)
}

// strangers names some tables of a database that another program has made. It is empty
// for a database of ours and for an empty one. Another program may have a table of
// migrations of the same form, but not our first migration.
//
// The tables are looked for first: whoever sees those that another server of ours makes
// meanwhile then sees its migrations, too.
func (a *Access) strangers(ctx context.Context) ([]string, error) {
	names, err := All(ctx, a, ScanText, a.d.relations)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	applied, err := a.migrated(ctx)
	if err != nil {
		return nil, err
	}
	known, err := a.migrations()
	if err != nil || len(known) > 0 && slices.Contains(applied, known[0]) {
		return nil, err
	}
	return names, nil
}

func (t *Tx) apply(ctx context.Context, name string) error {
	text, err := fs.ReadFile(t.schema.Migrations, "migrations/"+name)
	if err != nil {
		return typus.Errorf(typus.Internal, "the migration %s cannot be read", name).WithCause(err)
	}
	if _, err := t.Exec(ctx, t.d.migration(string(text))); err != nil {
		return err
	}
	if rest := t.schema.Afterwards[name]; rest != nil {
		if err := rest(ctx, t); err != nil {
			return err
		}
	}
	now, err := Now(ctx, t)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, `insert into schema_migrations (name, applied_at) values ($1, $2)`, name, Millis(now))
	return err
}

var (
	keyToken    = regexp.MustCompile(`\{id(?::(\d+))?\}`)
	tableStarts = regexp.MustCompile(`(?s)create table (\w+) \(\s*id\s+\{id:(\d+)\}`)
)

// migration replaces the tokens {id} and {id:N} by the dialect's counting key,
// which starts at 1 or at N.
func (d *dialect) migration(text string) string {
	var starts strings.Builder
	if d.keyStart != "" {
		for _, m := range tableStarts.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.ParseInt(m[2], 10, 64) // the pattern lets digits through only
			starts.WriteString(strings.NewReplacer("{table}", m[1], "{before}", strconv.FormatInt(n-1, 10)).Replace(d.keyStart))
			starts.WriteString(";\n")
		}
	}
	tables := keyToken.ReplaceAllStringFunc(text, func(token string) string {
		start := keyToken.FindStringSubmatch(token)[1]
		if start == "" {
			start = "1"
		}
		return strings.ReplaceAll(d.key, "{start}", start)
	})
	return tables + starts.String()
}
