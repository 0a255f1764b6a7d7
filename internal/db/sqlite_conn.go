package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// conn is one connection to an SQLite file, with the statements that were prepared on
// it: parsing is most of the cost of a small query. One goroutine at a time uses it. It
// calls SQLite's C interface, https://sqlite.org/c3ref/funclist.html, in its
// translation to Go, and not database/sql, which costs more than SQLite itself.
type conn struct {
	tls   *libc.TLS
	db    uintptr
	out   uintptr          // room for the two addresses that SQLite answers with
	stmts map[string]*stmt // the kept ones, by their text
}

// mostKept is how many statements a connection keeps. A server that runs for long has
// seen so many combinations of filters that all of them would take more memory than the
// pages of the file.
const mostKept = 500

// pointer is the size of an address.
const pointer = int(unsafe.Sizeof(uintptr(0)))

// openConn opens a file by its SQLite URI, https://sqlite.org/uri.html. SQLite reads the
// file with the first statement only.
func openConn(uri string) (*conn, error) {
	c := &conn{tls: libc.NewTLS(), stmts: map[string]*stmt{}}
	if c.out = sqlite3.Xsqlite3_malloc(c.tls, int32(2*pointer)); c.out == 0 {
		return nil, errors.Join(c.fault(sqlite3.SQLITE_NOMEM), c.close())
	}
	name, err := c.text(uri)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	defer sqlite3.Xsqlite3_free(c.tls, name)
	// Without a lock of SQLite's own, because only one goroutine uses it.
	const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_URI | sqlite3.SQLITE_OPEN_NOMUTEX | sqlite3.SQLITE_OPEN_EXRESCODE
	rc := sqlite3.Xsqlite3_open_v2(c.tls, name, c.out, flags, 0)
	c.db = c.answer(0) // also of one that cannot be used, to be closed
	if rc != sqlite3.SQLITE_OK {
		return nil, errors.Join(c.fault(rc), c.close())
	}
	return c, nil
}

// close frees the statements and the connection. The last one of a file folds the log
// into it and removes the log.
func (c *conn) close() error {
	for _, s := range c.stmts {
		s.close()
	}
	var err error
	if rc := sqlite3.Xsqlite3_close(c.tls, c.db); rc != sqlite3.SQLITE_OK {
		err = c.fault(rc)
	}
	sqlite3.Xsqlite3_free(c.tls, c.out)
	c.tls.Close()
	return err
}

// run implements session. When ctx ends, a running statement goes on and the next one
// fails: stopping one would roll back the whole group in the writer. All statements are
// short except the search for damage in the file.
func (c *conn) run(ctx context.Context, text string, args []any, each func(Row) error) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := c.prepared(text, args, each); err != nil {
		return 0, err
	}
	return int(sqlite3.Xsqlite3_changes(c.tls, c.db)), nil
}

// prepared runs a statement that is prepared once and kept for the next time. A text of
// several is not kept, nor is a second one of the same text while the rows of the first
// are read.
func (c *conn) prepared(text string, args []any, each func(Row) error) error {
	kept := c.stmts[text]
	if kept != nil && !kept.running {
		return kept.run(args, each)
	}
	s, rest, err := c.prepare(text)
	if err != nil || s == nil {
		return err
	}
	if kept != nil || strings.TrimSpace(rest) != "" {
		s.close()
		return c.once(text, args, each)
	}
	c.keep(text, s)
	return s.run(args, each)
}

// keep keeps a statement, and if there are too many gives up some other.
func (c *conn) keep(text string, s *stmt) {
	for other, kept := range c.stmts {
		if len(c.stmts) < mostKept {
			break
		}
		if !kept.running {
			kept.close()
			delete(c.stmts, other)
		}
	}
	c.stmts[text] = s
}

// forget gives up the kept statements: a plan takes more memory than the text it is made of.
func (c *conn) forget() {
	for text, kept := range c.stmts {
		if !kept.running {
			kept.close()
			delete(c.stmts, text)
		}
	}
}

// once runs all statements of a text and keeps none.
func (c *conn) once(text string, args []any, each func(Row) error) error {
	for {
		s, rest, err := c.prepare(text)
		if err != nil || s == nil {
			return err
		}
		if err := s.runAndClose(args, each); err != nil {
			return err
		}
		text = rest
	}
}

// prepare prepares the first statement of a text and returns the rest of it. There is
// none in a text of nothing but space and comments.
func (c *conn) prepare(text string) (*stmt, string, error) {
	p, err := c.text(text)
	if err != nil {
		return nil, "", err
	}
	defer sqlite3.Xsqlite3_free(c.tls, p)
	rc := sqlite3.Xsqlite3_prepare_v3(c.tls, c.db, p, int32(len(text)+1), sqlite3.SQLITE_PREPARE_PERSISTENT, c.out, c.out+uintptr(pointer))
	if rc != sqlite3.SQLITE_OK {
		return nil, "", c.fault(rc)
	}
	handle, rest := c.answer(0), text[c.answer(1)-p:]
	if handle == 0 {
		return nil, "", nil
	}
	s := &stmt{c: c, handle: handle}
	if err := s.readParameters(); err != nil {
		s.close()
		return nil, "", err
	}
	return s, rest, nil
}

// text is a copy of a text in SQLite's memory, ended by NUL. The caller frees it.
func (c *conn) text(s string) (uintptr, error) {
	p := sqlite3.Xsqlite3_malloc(c.tls, int32(len(s)+1))
	if p == 0 {
		return 0, c.fault(sqlite3.SQLITE_NOMEM)
	}
	b := libc.GoBytes(p, len(s)+1)
	copy(b, s)
	b[len(s)] = 0
	return p, nil
}

// answer is one of the two addresses in out.
func (c *conn) answer(n int) uintptr {
	return *(*uintptr)(unsafe.Pointer(&libc.GoBytes(c.out, 2*pointer)[n*pointer])) //nolint:gosec // both have just been written
}

// sqliteError is what SQLite refuses, with its extended result code,
// https://sqlite.org/rescode.html.
type sqliteError struct {
	code int32
	text string
}

// Error implements error.
func (e *sqliteError) Error() string { return fmt.Sprintf("%s (%d)", e.text, e.code) }

// fault is the error of a result code, in the words of the call that has just failed.
func (c *conn) fault(rc int32) error {
	text := libc.GoString(sqlite3.Xsqlite3_errstr(c.tls, rc))
	if c.db != 0 {
		if more := libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db)); more != text {
			text += ": " + more
		}
	}
	return &sqliteError{code: rc, text: text}
}
