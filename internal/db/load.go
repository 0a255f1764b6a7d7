package db

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// Groups counts what SQLite's writer has done since the database was opened.
type Groups struct {
	Groups uint64        // transactions, each with one sync of the disk
	Writes uint64        // closures that they answered
	Waited time.Duration // of all closures together, until their turn
}

// counts are Groups while they grow.
type counts struct {
	groups, writes atomic.Uint64
	waited         atomic.Int64
}

// Groups is what the writer of an SQLite file has done; false on PostgreSQL, where each
// closure is a transaction of its own.
func (d *DB) Groups() (Groups, bool) { return d.engine.groups() }

func (e *sqliteEngine) groups() (Groups, bool) {
	c := &e.writer.counts
	return Groups{c.groups.Load(), c.writes.Load(), time.Duration(c.waited.Load())}, true
}

func (p *postgresEngine) groups() (Groups, bool) { return Groups{}, false }

// Size is how large a database is, in bytes. Log, the write-ahead log, and Free, the room
// on its disk, are -1 where they are not known, as on PostgreSQL.
type Size struct{ Database, Log, Free int64 }

// Size looks how large the database is. Errors are those of any query, and of the files.
func (d *DB) Size(ctx context.Context) (Size, error) {
	if path := d.engine.file(); path != "" {
		return sizeOf(path)
	}
	n, err := One(ctx, d, ScanInt, "", `select pg_database_size(current_database())`)
	return Size{n, -1, -1}, err
}

func (e *sqliteEngine) file() string   { return e.path }
func (p *postgresEngine) file() string { return "" }

func sizeOf(path string) (Size, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Size{}, err
	}
	s := Size{Database: info.Size(), Free: -1}
	if wal, err := os.Stat(path + "-wal"); err == nil { // there is none while nothing is written
		s.Log = wal.Size()
	}
	if free, known := FreeSpace(filepath.Dir(path)); known {
		s.Free = free
	}
	return s, nil
}
