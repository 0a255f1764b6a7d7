package db

import (
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// stmt is a prepared statement of a connection, and the row of it that is being read.
type stmt struct {
	c       *conn
	handle  uintptr
	takes   []int          // the number of the argument that each parameter takes, from 0
	wanted  int            // how many arguments there are
	values  []driver.Value // of the arguments
	room    uintptr        // holds the texts and bytes that parameters are bound to
	size    int            // of the room
	running bool
	reading bool // there is a row
}

// roomToKeep is how many bytes a statement keeps for its arguments.
const roomToKeep = 4096

// readParameters notes which argument each parameter takes: $2 the second one, wherever
// in the text it stands.
func (s *stmt) readParameters() error {
	n := sqlite3.Xsqlite3_bind_parameter_count(s.c.tls, s.handle)
	for i := int32(1); i <= n; i++ {
		name := libc.GoString(sqlite3.Xsqlite3_bind_parameter_name(s.c.tls, s.handle, i))
		number, err := strconv.Atoi(strings.TrimPrefix(name, "$"))
		if err != nil || number < 1 {
			return fmt.Errorf("db: the parameter %q has no number", name)
		}
		s.takes = append(s.takes, number-1)
		s.wanted = max(s.wanted, number)
	}
	return nil
}

// run runs the statement to its end, or until each, which is given every row, fails. No
// row is left open, whatever happens.
func (s *stmt) run(args []any, each func(Row) error) error {
	if err := s.bind(args); err != nil {
		return err
	}
	s.running = true
	defer s.reset()
	for {
		switch rc := sqlite3.Xsqlite3_step(s.c.tls, s.handle); rc {
		case sqlite3.SQLITE_DONE:
			return nil
		case sqlite3.SQLITE_ROW:
			if each == nil {
				continue
			}
			s.reading = true
			if err := each(s); err != nil {
				return err
			}
		default:
			return s.c.fault(rc)
		}
	}
}

// reset makes the statement ready to run again. The parameters stay bound: SQLite would
// plan a statement anew whose parameters were cleared (since 3.54), and run binds all of
// them again before anything reads them.
func (s *stmt) reset() {
	s.running, s.reading = false, false
	sqlite3.Xsqlite3_reset(s.c.tls, s.handle) // its fault is that of the last step, which is known
	if s.size > roomToKeep {
		s.free()
	}
}

func (s *stmt) runAndClose(args []any, each func(Row) error) error {
	defer s.close()
	return s.run(args, each)
}

func (s *stmt) close() {
	sqlite3.Xsqlite3_finalize(s.c.tls, s.handle) //nolint:misspell // its fault is that of the last step, which is known
	s.free()
}

func (s *stmt) free() {
	sqlite3.Xsqlite3_free(s.c.tls, s.room)
	s.room, s.size = 0, 0
}

// bind gives each parameter its value.
func (s *stmt) bind(args []any) error {
	if len(args) != s.wanted {
		return fmt.Errorf("db: a statement of %d parameters was given %d arguments", s.wanted, len(args))
	}
	defer func() { clear(s.values) }()
	bytes, err := s.take(args)
	if err != nil {
		return err
	}
	if err := s.makeRoom(bytes); err != nil {
		return err
	}
	at := 0
	for i, number := range s.takes {
		n, rc := s.bindOne(int32(i+1), s.values[number], at)
		if rc != sqlite3.SQLITE_OK {
			return s.c.fault(rc)
		}
		at += n
	}
	return nil
}

// take turns the arguments into values, as database/sql does, and returns how many bytes
// they have in all, each as often as it is used.
func (s *stmt) take(args []any) (int, error) {
	s.values = s.values[:0]
	for i, arg := range args {
		switch arg.(type) {
		case nil, int64, string, []byte, bool, float64:
		default:
			var err error
			if arg, err = driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
				return 0, fmt.Errorf("db: the argument $%d: %w", i+1, err)
			}
		}
		s.values = append(s.values, arg)
	}
	bytes := 0
	for _, number := range s.takes {
		switch v := s.values[number].(type) {
		case string:
			bytes += len(v)
		case []byte:
			bytes += len(v)
		case nil, int64, bool, float64:
		default:
			return 0, fmt.Errorf("db: the argument $%d cannot be stored: it is %T", number+1, v)
		}
	}
	return bytes, nil
}

// makeRoom makes room for so many bytes, and for one, so that it has an address: an
// address of 0 would be null.
func (s *stmt) makeRoom(bytes int) error {
	if bytes < s.size {
		return nil
	}
	s.free()
	if s.room = sqlite3.Xsqlite3_malloc(s.c.tls, int32(bytes+1)); s.room == 0 {
		return s.c.fault(sqlite3.SQLITE_NOMEM)
	}
	s.size = bytes + 1
	return nil
}

// bindOne gives one parameter its value and returns how many bytes of the room it takes
// from at on, and the result code.
func (s *stmt) bindOne(i int32, value driver.Value, at int) (int, int32) {
	tls, handle, static := s.c.tls, s.handle, sqlite3.SQLITE_STATIC
	p := s.room + uintptr(at)
	switch v := value.(type) {
	case int64:
		return 0, sqlite3.Xsqlite3_bind_int64(tls, handle, i, v)
	case bool:
		return 0, sqlite3.Xsqlite3_bind_int64(tls, handle, i, Flag(v))
	case float64:
		return 0, sqlite3.Xsqlite3_bind_double(tls, handle, i, v)
	case string:
		copy(libc.GoBytes(p, len(v)), v)
		return len(v), sqlite3.Xsqlite3_bind_text(tls, handle, i, p, int32(len(v)), static)
	case []byte:
		if v == nil {
			return 0, sqlite3.Xsqlite3_bind_null(tls, handle, i)
		}
		copy(libc.GoBytes(p, len(v)), v)
		return len(v), sqlite3.Xsqlite3_bind_blob(tls, handle, i, p, int32(len(v)), static)
	default: // null: take lets nothing else through
		return 0, sqlite3.Xsqlite3_bind_null(tls, handle, i)
	}
}
