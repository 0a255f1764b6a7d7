package db

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Millis is how a time is stored: unix milliseconds, UTC.
func Millis(t time.Time) int64 { return t.UnixMilli() }

// MillisOrNull is millis, null for the zero time.
func MillisOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// DurationOrNull is a duration in milliseconds, null for none.
func DurationOrNull(d time.Duration) any {
	if d == 0 {
		return nil
	}
	return d.Milliseconds()
}

// TextOrNull is a text, null for none.
func TextOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// IDOrNull is an id, null for 0.
func IDOrNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// Flag is how a truth is stored: both databases have integers.
func Flag(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// Instant scans stored milliseconds into a time, null into the zero time.
type Instant time.Time

// Scan implements sql.Scanner.
func (i *Instant) Scan(src any) error {
	switch ms := src.(type) {
	case nil:
		*i = Instant{}
	case int64:
		*i = Instant(time.UnixMilli(ms).UTC())
	default:
		return fmt.Errorf("db: a time is stored as milliseconds, not as %T", src)
	}
	return nil
}

// FineInstant scans stored microseconds into a time, 0 into the zero time.
type FineInstant time.Time

// Scan implements sql.Scanner.
func (i *FineInstant) Scan(src any) error {
	us, ok := src.(int64)
	switch {
	case !ok:
		return fmt.Errorf("db: a fine time is stored as microseconds, not as %T", src)
	case us == 0:
		*i = FineInstant{}
	default:
		*i = FineInstant(time.UnixMicro(us).UTC())
	}
	return nil
}

// Milliseconds scans stored milliseconds into a duration.
type Milliseconds time.Duration

// Scan implements sql.Scanner.
func (m *Milliseconds) Scan(src any) error {
	ms, ok := src.(int64)
	if !ok {
		return fmt.Errorf("db: a duration is stored as milliseconds, not as %T", src)
	}
	*m = Milliseconds(time.Duration(ms) * time.Millisecond)
	return nil
}

// Bytes scans stored bytes into a string, which can be compared, and null into "".
type Bytes string

// Scan implements sql.Scanner.
func (b *Bytes) Scan(src any) error {
	bytes, ok := src.([]byte)
	if !ok && src != nil {
		return fmt.Errorf("db: bytes are stored as bytes, not as %T", src)
	}
	*b = Bytes(bytes)
	return nil
}

// Truth scans what flag has stored.
type Truth bool

// Scan implements sql.Scanner.
func (b *Truth) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("db: a truth is stored as a number, not as %T", src)
	}
	*b = n != 0
	return nil
}

// ScanInt reads a row of one number.
func ScanInt(row Row) (int64, error) {
	var n int64
	err := row.Scan(&n)
	return n, err
}

// ScanText reads a row of one text.
func ScanText(row Row) (string, error) {
	var s string
	err := row.Scan(&s)
	return s, err
}

// ScanBytes reads a row of one column of bytes.
func ScanBytes(row Row) ([]byte, error) {
	var b []byte
	err := row.Scan(&b)
	return b, err
}

// ScanInstant reads a row of one time.
func ScanInstant(row Row) (time.Time, error) {
	var t time.Time
	err := row.Scan((*Instant)(&t))
	return t, err
}

// Storable reports whether both databases can hold s as text. PostgreSQL
// refuses NUL and broken UTF-8; such a text is therefore never found, on SQLite
// neither.
func Storable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}
