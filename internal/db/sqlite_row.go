package db

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Scan implements Row. What it fills are copies: SQLite overwrites its own with the next
// row.
func (s *stmt) Scan(dest ...any) error {
	if !s.reading {
		return errors.New("db: a row is read after it has gone")
	}
	if n := int(sqlite3.Xsqlite3_data_count(s.c.tls, s.handle)); n != len(dest) {
		return fmt.Errorf("db: a row of %d columns is read into %d places", n, len(dest))
	}
	for i, d := range dest {
		if err := s.scan(int32(i), d); err != nil {
			return fmt.Errorf("db: column %d, %s: %w", i+1, s.column(int32(i)), err)
		}
	}
	return nil
}

// Columns are the names of the columns, as sql.Rows has them.
func (s *stmt) Columns() ([]string, error) {
	names := make([]string, sqlite3.Xsqlite3_data_count(s.c.tls, s.handle))
	for i := range names {
		names[i] = s.column(int32(i))
	}
	return names, nil
}

func (s *stmt) column(i int32) string {
	return libc.GoString(sqlite3.Xsqlite3_column_name(s.c.tls, s.handle, i))
}

// scan reads one column. What is read most has a way of its own, which needs no memory
// but the value's.
func (s *stmt) scan(i int32, dest any) error {
	kind := sqlite3.Xsqlite3_column_type(s.c.tls, s.handle, i)
	switch d := dest.(type) {
	case *[]byte:
		*d = nil
		if kind != sqlite3.SQLITE_NULL {
			*d = s.blob(i)
		}
		return nil
	case **string:
		*d = nil
		if kind != sqlite3.SQLITE_NULL {
			*d = new(s.string(i))
		}
		return nil
	case *sql.NullString:
		*d = sql.NullString{}
		switch kind {
		case sqlite3.SQLITE_TEXT:
			*d = sql.NullString{String: s.string(i), Valid: true}
			return nil
		case sqlite3.SQLITE_NULL:
			return nil
		}
	case *any:
		*d = s.value(i, kind)
		return nil
	case *Instant:
		if kind == sqlite3.SQLITE_INTEGER {
			*d = Instant(time.UnixMilli(s.integer(i)).UTC())
			return nil
		}
	}
	if d, ok := dest.(sql.Scanner); ok {
		return d.Scan(s.value(i, kind))
	}
	if kind == sqlite3.SQLITE_NULL {
		return fmt.Errorf("null cannot be read into a %T", dest)
	}
	switch d := dest.(type) {
	case *string:
		*d = s.string(i)
		return nil
	case *int64:
		return s.number(i, kind, d)
	case *bool:
		return s.truth(i, kind, d)
	}
	return s.reflected(i, kind, dest)
}

// reflected reads a column that is not null into a variable of a type that it finds out.
func (s *stmt) reflected(i, kind int32, dest any) error {
	to := reflect.ValueOf(dest)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("a %T is nothing to read into", dest)
	}
	to = to.Elem()
	var n int64
	switch to.Kind() {
	case reflect.String:
		to.SetString(s.string(i))
		return nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if err := s.number(i, kind, &n); err != nil {
			return err
		}
		if to.OverflowInt(n) {
			return fmt.Errorf("%d is too large for a %T", n, dest)
		}
		to.SetInt(n)
		return nil
	case reflect.Bool:
		var b bool
		err := s.truth(i, kind, &b)
		to.SetBool(b)
		return err
	}
	return fmt.Errorf("nothing can be read into a %T", dest)
}

// number reads a whole number. SQLite by itself would make 0 of a text without one.
func (s *stmt) number(i, kind int32, to *int64) error {
	if kind != sqlite3.SQLITE_INTEGER {
		return fmt.Errorf("a whole number is wanted, and it is %q", s.string(i))
	}
	*to = s.integer(i)
	return nil
}

// truth reads a number that is 0 or 1.
func (s *stmt) truth(i, kind int32, to *bool) error {
	var n int64
	if err := s.number(i, kind, &n); err != nil {
		return err
	}
	if n != 0 && n != 1 {
		return fmt.Errorf("%d is no truth", n)
	}
	*to = n == 1
	return nil
}

// value is a column as one of the types that a sql.Scanner can be given.
func (s *stmt) value(i, kind int32) any {
	switch kind {
	case sqlite3.SQLITE_INTEGER:
		return s.integer(i)
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_column_double(s.c.tls, s.handle, i)
	case sqlite3.SQLITE_TEXT:
		return s.string(i)
	case sqlite3.SQLITE_BLOB:
		return s.blob(i)
	}
	return nil
}

func (s *stmt) integer(i int32) int64 {
	return sqlite3.Xsqlite3_column_int64(s.c.tls, s.handle, i)
}

// string is a copy of a column as text, which SQLite makes of a number, too.
func (s *stmt) string(i int32) string {
	p := sqlite3.Xsqlite3_column_text(s.c.tls, s.handle, i)
	return string(libc.GoBytes(p, s.bytes(i)))
}

// blob is a copy of a column as bytes. Without any it is empty and not nil, which would
// be null.
func (s *stmt) blob(i int32) []byte {
	p := sqlite3.Xsqlite3_column_blob(s.c.tls, s.handle, i)
	return append([]byte{}, libc.GoBytes(p, s.bytes(i))...)
}

func (s *stmt) bytes(i int32) int {
	return int(sqlite3.Xsqlite3_column_bytes(s.c.tls, s.handle, i))
}
