package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"

	"typus"
)

// diskFull is PostgreSQL's SQLSTATE for it.
const diskFull = "53100"

// DiskFull reports whether an error comes of a disk of the database that is full.
func DiskFull(err error) bool {
	if e, ok := errors.AsType[*sqliteError](err); ok {
		return e.code&0xff == sqlite3.SQLITE_FULL || e.code == sqlite3.SQLITE_IOERR_SHMSIZE // for the file of its shared memory
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == diskFull
}

// noRoomFor says that there is none for a file.
func noRoomFor(path string, cause error) *typus.Error {
	return typus.Errorf(typus.Conflict, "there is no room left for %s; make room and try again", path).WithCause(cause)
}

// noRoom is the error of a step for which the disk has no room.
func noRoom(cause error) error {
	return typus.Errorf(typus.Unavailable, "the disk of the database is full; nothing can be stored until whoever runs this server makes room").WithCause(cause)
}

// Full reports whether the disk of the database was full when something was to be stored, and
// has had no room since, as far as FindRoom knows.
func (d *DB) Full() bool { return d.full.Load() }

// FindRoom lets try, which stores something, find out whether the disk has room again. Errors
// are those of try.
func (d *DB) FindRoom(ctx context.Context, try func(tx *Tx) error) error {
	err := d.InTx(ctx, try)
	if err == nil {
		d.full.Store(false)
	}
	return err
}
