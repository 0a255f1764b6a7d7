package db

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"
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
	err := d.engine.(*sqliteEngine).writer.conn.Raw(func(c any) error {
		c.(sqlite.HookRegisterer).RegisterCommitHook(func() int32 {
			n.Add(1)
			return 0
		})
		return nil
	})
	if err != nil {
		panic(err)
	}
	return &n
}

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
	db := openFile(path, 1, true)
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err == nil {
		err = tx.QueryRowContext(t.Context(), "select count(*) from accounts").Scan(new(int))
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { _ = errors.Join(tx.Rollback(), db.Close()) }
}

// WriteAsReader runs a statement on a connection that reads.
func WriteAsReader(ctx context.Context, d *DB, query string) error {
	_, err := d.db.ExecContext(ctx, query)
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
