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
	"strings"

	"typus"
)

// applicationID marks a file as ours, in its header ("Typu"),
// https://sqlite.org/fileformat.html#application_id.
const applicationID = 0x54797075

// fileItself is the path without links: SQLite keeps the log beside the file itself.
func fileItself(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", Refused(path, err)
	}
	target, err := os.Readlink(path)
	if err != nil {
		return path, nil //nolint:nilerr // no link, and nothing there yet
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	return fileItself(target)
}

// prepareFile makes sure that there is a database of ours, or an empty one, at the
// path, and that this user may write to it. It refuses anything else and leaves it as
// it is, without making a file beside it. Invalid: another program's database, no
// database, a directory, a damaged file. Forbidden: the user may not write to it.
func prepareFile(ctx context.Context, path string, schema Schema) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeFile(path)
	}
	if err != nil {
		return Refused(path, err)
	}
	if info.IsDir() {
		return typus.Errorf(typus.Invalid, "%s is a directory; name a file in it, such as %s", path, filepath.Join(path, "typus.db"))
	}
	if err := accessible(path); err != nil {
		return err
	}
	return examine(ctx, path, schema)
}

// makeFile makes an empty database that only its owner can read, because it will hold
// personal data. SQLite gives its side files the same mode. The file is made under a
// temporary name and linked into place when it is complete. Whoever else opens the path
// in the meantime finds either no file, or one with its mark and its write-ahead log
// switched on.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Refused(filepath.Dir(path), err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "typus-*.tmp") // mode 0600
	if err != nil {
		return Refused(path, err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // linked or not, its own name is not needed any more
	if err := errors.Join(f.Close(), fillFile(f.Name())); err != nil {
		if DiskFull(err) {
			return noRoomFor(path, err)
		}
		return typus.Errorf(typus.Internal, "the database file %s cannot be made", path).WithCause(err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) { // another process has just made it
		return Refused(path, err)
	}
	return nil
}

// fillFile writes the mark before there is a log beside the file, so that the header
// alone tells whose database it is.
func fillFile(path string) error {
	c, err := openConn(uriOf(path, nil))
	if err != nil {
		return err
	}
	return errors.Join(c.once(sqliteDialect.sign+"; pragma journal_mode = wal", nil, nil), c.close())
}

// accessible checks whether this user may use the file, the files that SQLite and the
// server keep beside it, and the directory in which they are made and removed. It does
// not open any of them, because closing a file would release the locks that this
// process has on it.
func accessible(path string) error {
	for _, name := range []string{path, path + "-wal", path + "-shm", path + ".lock"} {
		if err := usable(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Refused(name, err)
		}
	}
	if err := writable(filepath.Dir(path)); err != nil {
		return Refused(filepath.Dir(path), err)
	}
	return nil
}

// examine decides whose database a file is. An empty file is a new database.
func examine(ctx context.Context, path string, schema Schema) error {
	f, err := os.Open(path) //nolint:gosec // the operator names the database
	if err != nil {
		return Refused(path, err)
	}
	header, err := wholeHeader(f, path)
	if err := errors.Join(err, f.Close()); err != nil || header == nil {
		return err
	}
	id := binary.BigEndian.Uint32(header[68:])
	if id == applicationID {
		return nil
	}
	names, err := tablesOf(ctx, path, schema)
	if err == nil && len(names) == 0 && logSize(path) > 0 {
		names, err = tablesOfCopy(ctx, path, schema)
	}
	return judge(path, id, names, err)
}

// wholeHeader is the header of a file that is as long as its header says, or nil for an
// empty file. A running server folds its log into the file, which grows, and empties
// the log after that. So the header is read first, and the file is measured last. If
// the file has become smaller in between, it is read again.
func wholeHeader(f *os.File, path string) ([]byte, error) {
	for range 2 {
		header := make([]byte, fileHeader)
		n, err := f.ReadAt(header, 0)
		if n == 0 && errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil || !strings.HasPrefix(string(header), "SQLite format 3\x00") {
			return nil, noDatabase(path)
		}
		logged := logSize(path)
		info, err := f.Stat()
		if err != nil {
			return nil, Refused(path, err)
		}
		if logged > 0 || info.Size() >= promisedSize(header) {
			return header, nil
		}
	}
	return nil, damaged(path)
}

// logSize is the size of the write-ahead log, 0 for none.
func logSize(path string) int64 {
	info, err := os.Stat(path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// promisedSize is how long a file is according to its header. It is 0 if the header
// does not say, because a program that is older than the field wrote last.
func promisedSize(header []byte) int64 {
	if string(header[24:28]) != string(header[92:96]) {
		return 0
	}
	return int64(pageSize(header)) * int64(binary.BigEndian.Uint32(header[28:]))
}

// judge refuses what another program has made: tables that are not ours, or a mark of
// its own.
func judge(path string, id uint32, names []string, err error) error {
	switch {
	case err != nil:
		return damaged(path).WithCause(err)
	case len(names) > 0:
		return typus.Errorf(typus.Invalid, "the file %s belongs to another program (its tables: %s); it was left as it is; set TYPUS_DATABASE to a file of its own",
			path, strings.Join(names, ", "))
	case id != 0:
		return typus.Errorf(typus.Invalid, "the file %s belongs to another program (application id %d); it was left as it is; set TYPUS_DATABASE to a file of its own",
			path, id)
	}
	return nil
}

// tablesOf names some tables of another program in a file without looking at its log.
// SQLite neither locks the file nor makes another beside it.
func tablesOf(ctx context.Context, path string, schema Schema) ([]string, error) {
	return strangersIn(ctx, uriOf(path, url.Values{"mode": {"ro"}, "immutable": {"1"}}), schema)
}

// tablesOfCopy does the same on a copy that includes the log, for a file whose program
// ended before anything but the log was written. On the file itself SQLite would leave
// other files behind.
func tablesOfCopy(ctx context.Context, path string, schema Schema) (names []string, err error) {
	dir, err := os.MkdirTemp("", "typus-look-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	twin := filepath.Join(dir, "typus.db")
	for _, end := range []string{"-wal", ""} {
		if err := copyFile(twin+end, path+end); err != nil {
			return nil, err
		}
	}
	return strangersIn(ctx, uriOf(twin, nil), schema)
}

func strangersIn(ctx context.Context, uri string, schema Schema) ([]string, error) {
	c, err := openConn(uri)
	if err != nil {
		return nil, err
	}
	names, err := (&Access{db: c, d: &sqliteDialect, schema: schema}).strangers(ctx)
	return names, errors.Join(err, c.close())
}

func copyFile(to, from string) error {
	in, err := os.Open(from) //nolint:gosec // the operator names the database
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // in a directory of our own
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), in.Close())
}

func noDatabase(path string) *typus.Error {
	return typus.Errorf(typus.Invalid, "the file %s is no SQLite database; it was left as it is; set TYPUS_DATABASE to a file of its own", path)
}

func damaged(path string) *typus.Error {
	return typus.Errorf(typus.Invalid, "the database file %s is damaged or cut off; put the newest backup in its place", path)
}
