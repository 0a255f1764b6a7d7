package db_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"typus"
	"typus/internal/db"
	"typus/internal/db/dbtest"
)

// sqliteFile makes an SQLite file as another program would.
func sqliteFile(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	db := must[*sql.DB](t)(sql.Open("sqlite", path))
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return db
}

// takeAlong copies a file and its log as they are, as after the end of their program.
func takeAlong(t *testing.T, from, to string) {
	t.Helper()
	for _, end := range []string{"", "-wal"} {
		if err := os.WriteFile(to+end, must[[]byte](t)(os.ReadFile(from+end)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// contents are the files of a directory.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	for _, entry := range must[[]os.DirEntry](t)(os.ReadDir(dir)) {
		found[entry.Name()] = must[[]byte](t)(os.ReadFile(filepath.Join(dir, entry.Name())))
	}
	return found
}

// same reports what a directory has more, less or otherwise than before.
func same(t *testing.T, dir string, before map[string][]byte) {
	t.Helper()
	after := contents(t, dir)
	for name, was := range before {
		if now, there := after[name]; !there || !bytes.Equal(was, now) {
			t.Errorf("%s was changed (there: %t)", name, there)
		}
	}
	for name := range after {
		if _, there := before[name]; !there {
			t.Errorf("%s was left beside it", name)
		}
	}
}

func TestAFileOfAnotherProgramIsRefusedAndLeftAsItIs(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, path string){
		"tables": func(t *testing.T, path string) {
			sqliteFile(t, path, `create table users (name text)`, `insert into users values ('Ada')`).Close()
		},
		"tables and a mark": func(t *testing.T, path string) {
			sqliteFile(t, path, `pragma application_id = 252006673`, `create table leaf (rid integer)`).Close()
		},
		"a mark and nothing yet": func(t *testing.T, path string) {
			sqliteFile(t, path, `pragma application_id = 252006673`, `create table a (b)`, `drop table a`).Close()
		},
		"a view": func(t *testing.T, path string) { sqliteFile(t, path, `create view v as select 1`).Close() },
		"migrations of its own": func(t *testing.T, path string) {
			sqliteFile(t, path, `create table schema_migrations (version text primary key)`, `insert into schema_migrations values ('20200101')`).Close()
		},
		"migrations of our form": func(t *testing.T, path string) {
			sqliteFile(t, path, `create table schema_migrations (name text, applied_at bigint)`, `insert into schema_migrations values ('0001_init.sql', 1)`).Close()
		},
		"a log": func(t *testing.T, path string) {
			sqliteFile(t, path, `pragma journal_mode = wal`, `create table users (name text)`).Close()
		},
		"nothing but a log": func(t *testing.T, path string) {
			live := filepath.Join(t.TempDir(), "live.db")
			defer sqliteFile(t, live, `pragma journal_mode = wal`, `create table users (name text)`).Close()
			takeAlong(t, live, path)
		},
		"a text": func(t *testing.T, path string) {
			os.WriteFile(path, []byte(strings.Repeat("Sehr geehrte Damen und Herren, ", 100)), 0o600)
		},
		"a short text": func(t *testing.T, path string) { os.WriteFile(path, []byte("x"), 0o600) },
		"half of a database of ours": func(t *testing.T, path string) {
			whole := must[[]byte](t)(os.ReadFile(template.SQLite(t)))
			os.WriteFile(path, whole[:len(whole)/2], 0o600)
		},
		"the beginning of a database of ours": func(t *testing.T, path string) {
			os.WriteFile(path, must[[]byte](t)(os.ReadFile(template.SQLite(t)))[:50], 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "some.db")
			make(t, path)
			before := contents(t, dir)
			s, err := db.Open(t.Context(), path, schema)
			hasKind(t, name, err, typus.Invalid)
			if s != nil {
				s.Close()
			}
			if err != nil && !strings.Contains(err.Error(), path) {
				t.Errorf("the file is not named: %v", err)
			}
			same(t, dir, before)
		})
	}
}

func TestAnEmptyFileIsANewDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "typus.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	newAccount(t, s)
}

// mark is the application id in a file's header.
func mark(t *testing.T, path string) uint32 {
	t.Helper()
	return binary.BigEndian.Uint32(must[[]byte](t)(os.ReadFile(path))[68:])
}

const ours = 0x54797075 // "Typu"

func TestANewFileIsMarkedBeforeItHoldsAnything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "typus.db")
	open(t, path)
	if got := mark(t, path); got != ours {
		t.Errorf("the mark is %#x", got)
	}
}

// A database that was made before there was a mark, or read in from a dump, is known
// by its migrations and gets the mark with the next.
func TestADatabaseOfOursWithoutAMarkIsKnownByItsMigrations(t *testing.T) {
	path := template.SQLite(t)
	sqliteFile(t, path, `pragma application_id = 0`).Close()
	s, err := db.Open(t.Context(), path, schema)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
	newAccount(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := mark(t, path); got != ours {
		t.Errorf("the mark is %#x", got)
	}
}

// The same when its program was ended before the log was folded into the file.
func TestADatabaseOfOursIsKnownByItsLogAlone(t *testing.T) {
	live, path := filepath.Join(t.TempDir(), "live.db"), filepath.Join(t.TempDir(), "typus.db")
	if err := os.WriteFile(live, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, live)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, s, func(tx *db.Tx) error { return exec(t.Context(), tx, `pragma application_id = 0`) })
	account := newAccount(t, s)
	takeAlong(t, live, path)
	if mark(t, path) != 0 {
		t.Fatal("the file is marked: the test says nothing")
	}
	if got := credits(t, open(t, path), account); got != 0 {
		t.Errorf("%d credits", got)
	}
}

func TestASchemaOfAnotherProgramIsRefusedAndLeftAsItIs(t *testing.T) {
	for name, statements := range map[string][]string{
		"tables of other names":     {`create table customers (id int)`},
		"a table of a name of ours": {`create table accounts (id int)`},
		"a view":                    {`create view v as select 1 as one`},
		"migrations of its own":     {`create table schema_migrations (version text primary key)`, `insert into schema_migrations values ('20200101')`},
		"migrations of our form":    {`create table schema_migrations (name text, applied_at bigint)`, `insert into schema_migrations values ('0001_init.sql', 1)`},
	} {
		t.Run(name, func(t *testing.T) {
			dsn := dbtest.EmptyPostgres(t)
			other := must[*sql.DB](t)(sql.Open("pgx", dsn))
			defer other.Close()
			for _, statement := range statements {
				if _, err := other.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			s, err := db.Open(t.Context(), dsn, schema)
			if err == nil { // what a server does next
				_, err = s.Migrate(t.Context())
				s.Close()
			}
			hasKind(t, name, err, typus.Invalid)
			var relations int
			if err := other.QueryRowContext(t.Context(), `select count(*) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')`).Scan(&relations); err != nil || relations != 1 {
				t.Errorf("%d tables and views, %v; want the one that was there", relations, err)
			}
		})
	}
}

func TestASchemaBesideAnotherProgramsIsOurs(t *testing.T) {
	dsn := dbtest.EmptyPostgres(t)
	other := must[*sql.DB](t)(sql.Open("pgx", dsn))
	defer other.Close()
	u := must[*url.URL](t)(url.Parse(dsn))
	u.RawQuery = "search_path=typus"
	if _, err := other.ExecContext(t.Context(), `create table customers (id int)`); err != nil {
		t.Fatal(err)
	}
	_, err := db.Open(t.Context(), u.String(), schema)
	hasKind(t, "a schema that is not there", err, typus.Invalid)
	if _, err := other.ExecContext(t.Context(), `create schema typus; create extension pg_stat_statements schema typus`); err != nil {
		t.Fatal(err)
	}
	s := open(t, u.String())
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	newAccount(t, s)
	open(t, u.String()) // known again
}
