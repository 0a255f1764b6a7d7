package db

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"typus"
)

// sqliteEngine is an SQLite file with one writing connection, one that copies the log
// into the file, and some that read.
type sqliteEngine struct {
	path    string
	readers *readers
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
	e := &sqliteEngine{path: path, readers: newReaders(path)}
	if err := e.start(ctx, d); err != nil {
		return nil, err
	}
	a := &Access{db: e.readers, d: d, schema: schema, gone: new(atomic.Bool)}
	return &DB{Access: a, engine: e, closing: new(sync.Once), full: new(atomic.Bool)}, nil
}

// openFile opens a connection and makes and asserts its settings. Of what it is opened
// for, copying the log counts as reading. Conflict: SQLite does not keep a setting.
func openFile(ctx context.Context, path string, readOnly bool) (*conn, error) {
	c, err := openConn(uriOf(path, nil))
	if err != nil {
		return nil, err
	}
	if err := c.settle(ctx, readOnly); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// settle makes the settings, first of all how long to wait for others.
func (c *conn) settle(ctx context.Context, readOnly bool) error {
	first := "busy_timeout"
	for _, name := range slices.Insert(slices.Sorted(maps.Keys(sqliteDialect.asserted)), 0, first) {
		if err := c.once("pragma "+name+" = "+sqliteDialect.asserted[name], nil, nil); err != nil {
			return err
		}
	}
	if readOnly {
		if err := c.once("pragma query_only = 1", nil, nil); err != nil {
			return err
		}
	}
	return (&Access{db: unkept{c}, d: &sqliteDialect}).assertSettings(ctx)
}

// unkept runs statements on a connection that are not used again, and so not kept.
type unkept struct{ c *conn }

// run implements session.
func (u unkept) run(_ context.Context, text string, args []any, each func(Row) error) (int, error) {
	return 0, u.c.once(text, args, each)
}

// uriOf names a file as SQLite's URIs do, https://sqlite.org/uri.html.
func uriOf(path string, q url.Values) string {
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	return name.String()
}

// start checks the version and starts the writer.
func (e *sqliteEngine) start(ctx context.Context, d *dialect) error {
	c, err := e.connect(ctx)
	if err != nil {
		return e.unusable(d.translate(err))
	}
	if err := checkSQLite(ctx, d, c); err != nil {
		return errors.Join(e.unusable(err), c.close())
	}
	e.writer = startWriter(c, d, newTrail(e.path), newFiller(e.path))
	if e.tidier, err = startTidier(e.path, e.writer); err != nil {
		return errors.Join(err, e.writer.close())
	}
	return nil
}

// switching is how long an opener waits for others that switch the log on.
const switching = 5 * time.Second

// connect waits for another process that opens an empty file at the same moment. SQLite
// itself does not wait if two processes want to switch the write-ahead log on.
func (e *sqliteEngine) connect(ctx context.Context) (*conn, error) {
	waiting, cancel := context.WithTimeout(ctx, switching)
	defer cancel()
	for {
		c, err := openFile(ctx, e.path, false)
		if !busy(err) || waiting.Err() != nil {
			return c, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// busy reports whether another connection was in the way.
func busy(err error) bool {
	e, ok := errors.AsType[*sqliteError](err)
	return ok && e.code&0xff == sqlite3.SQLITE_BUSY
}

// unusable says in our words what SQLite finds wrong with the file.
func (e *sqliteEngine) unusable(err error) error {
	var code int32
	if fault, ok := errors.AsType[*sqliteError](err); ok {
		code = fault.code & 0xff
	}
	switch code {
	case sqlite3.SQLITE_NOTADB:
		return noDatabase(e.path)
	case sqlite3.SQLITE_CORRUPT:
		return damaged(e.path)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return typus.Errorf(typus.Conflict, "another program keeps the database file %s locked; end it and try again", e.path).WithCause(err)
	}
	if DiskFull(err) {
		return noRoomFor(e.path, err)
	}
	if typus.Is(err, typus.Conflict) {
		return err // a version or a setting, in words already
	}
	return typus.Errorf(typus.Internal, "SQLite cannot use the file %s", e.path).WithCause(err)
}

func checkSQLite(ctx context.Context, d *dialect, c *conn) error {
	version, err := One(ctx, &Access{db: unkept{c}, d: d}, ScanText, "", d.version)
	if err != nil {
		return err
	}
	if !atLeast(version, 3, 51, 3) {
		return typus.Errorf(typus.Conflict, "SQLite %s can lose committed pages (the WAL-reset bug); 3.51.3 or newer is needed", version)
	}
	return nil
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
	f, err := hold(e.path)
	if err != nil {
		return err
	}
	e.locked = f
	return nil
}

// alone implements engine: Lock says it.
func (e *sqliteEngine) alone(context.Context) error { return nil }

func (e *sqliteEngine) close() error {
	e.tidier.end()
	err := errors.Join(e.writer.close(), e.readers.close(), e.tidier.file.Close())
	if e.locked != nil {
		err = errors.Join(err, e.locked.Close())
	}
	if err != nil {
		return fmt.Errorf("db: close %s: %w", e.path, err)
	}
	return nil
}
