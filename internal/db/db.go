// Package db runs statements and transactions (connection pool, migrations) on SQLite or
// PostgreSQL, with one text for both.
package db

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"typus"
)

// patience is how long one step waits for the database: for a connection, a statement,
// a commit, or the turn in SQLite's queue. So every wait ends, whatever state the
// database is in (decision 0032).
const patience = 10 * time.Second

// DB is an open database. Reads go through it directly; everything that
// changes goes through InTx, so that a half-done step cannot exist.
type DB struct {
	*Access
	engine  engine
	closing *sync.Once
	full    *atomic.Bool          // the disk was full when something was to be stored
	commits func(done bool) error // nil: nobody watches
}

// Tx is one transaction: all of it happens or nothing. It reads, too. After a
// statement has failed it is lost, whatever its closure returns.
type Tx struct{ *Access }

// Access is how statements get to the tables: on a pool for a DB, in one transaction
// for a Tx.
type Access struct {
	db      session
	d       *dialect
	schema  Schema
	clock   typus.Clock               // nil: the one that all users of the database share
	failed  *error                    // the first fault in a Tx; nil in a DB
	endless bool                      // statements wait as long as it takes
	gone    *atomic.Bool              // true once the DB is closed; nil in a Tx
	watch   func(query string) error  // nil: nobody watches
	meet    func(ctx context.Context) // nil: nobody waits; nil in a Tx
	silent  func()                    // hears that a statement was given up after patience; nil in a Tx
}

// Querier is what answers questions: a DB, a Tx, and what embeds the Access of one.
type Querier interface{ through() *Access }

func (a *Access) through() *Access { return a }

// through is that of Access, for a type that embeds a DB and an Access besides.
func (d *DB) through() *Access { return d.Access }

// session runs statements: on a pool for a DB, in one transaction for a Tx.
type session interface {
	// run runs a statement to its end and hands each of its rows to each, whose error
	// ends it. With each nil there are no rows to read, and run says how many were
	// changed.
	run(ctx context.Context, text string, args []any, each func(Row) error) (int, error)
}

// engine is one of the two ways to run transactions: grouped in SQLite's one
// writer, or side by side on PostgreSQL.
type engine interface {
	inTx(ctx context.Context, fn func(*Tx) error) error
	snapshot(ctx context.Context, fn func(*Access) error) error
	lock() error
	alone(ctx context.Context) error
	warnings() []string
	quickCheck(ctx context.Context) error
	tell()
	listen(ctx context.Context, heard func())
	rest()
	groups() (Groups, bool)
	file() string // "" where the database is a server's
	close() error
}

// Open opens the database named by dsn, a file path (SQLite) or a postgres://
// URL, which holds the given schema or nothing yet, and asserts the settings that its
// promises rest on. It does not migrate. Invalid: the name cannot be read, or the
// database is another program's. Unavailable: it does not answer. Conflict: a setting
// or a version is not what it must be.
func Open(ctx context.Context, dsn string, schema Schema) (*DB, error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		return openPostgres(ctx, dsn, schema)
	}
	return openSQLite(ctx, dsn, schema)
}

// WithClock is the same open database seen by another clock: what is due, claimed
// and finished through it goes by that one. With nil, as after Open, it goes by the
// clock that all users of the database share: the server's on PostgreSQL, this
// machine's on SQLite. Closing one closes both.
func (d *DB) WithClock(c typus.Clock) *DB {
	return d.seen(func(a *Access) { a.clock = c })
}

// Watched is the same open database, of whose statements saw hears before they run,
// also in transactions: to count them, to list them, or to let one fail with an error
// of its own. Who watched before hears of them first. Closing one closes both.
func (d *DB) Watched(saw func(query string) error) *DB {
	before := d.watch
	return d.seen(func(a *Access) {
		a.watch = saw
		if before != nil {
			a.watch = func(query string) error {
				if err := before(query); err != nil {
					return err
				}
				return saw(query)
			}
		}
	})
}

// WatchedCommits is the same open database, of whose transactions saw hears before each
// commit, and with done after it. Its error is then that of InTx: before the commit, and
// nothing is stored; after it, and all is, as where the connection breaks before the answer.
// Closing one closes both.
func (d *DB) WatchedCommits(saw func(done bool) error) *DB {
	other := *d
	other.commits = saw
	return &other
}

// Meeting is the same open database, of whose statements outside transactions wait hears
// before they run, with the context of whoever asks: to hold some of them until others have
// come as far. Closing one closes both.
func (d *DB) Meeting(wait func(ctx context.Context)) *DB {
	return d.seen(func(a *Access) { a.meet = wait })
}

func (d *DB) seen(otherwise func(a *Access)) *DB {
	other, access := *d, *d.Access
	otherwise(&access)
	other.Access = &access
	return &other
}

// Close ends the writer and all connections; it waits for the running group
// and frees the lock. Closing again does nothing.
func (d *DB) Close() error {
	var err error
	d.closing.Do(func() {
		d.gone.Store(true)
		err = d.engine.close()
	})
	return err
}

// Rest gives back memory that the next statements would take again, and may be called at
// any time: for when nothing is asked of the database for a while.
func (d *DB) Rest() { d.engine.rest() }

// Tell tells the other servers on this database that something is due, soon and without
// waiting for it. It is a hint: it may be lost, or stand for several.
func (d *DB) Tell() { d.engine.tell() }

// Listen calls heard whenever another server on this database may have told something,
// until ctx ends. It returns at once where nobody can tell: on SQLite, which has one
// server, and behind a transaction pooler. heard must not block.
func (d *DB) Listen(ctx context.Context, heard func()) { d.engine.listen(ctx, heard) }

// Dialect is "sqlite" or "postgres": a name to show. Nobody decides by it.
func (d *DB) Dialect() string { return d.d.name }

// Lock takes the exclusive lock of an SQLite file for a server (a lock on a
// file beside it); on PostgreSQL, where any number may serve, it does nothing.
// Conflict: another server holds it. The lock goes with Close or the process.
func (d *DB) Lock() error { return d.engine.lock() }

// Alone is a Conflict while a server listens on the database (Listen), in the same schema; it
// names the server's connection. Whoever asks is told nothing where no server can listen: on
// SQLite, for which Lock is, and behind a transaction pooler.
func (d *DB) Alone(ctx context.Context) error { return d.engine.alone(ctx) }

// Ping asks the database one small question. Unavailable: it does not answer.
func (d *DB) Ping(ctx context.Context) error {
	_, err := One(ctx, d, ScanInt, "", `select 1`)
	return err
}

// InTx runs fn in one transaction and returns once it is durable. fn may be run
// again (PostgreSQL, after a deadlock or a lost connection), so it must have no
// effect outside the Tx that a second run would spoil, and it must call neither
// the DB's reads nor InTx. An error of fn rolls its writes back, and alone
// its writes, and is returned as it is; a panic of fn becomes an Internal error.
// Unavailable: the database is full, busy or away, or ctx ended first:
// then nothing of fn stays, whether or not it has run. Once the commit has begun, the
// outcome is the true one even when ctx ends meanwhile. OutcomeUnknown: the
// database went away during the commit, and fn may be stored or not.
func (d *DB) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	err := d.engine.inTx(ctx, func(tx *Tx) error {
		tx.schema, tx.clock, tx.watch = d.schema, d.clock, d.watch
		err := fn(tx)
		if err == nil && d.commits != nil {
			err = d.commits(false)
		}
		return err
	})
	if err == nil && d.commits != nil {
		err = d.commits(true)
	}
	if DiskFull(err) {
		d.full.Store(true)
	}
	return err
}

func newTx(db session, d *dialect) *Tx {
	return &Tx{&Access{db: db, d: d, failed: new(error)}}
}

// outcome is what became of a closure that returned err.
func (t *Tx) outcome(err error) error {
	if err == nil {
		return *t.failed
	}
	return err
}

// fail translates a driver's error and, in a Tx, remembers it. On PostgreSQL the
// transaction is lost from then on. The same rule holds for SQLite, because a full disk
// ends its transaction, and later statements would commit one by one.
func (a *Access) fail(err error) error {
	if own, ok := errors.AsType[*typus.Error](err); ok {
		return own
	}
	translated := a.d.translate(err)
	if a.failed != nil && *a.failed == nil {
		*a.failed = translated
	}
	return translated
}

// ready lets a statement run, unless the database is closed, a fault has ended this
// transaction, or whoever watches wants this one to fail.
func (a *Access) ready(query string) error {
	if a.gone != nil && a.gone.Load() {
		return closed()
	}
	if a.failed != nil && *a.failed != nil {
		return *a.failed
	}
	if a.watch == nil {
		return nil
	}
	if err := a.watch(query); err != nil {
		return a.fail(err)
	}
	return nil
}

// Row is a row to be read.
type Row interface {
	// Scan reads the columns, in their order, into variables that dest points to: texts,
	// bytes, whole numbers, truths, any, and what implements sql.Scanner. Null goes into
	// bytes, any and some scanners only.
	Scan(dest ...any) error
}

// run runs a statement, with each nil for one without rows, and translates its error.
func (a *Access) run(ctx context.Context, query string, args []any, each func(Row) error) (int, error) {
	if err := a.ready(query); err != nil {
		return 0, err
	}
	if a.meet != nil {
		a.meet(ctx)
	}
	within := ctx
	if a.d.distant && !a.endless {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	changed, err := a.db.run(within, query, args, each)
	if err != nil {
		if a.silent != nil && within.Err() != nil && ctx.Err() == nil {
			a.silent()
		}
		return 0, a.fail(err)
	}
	return changed, nil
}

// All runs a query and reads every row.
func All[T any](ctx context.Context, from Querier, scan func(Row) (T, error), query string, args ...any) ([]T, error) {
	return AllOf(ctx, from, 0, scan, query, args...)
}

// Each hands each row of a query to do, one at a time, until an error, which it returns.
// Errors of the database are translated.
func Each(ctx context.Context, from Querier, do func(Row) error, query string, args ...any) error {
	_, err := from.through().run(ctx, query, args, do)
	return err
}

// AllOf is All where about as many rows come as expected: with the first there is room for
// all of them.
func AllOf[T any](ctx context.Context, from Querier, expected int, scan func(Row) (T, error), query string, args ...any) ([]T, error) {
	var list []T
	_, err := from.through().run(ctx, query, args, func(row Row) error {
		v, err := scan(row)
		if list == nil {
			list = make([]T, 0, expected)
		}
		if err == nil {
			list = append(list, v)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// One runs a query for one row. NotFound with the text missing when there is none. Where
// there are several, all are scanned, and the first is the answer.
func One[T any](ctx context.Context, from Querier, scan func(Row) (T, error), missing string, query string, args ...any) (T, error) {
	v, found, err := Maybe(ctx, from, scan, query, args...)
	if err == nil && !found {
		err = typus.Errorf(typus.NotFound, "%s", missing)
	}
	return v, err
}

// Maybe is One without the error: it says whether there was a row.
func Maybe[T any](ctx context.Context, from Querier, scan func(Row) (T, error), query string, args ...any) (T, bool, error) {
	var first, none T
	found := false
	_, err := from.through().run(ctx, query, args, func(row Row) error {
		v, err := scan(row)
		if !found {
			first, found = v, true
		}
		return err
	})
	if err != nil || !found {
		return none, false, err
	}
	return first, true, nil
}

// Exec runs a statement and says how many rows it changed.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (int, error) {
	return t.run(ctx, query, args, nil)
}

// Must is Exec for a statement that changes one named row. NotFound with the
// text missing when it changed none.
func (t *Tx) Must(ctx context.Context, missing string, query string, args ...any) error {
	n, err := t.Exec(ctx, query, args...)
	if err == nil && n == 0 {
		return typus.Errorf(typus.NotFound, "%s", missing)
	}
	return err
}
