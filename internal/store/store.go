// Package store keeps everything in SQLite or PostgreSQL, with one SQL text for both.
package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"typus"
)

// patience is how long one step waits for the database: for a connection, a
// statement, a commit, the turn in SQLite's queue. No caller waits without an end,
// whatever became of the database.
const patience = 10 * time.Second

// Store is an open database. Reads go through it directly; everything that
// changes goes through InTx, so that a half-done step cannot exist.
type Store struct {
	reads
	engine  engine
	closing *sync.Once
}

// Tx is one transaction: all of it happens or nothing. It reads, too. After a
// statement has failed it is lost, whatever its closure returns.
type Tx struct{ reads }

// reads are the questions that a Store and a Tx answer alike.
type reads struct {
	db      session
	d       *dialect
	clock   typus.Clock   // nil: the one that all users of the database share
	failed  *error        // the first fault in a Tx; nil in a Store
	turns   chan struct{} // one place for each of SQLite's reading connections; nil elsewhere
	endless bool          // statements wait as long as it takes
}

// session runs statements: on a pool for a Store, in one transaction for a Tx.
type session interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// engine is one of the two ways to run transactions: grouped in SQLite's one
// writer, or side by side on PostgreSQL.
type engine interface {
	inTx(ctx context.Context, fn func(*Tx) error) error
	lock() error
	warnings() []string
	close() error
}

// Open opens the database named by dsn, a file path (SQLite) or a postgres://
// URL, and asserts the settings that the store's promises rest on. It does not
// migrate. Invalid: the name cannot be read. Unavailable: the database does not
// answer. Conflict: a setting or a version is not what it must be.
func Open(ctx context.Context, dsn string) (*Store, error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		return openPostgres(ctx, dsn)
	}
	return openSQLite(ctx, dsn)
}

// WithClock is the same open database seen by another clock: what is due, claimed
// and finished through it goes by that one. With nil, as after Open, it goes by the
// clock that all users of the database share: the server's on PostgreSQL, this
// machine's on SQLite. Closing one closes both.
func (s *Store) WithClock(c typus.Clock) *Store {
	other := *s
	other.clock = c
	return &other
}

// Close ends the writer and all connections; it waits for the running group
// and frees the lock. Closing again does nothing.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() { err = s.engine.close() })
	return err
}

// Dialect is "sqlite" or "postgres".
func (s *Store) Dialect() string { return s.d.name }

// Lock takes the exclusive lock of an SQLite file for a server (a lock on a
// file beside it); on PostgreSQL, where any number may serve, it does nothing.
// Conflict: another server holds it. The lock goes with Close or the process.
func (s *Store) Lock() error { return s.engine.lock() }

// Ping asks the database one small question. Unavailable: it does not answer.
func (s *Store) Ping(ctx context.Context) error {
	_, err := one(ctx, s.reads, scanInt, "", `select 1`)
	return err
}

// InTx runs fn in one transaction and returns once it is durable. fn may be run
// again (PostgreSQL, after a deadlock or a lost connection), so it must have no
// effect outside the Tx that a second run would spoil, and it must call neither
// the Store's reads nor InTx. An error of fn rolls its writes back, and alone
// its writes, and is returned as it is; a panic of fn becomes an Internal error.
// Unavailable: the database is full, busy or away, or ctx ended first:
// then nothing of fn stays, whether or not it has run. Once the commit has begun, the
// outcome is the true one even when ctx ends meanwhile. OutcomeUnknown: the
// database went away during the commit, and fn may be stored or not.
func (s *Store) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	return s.engine.inTx(ctx, func(tx *Tx) error {
		tx.clock = s.clock
		return fn(tx)
	})
}

// InBatches runs batch in one transaction after another until it has nothing
// more to change, and says how many rows it changed in all. So much work at once
// would keep everybody else waiting. Errors are those of InTx; what earlier
// batches did stays.
func (s *Store) InBatches(ctx context.Context, batch func(tx *Tx) (int, error)) (int, error) {
	for sum := 0; ; {
		n := 0
		err := s.InTx(ctx, func(tx *Tx) error {
			var err error
			n, err = batch(tx)
			return err
		})
		if err != nil || n == 0 {
			return sum, err
		}
		sum += n
	}
}

func newTx(db session, d *dialect) *Tx {
	return &Tx{reads{db: db, d: d, failed: new(error)}}
}

// outcome is what became of a closure that returned err.
func (t *Tx) outcome(err error) error {
	if err == nil {
		return *t.failed
	}
	return err
}

// fail translates a driver's error and, in a Tx, remembers it: on PostgreSQL
// the transaction is lost from then on, and SQLite is held to the same rule,
// because a full disk ends its transaction and later statements would commit
// one by one.
func (r reads) fail(err error) error {
	if own, ok := errors.AsType[*typus.Error](err); ok {
		return own
	}
	translated := r.d.translate(err)
	if r.failed != nil && *r.failed == nil {
		*r.failed = translated
	}
	return translated
}

// lost is the fault that ended this transaction, if one did.
func (r reads) lost() error {
	if r.failed == nil {
		return nil
	}
	return *r.failed
}

// statements counts what has been run.
var statements atomic.Int64

// StatementsRun is how many statements this process has run. What must not tell
// who has a login runs as many for everybody.
func StatementsRun() int64 { return statements.Load() }

// scanner is a row to be read.
type scanner interface{ Scan(dest ...any) error }

// all runs a query and reads every row.
func all[T any](ctx context.Context, r reads, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	if err := r.lost(); err != nil {
		return nil, err
	}
	statements.Add(1)
	ctx, cancel := r.bounded(ctx)
	defer cancel()
	leave, err := r.turn(ctx)
	if err != nil {
		return nil, r.fail(err)
	}
	defer leave()
	rows, err := r.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, r.fail(err)
	}
	defer func() { _ = rows.Close() }() // what went wrong is in rows.Err
	var list []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, r.fail(err)
		}
		list = append(list, v)
	}
	if err := rows.Err(); err != nil {
		return nil, r.fail(err)
	}
	return list, nil
}

// bounded gives one statement its end.
func (r reads) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.endless {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, patience)
}

// turn waits for one of SQLite's reading connections, as long as ctx lasts:
// a statement that waits for one inside database/sql would not end with ctx.
func (r reads) turn(ctx context.Context) (leave func(), err error) {
	if r.turns == nil {
		return func() {}, nil
	}
	select {
	case r.turns <- struct{}{}:
		return func() { <-r.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// one runs a query for one row. NotFound with the text missing when there is none.
func one[T any](ctx context.Context, r reads, scan func(scanner) (T, error), missing string, query string, args ...any) (T, error) {
	list, err := all(ctx, r, scan, query, args...)
	if err == nil && len(list) == 0 {
		err = typus.Errorf(typus.NotFound, "%s", missing)
	}
	if err != nil {
		var none T
		return none, err
	}
	return list[0], nil
}

// maybe is one without the error: ok says whether there was a row.
func maybe[T any](ctx context.Context, r reads, scan func(scanner) (T, error), query string, args ...any) (T, bool, error) {
	list, err := all(ctx, r, scan, query, args...)
	if err != nil || len(list) == 0 {
		var none T
		return none, false, err
	}
	return list[0], true, nil
}

// exec runs a statement and says how many rows it changed.
func (t *Tx) exec(ctx context.Context, query string, args ...any) (int, error) {
	if err := t.lost(); err != nil {
		return 0, err
	}
	statements.Add(1)
	ctx, cancel := t.bounded(ctx)
	defer cancel()
	result, err := t.db.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, t.fail(err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, t.fail(err)
	}
	return int(n), nil
}

// must is exec for a statement that changes one named row. NotFound with the
// text missing when it changed none.
func (t *Tx) must(ctx context.Context, missing string, query string, args ...any) error {
	n, err := t.exec(ctx, query, args...)
	if err == nil && n == 0 {
		return typus.Errorf(typus.NotFound, "%s", missing)
	}
	return err
}
