package db_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"typus"
	"typus/internal/db"
	"typus/internal/db/dbtest"
)

// schema is what these tests write to.
var schema = db.Schema{Migrations: fstest.MapFS{
	"migrations/0001_first.sql": {Data: []byte(`
		create table accounts (id {id:1000}, name text not null, credits bigint not null default 0);
		create table notes (id {id}, account_id bigint not null references accounts (id), body text not null);
		create index notes_account on notes (account_id);`)},
	"migrations/0002_here.postgres.sql": {Data: []byte(`create table only_here (id {id});`)},
	"migrations/0003_marks.sql":         {Data: []byte(`create table marks (name text primary key, value bytea not null);`)},
}}

var template = dbtest.NewTemplate(func(dsn string) error {
	d, err := db.Open(context.Background(), dsn, schema)
	if err != nil {
		return err
	}
	_, err = d.Migrate(context.Background())
	return errors.Join(err, d.Close())
})

// onBoth runs a test on a fresh, migrated database of each kind.
func onBoth(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Helper()
	template.Run(t, func(t *testing.T, dsn string) { test(t, open(t, dsn)) })
}

func openSQLite(t testing.TB) *db.DB {
	t.Helper()
	return open(t, template.SQLite(t))
}

// open opens a database and closes it with the test.
func open(t testing.TB, dsn string) *db.DB {
	t.Helper()
	d := must[*db.DB](t)(db.Open(t.Context(), dsn, schema))
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return d
}

// write runs fn in a transaction that must succeed.
func write(t testing.TB, d *db.DB, fn func(tx *db.Tx) error) {
	t.Helper()
	if err := d.InTx(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// exec runs a statement of which only the error counts.
func exec(ctx context.Context, tx *db.Tx, query string, args ...any) error {
	_, err := tx.Exec(ctx, query, args...)
	return err
}

// addNamed adds an account, in whose names these tests write.
func addNamed(ctx context.Context, tx *db.Tx, name string) error {
	return exec(ctx, tx, `insert into accounts (name) values ($1)`, name)
}

// newAccount adds an account and returns its id.
func newAccount(t testing.TB, d *db.DB) int64 {
	t.Helper()
	var id int64
	write(t, d, func(tx *db.Tx) error {
		var err error
		id, err = db.One(t.Context(), tx, db.ScanInt, "", `insert into accounts (name) values ('Muster GmbH') returning id`)
		return err
	})
	return id
}

// credit adds one to an account's credits.
func credit(ctx context.Context, tx *db.Tx, account int64) error {
	return exec(ctx, tx, `update accounts set credits = credits + 1 where id = $1`, account)
}

func credits(t testing.TB, d *db.DB, account int64) int64 {
	t.Helper()
	return must[int64](t)(db.One(t.Context(), d, db.ScanInt, "no account", `select credits from accounts where id = $1`, account))
}

// addNote adds a note of an account; of one that does not exist the database refuses it.
func addNote(ctx context.Context, tx *db.Tx, account int64, body string) error {
	return exec(ctx, tx, `insert into notes (account_id, body) values ($1, $2)`, account, body)
}

// setMark sets a value of so many bytes.
func setMark(ctx context.Context, tx *db.Tx, name string, size int) error {
	return exec(ctx, tx, `insert into marks (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`, name, make([]byte, size))
}

// accounts are the names of the accounts.
func accounts(ctx context.Context, from db.Querier) ([]string, error) {
	return db.All(ctx, from, db.ScanText, `select name from accounts order by id`)
}

// names lists them.
func names(t testing.TB, d *db.DB) string {
	t.Helper()
	return strings.Join(must[[]string](t)(accounts(context.Background(), d)), " ")
}

// must returns v of a call that may not fail.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// hasKind checks the kind of an error.
func hasKind(t testing.TB, what string, err error, want typus.Kind) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want %s", what, want)
	} else if got := typus.KindOf(err); got != want {
		t.Errorf("%s: %s, want kind %s", what, err, want)
	}
}

// size is a file's size, 0 when it is not there.
func size(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
