package db

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"typus"
)

// FileItself is the path of an SQLite database without links. SQLite keeps the log, and a
// server its lock, beside the file itself. Its errors are those of Refused.
func FileItself(path string) (string, error) { return fileItself(path) }

// Hold takes the lock that a server has on the SQLite database at a path, which need not
// be there yet, until it is closed. Conflict: a server runs.
func Hold(path string) (io.Closer, error) { return hold(path) }

func hold(path string) (*os.File, error) {
	f, err := lockBeside(path, ".lock")
	if errors.Is(err, errLocked) {
		return nil, typus.Errorf(typus.Conflict, "a server is running on the database %s; stop it first", path)
	}
	if err != nil {
		return nil, Refused(path+".lock", err)
	}
	return f, nil
}

// HoldCopying takes the lock of whoever copies the SQLite database at a path, until it is
// closed. Conflict: somebody copies it already.
func HoldCopying(path string) (io.Closer, error) {
	f, err := lockBeside(path, ".backup.lock")
	if errors.Is(err, errLocked) {
		return nil, typus.Errorf(typus.Conflict, "another backup of %s is under way; wait for its end", path)
	}
	if err != nil {
		return nil, Refused(path+".backup.lock", err)
	}
	return f, nil
}

// lockBeside is lockFile for a file beside an SQLite database. Made by root, it belongs to
// whom the database belongs.
func lockBeside(database, end string) (*os.File, error) {
	f, err := os.OpenFile(database+end, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names the database
	if err == nil {
		GiveToOwner(f, database)
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return lockFile(database + end)
}

// GiveToOwner gives a file that root has just made to whom the SQLite database at a path
// belongs, or the directory in which there is none yet, as SQLite does with what it makes
// beside one: whoever runs the server could not use it otherwise. It does nothing for other
// users, whose files are their own already.
func GiveToOwner(f *os.File, database string) { giveToOwner(f, database) }

// lookWhileCopying is the pause between two looks at the log while a file is copied.
const lookWhileCopying = 100 * time.Millisecond

// CopyFile writes a consistent copy of the SQLite database at a path, beside whoever reads
// and writes it, to a file that must be empty or not there. Pages that nothing is in, and
// what was erased beside the cells of others, are not copied. Nothing is synced. Of what
// was committed before the call all is in the copy. While it runs the log cannot be
// emptied. Conflict: the log has grown to 256 MB meanwhile, or there is no room.
// Unavailable: ctx has ended. The caller removes what is left of the copy after an error.
func CopyFile(ctx context.Context, from, to string) error {
	return copyDatabase(ctx, from, to, longLog)
}

func copyDatabase(ctx context.Context, from, to string, mostLog int64) error {
	c, err := openFile(ctx, from, false)
	if err != nil {
		return (&sqliteEngine{path: from}).unusable(err)
	}
	before, err := sequencesOf(ctx, c)
	if err == nil {
		err = c.copyTo(ctx, from, to, mostLog)
	}
	if err = errors.Join(err, c.close()); err != nil {
		return err
	}
	return holdsAll(ctx, to, before)
}

// copyTo runs VACUUM INTO, https://sqlite.org/lang_vacuum.html, and interrupts it when
// ctx ends or the log becomes too long.
func (c *conn) copyTo(ctx context.Context, from, to string, mostLog int64) error {
	target, err := filepath.Abs(to) // SQLite would take a name that begins with file: for an address
	if err != nil {
		return Refused(to, err)
	}
	why := func() error {
		if ctx.Err() != nil {
			return typus.Errorf(typus.Unavailable, "the copy was broken off").WithCause(ctx.Err())
		}
		if logSize(from) > mostLog {
			return typus.Errorf(typus.Conflict, "the log of %s has grown to %d MB while it was copied; try again when less is written", from, mostLog>>20)
		}
		return nil
	}
	if err := why(); err != nil {
		return err
	}
	failed, stopped := c.interrupted(why, func() error { return c.once(`vacuum into $1`, []any{target}, nil) })
	switch e, ok := errors.AsType[*sqliteError](failed); {
	case failed == nil:
		return nil
	case stopped != nil:
		return stopped
	case DiskFull(failed):
		return noRoomFor(to, failed)
	case ok && e.code&0xff == sqlite3.SQLITE_CORRUPT:
		return damaged(from).WithCause(failed)
	}
	return typus.Errorf(typus.Unavailable, "the database could not be copied to %s", to).WithCause(failed)
}

// interrupted runs a statement and interrupts it as soon as why returns an error. It returns
// the error of the statement, and that of why.
func (c *conn) interrupted(why, statement func() error) (error, error) {
	done, looked := make(chan struct{}), make(chan error)
	go func() { looked <- c.interruptWhen(done, why) }()
	err := statement()
	close(done)
	return err, <-looked
}

// interruptWhen interrupts the connection's statement, which another goroutine runs, once
// why has returned an error, and returns that error when done is closed. It does so again
// and again: a statement that has not begun yet does not notice.
func (c *conn) interruptWhen(done <-chan struct{}, why func() error) error {
	tls := libc.NewTLS()
	defer tls.Close()
	var stopped error
	for {
		select {
		case <-done:
			return stopped
		case <-time.After(lookWhileCopying):
		}
		if stopped == nil {
			stopped = why()
		}
		if stopped != nil {
			sqlite3.Xsqlite3_interrupt(tls, c.db)
		}
	}
}

// sequence is how far the keys of a table have counted.
type sequence struct {
	table string
	last  int64
}

func sequencesOf(ctx context.Context, c *conn) ([]sequence, error) {
	return All(ctx, &Access{db: unkept{c}, d: &sqliteDialect}, func(row Row) (sequence, error) {
		var s sequence
		err := row.Scan(&s.table, &s.last)
		return s, err
	}, `select name, seq from sqlite_sequence`)
}

// holdsAll checks that no key of the copy counts behind what it counted before. Keys never
// go backwards, whatever is deleted, so the copy has what was there before.
func holdsAll(ctx context.Context, path string, before []sequence) error {
	c, err := openAsItIs(path)
	if err != nil {
		return err
	}
	after, err := sequencesOf(ctx, c)
	if err = errors.Join(err, c.close()); err != nil {
		return err
	}
	last := map[string]int64{}
	for _, s := range after {
		last[s.table] = s.last
	}
	for _, s := range before {
		if last[s.table] < s.last {
			return typus.Errorf(typus.Internal, "the copy %s lacks rows of %s: it ends at %d, the database at %d", path, s.table, last[s.table], s.last)
		}
	}
	return nil
}

// openAsItIs opens a file that nobody uses, and makes no file beside it.
func openAsItIs(path string) (*conn, error) {
	return openConn(uriOf(path, url.Values{"mode": {"ro"}, "immutable": {"1"}}))
}

// CheckFile reads the copy of an SQLite database from end to end. Invalid: it is no
// database of ours, is cut off or damaged, is not what Stamp has stamped, or is the file of
// a database in use, whose log lies beside it. Its other errors are those of Refused.
func CheckFile(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return typus.Errorf(typus.Invalid, "there is no file %s", path)
	}
	if err != nil {
		return Refused(path, err)
	}
	if info.IsDir() {
		return typus.Errorf(typus.Invalid, "%s is a directory where a file is needed", path)
	}
	if logSize(path) > 0 {
		return typus.Errorf(typus.Invalid, "%s is the file of a database in use, a part of which is still in %s-wal; take a file that typus backup has made", path, path)
	}
	if err := checkHeader(path, info.Size()); err != nil {
		return err
	}
	c, err := openAsItIs(path)
	if err != nil {
		return notWhole(path).WithCause(err)
	}
	verdict, err := One(ctx, &Access{db: unkept{c}, d: &sqliteDialect}, ScanText, "", `pragma integrity_check(1)`)
	if err = errors.Join(err, c.close()); err != nil || verdict != "ok" {
		return notWhole(path).WithCause(errors.Join(err, errors.New(verdict)))
	}
	if holds, err := stampHolds(path); err != nil || holds {
		return err
	}
	return notWhole(path).WithCause(errors.New("the checksum differs"))
}

func notWhole(path string) *typus.Error {
	return typus.Errorf(typus.Invalid, "%s is damaged; take another backup", path)
}

func checkHeader(path string, size int64) error {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return Refused(path, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	header := make([]byte, fileHeader)
	if _, err := io.ReadFull(f, header); err != nil || string(header[:16]) != "SQLite format 3\x00" {
		return typus.Errorf(typus.Invalid, "%s is no SQLite database, so it is no backup of one", path)
	}
	if binary.BigEndian.Uint32(header[68:]) != applicationID {
		return typus.Errorf(typus.Invalid, "%s is another program's database", path)
	}
	if promised := promisedSize(header); size < promised {
		return typus.Errorf(typus.Invalid, "%s is cut off: it has %d of %d bytes; take another backup", path, size, promised)
	}
	return nil
}

// Peek reads the bytes that a query finds first in an SQLite file of ours that nobody uses,
// without making a file beside it; nil when it finds none. Invalid: it is no such file.
func Peek(ctx context.Context, path, query string, args ...any) ([]byte, error) {
	if err := checkHeader(path, 1<<62); err != nil {
		return nil, err
	}
	c, err := openAsItIs(path)
	if err != nil {
		return nil, notWhole(path).WithCause(err)
	}
	found, _, err := Maybe(ctx, &Access{db: unkept{c}, d: &sqliteDialect}, ScanBytes, query, args...)
	if err = errors.Join(err, c.close()); err != nil {
		return nil, notWhole(path).WithCause(err)
	}
	return found, nil
}

// Fold moves the log of an SQLite database into its file, so that the file alone is the
// database, until it is opened again. Conflict: another program has it open.
func Fold(ctx context.Context, path string) error {
	c, err := openConn(uriOf(path, nil))
	if err != nil {
		return (&sqliteEngine{path: path}).unusable(err)
	}
	var mode string
	if err = c.once("pragma busy_timeout = "+sqliteDialect.asserted["busy_timeout"], nil, nil); err == nil {
		mode, err = One(ctx, &Access{db: unkept{c}, d: &sqliteDialect}, ScanText, "", `pragma journal_mode = delete`)
	}
	err = errors.Join(err, c.close())
	if busy(err) || err == nil && mode != "delete" {
		return typus.Errorf(typus.Conflict, "another program has the database %s open; end it and try again", path).WithCause(err)
	}
	if err != nil {
		return (&sqliteEngine{path: path}).unusable(err)
	}
	return nil
}
