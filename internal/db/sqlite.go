package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite" // the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"typus"
)

// sqliteReaders is the number of connections that read beside the writer.
const sqliteReaders = 4

// sqliteEngine is an SQLite file with one writing connection, one that copies the log
// into the file, and some that read.
type sqliteEngine struct {
	path    string
	readers *sql.DB
	writing *sql.DB
	filling *sql.DB
	writer  *writer
	tidier  *tidier
	locked  *os.File // nil until lock
}

func openSQLite(ctx context.Context, path string, schema Schema) (*DB, error) {
	path, err := fileItself(path)
	if err != nil {
		return nil, err
	}
	if err := prepareFile(ctx, path, schema); err != nil {
		return nil, err
	}
	d := &sqliteDialect
	e := &sqliteEngine{path: path, writing: openFile(path, 1, false), filling: openFile(path, 1, true), readers: openFile(path, sqliteReaders, true)}
	if err := e.start(ctx, d); err != nil {
		return nil, errors.Join(err, e.readers.Close(), e.filling.Close(), e.writing.Close())
	}
	db := &prepared{on: e.readers, stmts: map[string]*sql.Stmt{}}
	a := &Access{db: db, d: d, schema: schema, turns: make(chan struct{}, sqliteReaders), gone: new(atomic.Bool)}
	return &DB{Access: a, engine: e, closing: new(sync.Once)}, nil
}

func openFile(path string, connections int, readOnly bool) *sql.DB {
	q := url.Values{"_txlock": {"immediate"}}
	for name, value := range sqliteDialect.asserted {
		q.Add("_pragma", name+"("+value+")")
	}
	if readOnly {
		q.Add("_pragma", "query_only(1)")
	}
	db := openURL(path, q)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db
}

func openURL(path string, q url.Values) *sql.DB {
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		panic(err) // the driver's name is unknown: the import above is gone
	}
	return db
}

// start checks version and settings and starts the writer.
func (e *sqliteEngine) start(ctx context.Context, d *dialect) error {
	conn, err := e.connect(ctx)
	if err != nil {
		return e.unusable(d.translate(err))
	}
	if err := checkSQLite(ctx, d, conn); err != nil {
		return errors.Join(e.unusable(err), conn.Close())
	}
	e.writer = startWriter(conn, d, newTrail(e.path), newFiller(e.filling))
	if e.tidier, err = startTidier(e.path, e.writer); err != nil {
		return errors.Join(err, e.writer.close())
	}
	return nil
}

// switching is how long an opener waits for others that switch the log on.
const switching = 5 * time.Second

// connect waits for another process that opens an empty file at the same moment. SQLite
// itself does not wait if two processes want to switch the write-ahead log on.
func (e *sqliteEngine) connect(ctx context.Context) (*sql.Conn, error) {
	waiting, cancel := context.WithTimeout(ctx, switching)
	defer cancel()
	for {
		conn, err := e.writing.Conn(ctx)
		if !busy(err) || waiting.Err() != nil {
			return conn, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// busy reports whether another connection was in the way.
func busy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// unusable says in our words what SQLite finds wrong with the file.
func (e *sqliteEngine) unusable(err error) error {
	code := 0
	if fault, ok := errors.AsType[*sqlite.Error](err); ok {
		code = fault.Code() & 0xff
	}
	switch code {
	case sqlite3.SQLITE_NOTADB:
		return noDatabase(e.path)
	case sqlite3.SQLITE_CORRUPT:
		return damaged(e.path)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return typus.Errorf(typus.Conflict, "another program keeps the database file %s locked; end it and try again", e.path).WithCause(err)
	case sqlite3.SQLITE_FULL:
		return typus.Errorf(typus.Conflict, "the disk of %s is full; make room and try again", e.path).WithCause(err)
	}
	if typus.Is(err, typus.Conflict) {
		return err // a version or a setting, in words already
	}
	return typus.Errorf(typus.Internal, "SQLite cannot use the file %s", e.path).WithCause(err)
}

func checkSQLite(ctx context.Context, d *dialect, conn *sql.Conn) error {
	a := &Access{db: conn, d: d}
	version, err := One(ctx, a, ScanText, "", d.version)
	if err != nil {
		return err
	}
	if !atLeast(version, 3, 51, 3) {
		return typus.Errorf(typus.Conflict, "SQLite %s can lose committed pages (the WAL-reset bug); 3.51.3 or newer is needed", version)
	}
	return a.assertSettings(ctx)
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
	path := e.path + ".lock"
	f, err := lockFile(path)
	if errors.Is(err, errLocked) {
		return typus.Errorf(typus.Conflict, "a server is running on the database %s; stop it first", e.path)
	}
	if err != nil {
		return Refused(path, err)
	}
	e.locked = f
	return nil
}

func (e *sqliteEngine) close() error {
	e.tidier.end()
	err := errors.Join(e.writer.close(), e.readers.Close(), e.filling.Close(), e.writing.Close(), e.tidier.file.Close())
	if e.locked != nil {
		err = errors.Join(err, e.locked.Close())
	}
	if err != nil {
		return fmt.Errorf("db: close %s: %w", e.path, err)
	}
	return nil
}
