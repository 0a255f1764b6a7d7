package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Variable names a PostgreSQL server, as a postgres:// URL of a user who may
// create databases, for the tests to use instead of starting one.
const Variable = "TYPUS_TEST_POSTGRES"

// server is the PostgreSQL server of this process.
type server struct {
	admin   *sql.DB
	address url.URL
	locale  string // of its databases, as create database takes it
	copying string // how it copies a database, as create database takes it
	created atomic.Int64
}

var theServer = sync.OnceValues(func() (*server, error) {
	address := os.Getenv(Variable)
	if address == "" {
		started, err := StartPostgres()
		if err != nil {
			return nil, fmt.Errorf("the tests need PostgreSQL: %w", err)
		}
		address = started.URL // it ends with this process
	}
	return connect(address)
})

func connect(address string) (*server, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	admin, err := sql.Open("pgx", address)
	if err != nil {
		return nil, err
	}
	s := &server{admin: admin, address: *u, locale: "locale 'C'"}
	since15, turkish, err := news(admin)
	if err != nil {
		return nil, err
	}
	if turkish {
		s.locale = "locale 'C' locale_provider icu icu_locale 'tr'"
	}
	if since15 {
		s.copying = " strategy file_copy" // as before 15; the other way writes each page to the log, too
	}
	return s, nil
}

// news reports whether the server is PostgreSQL 15 or newer, and then whether databases
// can have a locale of ICU. The tests like one that lowers and orders as neither Go nor
// SQLite does, so that nothing is left to it: the Turkish I has its dot or lacks it in
// either case.
func news(admin *sql.DB) (bool, bool, error) {
	var since15, turkish bool
	err := admin.QueryRowContext(context.Background(), `
		select v, v and exists (select 1 from pg_collation where collprovider = 'i')
		from (select current_setting('server_version_num')::int >= 150000) as version (v)`).Scan(&since15, &turkish)
	return since15, turkish, err
}

// create copies a database. Its encoding and locale are named since the server's
// default follows the locale of whoever started it.
func (s *server) create(ctx context.Context, name, from string) error {
	query := "create database " + name + " template " + from + s.copying
	if from == "template0" {
		query += " encoding 'UTF8' " + s.locale
	}
	_, err := s.admin.ExecContext(ctx, query)
	return err
}

func (s *server) drop(name string) error {
	_, err := s.admin.ExecContext(context.Background(), "drop database if exists "+name+" with (force)")
	return err
}

func (s *server) dsn(database string) string {
	u := s.address
	u.Path = "/" + database
	return u.String()
}

// migrated makes a database to copy from and says its name.
func (s *server) migrated(migrate func(dsn string) error) (string, error) {
	name := fmt.Sprintf("typus_%d_template", os.Getpid())
	if err := s.drop(name); err != nil { // an earlier process had our number
		return "", err
	}
	if err := s.create(context.Background(), name, "template0"); err != nil {
		return "", err
	}
	return name, migrate(s.dsn(name))
}

// EmptyPostgres returns the address of a fresh PostgreSQL database that goes with the
// test. Without PostgreSQL the test fails; with -short it is skipped.
func EmptyPostgres(t testing.TB) string {
	t.Helper()
	return serverFor(t).fresh(t, "template0")
}

func serverFor(t testing.TB) *server {
	t.Helper()
	if testing.Short() {
		t.Skip("PostgreSQL: not with -short")
	}
	s, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *server) fresh(t testing.TB, from string) string {
	t.Helper()
	name := fmt.Sprintf("typus_%d_%d", os.Getpid(), s.created.Add(1))
	if err := s.create(context.Background(), name, from); err != nil {
		t.Fatalf("create a PostgreSQL database: %v", err)
	}
	t.Cleanup(func() {
		if err := s.drop(name); err != nil {
			t.Errorf("drop %s: %v", name, err)
		}
	})
	return s.dsn(name)
}

// errNoPostgres says where the programs were looked for.
var errNoPostgres = errors.New("no initdb and postgres on PATH or in /usr/lib/postgresql/*/bin; install PostgreSQL 13 or newer or set " + Variable)
