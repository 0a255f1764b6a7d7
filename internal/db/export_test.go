package db

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// GroupSize is the most closures that one commit answers.
const GroupSize = groupSize

// AtLeast compares versions.
var AtLeast = atLeast

// PrepareFile looks whether there is a database of ours at a path.
var PrepareFile = prepareFile

// CountCommits counts the commits of an SQLite database from now on. It must not be
// writing at this moment.
func CountCommits(d *DB) *atomic.Int64 {
	var n atomic.Int64
	c := d.engine.(*sqliteEngine).writer.conn
	counters.Store(c.db, &n)
	sqlite3.Xsqlite3_commit_hook(c.tls, c.db, *(*uintptr)(unsafe.Pointer(&struct {
		f func(*libc.TLS, uintptr) int32
	}{committed})), c.db)
	return &n
}

// counters are those of CountCommits, by their connection's address.
var counters sync.Map

func committed(_ *libc.TLS, db uintptr) int32 {
	n, _ := counters.Load(db)
	n.(*atomic.Int64).Add(1)
	return 0
}

// eachConn calls fn with every open connection of an SQLite database, from which nobody
// may read at this moment. The writer does it, because its connection is its own.
func eachConn(d *DB, fn func(c *conn)) {
	e := d.engine.(*sqliteEngine)
	err := d.InTx(context.Background(), func(*Tx) error {
		e.writer.fill.wait()
		for _, c := range append([]*conn{e.writer.conn, e.writer.fill.conn}, e.readers.idle...) {
			if c != nil {
				fn(c)
			}
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
}

// Unfinished counts the statements of an SQLite database whose rows are still read.
func Unfinished(d *DB) int {
	n := 0
	eachConn(d, func(c *conn) {
		for s := sqlite3.Xsqlite3_next_stmt(c.tls, c.db, 0); s != 0; s = sqlite3.Xsqlite3_next_stmt(c.tls, c.db, s) {
			n += int(sqlite3.Xsqlite3_stmt_busy(c.tls, s))
		}
	})
	return n
}

// MostKept is how many statements a connection keeps.
const MostKept = mostKept

// Kept is the largest number of statements that a connection keeps.
func Kept(d *DB) int {
	most := 0
	eachConn(d, func(c *conn) { most = max(most, len(c.stmts)) })
	return most
}

// Cached is how many bytes the pages take that the connections of an SQLite database keep
// in memory.
func Cached(d *DB) int {
	n := 0
	eachConn(d, func(c *conn) {
		sqlite3.Xsqlite3_db_status(c.tls, c.db, sqlite3.SQLITE_DBSTATUS_CACHE_USED, c.out, c.out+uintptr(pointer), 0)
		n += int(int32(c.answer(0))) //nolint:gosec // SQLite writes 32 bits there
	})
	return n
}

// PlannedAgain counts how often SQLite has planned a kept statement anew.
func PlannedAgain(d *DB) int {
	n := 0
	eachConn(d, func(c *conn) {
		for _, s := range c.stmts {
			n += int(sqlite3.Xsqlite3_stmt_status(c.tls, s.handle, sqlite3.SQLITE_STMTSTATUS_REPREPARE, 0))
		}
	})
	return n
}

// SettingsOfEach are the settings of every open connection, as they are read back.
func SettingsOfEach(ctx context.Context, d *DB) ([]map[string]string, error) {
	var all []map[string]string
	var err error
	eachConn(d, func(c *conn) {
		found := map[string]string{}
		for name := range d.d.asserted {
			var fault error
			found[name], fault = (&Access{db: unkept{c}, d: d.d}).readSetting(ctx, name)
			err = errors.Join(err, fault)
		}
		all = append(all, found)
	})
	return all, err
}

// Asserted are the settings that every connection must have.
func Asserted(d *DB) map[string]string { return d.d.asserted }

// HoldReaders keeps all of SQLite's reading connections busy until it is released.
func HoldReaders(ctx context.Context, d *DB) (release func()) {
	hold := make(chan struct{})
	var reading, held sync.WaitGroup
	for range sqliteReaders {
		reading.Add(1)
		held.Go(func() {
			_, _ = All(ctx, d, func(Row) (int, error) {
				reading.Done()
				<-hold
				return 0, nil
			}, "select 1")
		})
	}
	reading.Wait()
	return func() {
		close(hold)
		held.Wait()
	}
}

// HoldSnapshot reads from a file of its own connection until it is released.
func HoldSnapshot(t testing.TB, path string) (release func()) {
	t.Helper()
	c, err := openFile(t.Context(), path, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.once("begin; select count(*) from accounts", nil, nil); err != nil {
		t.Fatal(err)
	}
	return func() { _ = errors.Join(c.once("rollback", nil, nil), c.close()) }
}

// WriteAsReader runs a statement on a connection that reads.
func WriteAsReader(ctx context.Context, d *DB, query string) error {
	_, err := d.db.run(ctx, query, nil, nil)
	return err
}

// Listed are the pages that were written to since the last round. The database must
// not be writing at this moment.
func Listed(d *DB) map[int64]bool { return maps.Clone(d.engine.(*sqliteEngine).writer.trail.pages) }

// Lost reports whether there are others.
func Lost(d *DB) bool { return d.engine.(*sqliteEngine).writer.trail.lost }

// ShortenLog lets the log grow so far before it is copied into the file, and before
// writers wait for that. The database must not be writing at this moment.
func ShortenLog(d *DB, after, before int64) {
	f := d.engine.(*sqliteEngine).writer.fill
	f.after, f.before, f.next = after, before, after
}

// CopyDatabase is CopyFile with another bound of the log.
var CopyDatabase = copyDatabase

// RunForEver runs a statement that never ends until why returns an error, and returns that
// of the statement and that of why.
func RunForEver(path string, why func() error) (error, error) {
	c, err := openConn(uriOf(path, nil))
	if err != nil {
		return err, nil
	}
	failed, stopped := c.interrupted(why, func() error {
		return c.once(`with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n`, nil, nil)
	})
	return errors.Join(failed, c.close()), stopped
}

// Exchange has the pool of a PostgreSQL database exchanged for another, and returns what
// the one then in use says of a connection.
func Exchange(ctx context.Context, d *DB) error {
	p := &d.engine.(*postgresEngine).pools
	if err := p.exchange(); err != nil {
		return err
	}
	return p.now.Load().Ping(ctx)
}

// LeftAt says in which seconds a server is left that falls silent in the first one and stays
// so until the last, but for one in which it answers.
func LeftAt(last, answers int) []int {
	var l leaves
	var left []int
	begin := time.Now()
	for second := range last + 1 {
		if second == answers {
			l.answered()
		}
		if l.due(begin.Add(time.Duration(second) * time.Second)) {
			left = append(left, second)
		}
	}
	return left
}
