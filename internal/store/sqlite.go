package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"typus"
)

// sqliteReaders is the number of connections that read beside the writer.
const sqliteReaders = 4

// sqliteEngine is an SQLite file with one writing and some reading connections.
type sqliteEngine struct {
	path    string
	readers *sql.DB
	writing *sql.DB
	writer  *writer
	locked  *os.File // nil until lock
}

func openSQLite(ctx context.Context, path string) (*Store, error) {
	if err := createFile(path); err != nil {
		return nil, typus.Errorf(typus.Invalid, "the database file %s cannot be created or opened", path).WithCause(err)
	}
	d := &sqliteDialect
	e := &sqliteEngine{path: path, writing: openFile(path, 1, false), readers: openFile(path, sqliteReaders, true)}
	if err := e.start(ctx, d); err != nil {
		return nil, errors.Join(err, e.readers.Close(), e.writing.Close())
	}
	db := &prepared{on: e.readers, stmts: map[string]*sql.Stmt{}}
	return &Store{reads: reads{db: db, d: d}, engine: e, closing: new(sync.Once)}, nil
}

// createFile makes an empty database that only its owner can read: it holds
// personal data. SQLite gives its side files the same mode.
func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator names the database
	if err != nil {
		return err
	}
	return f.Close()
}

func openFile(path string, connections int, readOnly bool) *sql.DB {
	q := url.Values{"_txlock": {"immediate"}}
	for name, value := range sqliteDialect.asserted {
		q.Add("_pragma", name+"("+value+")")
	}
	if readOnly {
		q.Add("_pragma", "query_only(1)")
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		panic(err) // the driver's name is unknown: the import above is gone
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db
}

// start checks version and settings and starts the writer.
func (e *sqliteEngine) start(ctx context.Context, d *dialect) error {
	conn, err := e.writing.Conn(ctx)
	if err != nil {
		return e.unusable(d.translate(err))
	}
	if err := checkSQLite(ctx, d, conn); err != nil {
		return errors.Join(e.unusable(err), conn.Close())
	}
	e.writer = startWriter(conn, d)
	return nil
}

// unusable gives a file that is no database, or a broken one, words of its own.
func (e *sqliteEngine) unusable(err error) error {
	if !typus.Is(err, typus.Internal) {
		return err
	}
	return typus.Errorf(typus.Invalid, "the file %s is not a usable SQLite database", e.path).WithCause(err)
}

func checkSQLite(ctx context.Context, d *dialect, conn *sql.Conn) error {
	r := reads{db: conn, d: d}
	version, err := one(ctx, r, scanText, "", d.version)
	if err != nil {
		return err
	}
	if !atLeast(version, 3, 51, 3) {
		return typus.Errorf(typus.Conflict, "SQLite %s can lose committed pages (the WAL-reset bug); 3.51.3 or newer is needed", version)
	}
	return r.assertSettings(ctx)
}

// atLeast compares a dotted version with a minimum.
func atLeast(version string, minimum ...int) bool {
	parts := strings.Split(version, ".")
	for i, least := range minimum {
		if i >= len(parts) {
			return false
		}
		n, err := strconv.Atoi(parts[i])
		if err != nil || n != least {
			return err == nil && n > least
		}
	}
	return true
}

func (e *sqliteEngine) inTx(ctx context.Context, fn func(*Tx) error) error {
	return e.writer.inTx(ctx, fn)
}

func (e *sqliteEngine) lock() error {
	f, err := lockFile(e.path + ".lock")
	if err != nil {
		return typus.Errorf(typus.Conflict, "another server is running on the database %s", e.path).WithCause(err)
	}
	e.locked = f
	return nil
}

func (e *sqliteEngine) close() error {
	err := errors.Join(e.writer.close(), e.readers.Close(), e.writing.Close())
	if e.locked != nil {
		err = errors.Join(err, e.locked.Close())
	}
	if err != nil {
		return fmt.Errorf("store: close %s: %w", e.path, err)
	}
	return nil
}
