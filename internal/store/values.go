package store

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// millis is how a time is stored: unix milliseconds, UTC.
func millis(t time.Time) int64 { return t.UnixMilli() }

// millisOrNull is millis, null for the zero time.
func millisOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// durationOrNull is a duration in milliseconds, null for none.
func durationOrNull(d time.Duration) any {
	if d == 0 {
		return nil
	}
	return d.Milliseconds()
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func idOrNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// flag is how a truth is stored: both databases have integers.
func flag(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// instant scans stored milliseconds into a time, null into the zero time.
type instant time.Time

// Scan implements sql.Scanner.
func (i *instant) Scan(src any) error {
	switch ms := src.(type) {
	case nil:
		*i = instant{}
	case int64:
		*i = instant(time.UnixMilli(ms).UTC())
	default:
		return fmt.Errorf("store: a time is stored as milliseconds, not as %T", src)
	}
	return nil
}

// fineInstant scans stored microseconds into a time, 0 into the zero time.
type fineInstant time.Time

// Scan implements sql.Scanner.
func (i *fineInstant) Scan(src any) error {
	us, ok := src.(int64)
	switch {
	case !ok:
		return fmt.Errorf("store: a fine time is stored as microseconds, not as %T", src)
	case us == 0:
		*i = fineInstant{}
	default:
		*i = fineInstant(time.UnixMicro(us).UTC())
	}
	return nil
}

// milliseconds scans stored milliseconds into a duration.
type milliseconds time.Duration

// Scan implements sql.Scanner.
func (m *milliseconds) Scan(src any) error {
	ms, ok := src.(int64)
	if !ok {
		return fmt.Errorf("store: a duration is stored as milliseconds, not as %T", src)
	}
	*m = milliseconds(time.Duration(ms) * time.Millisecond)
	return nil
}

// truth scans what flag has stored.
type truth bool

// Scan implements sql.Scanner.
func (b *truth) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("store: a truth is stored as a number, not as %T", src)
	}
	*b = n != 0
	return nil
}

func scanInt(row scanner) (int64, error) {
	var n int64
	err := row.Scan(&n)
	return n, err
}

func scanText(row scanner) (string, error) {
	var s string
	err := row.Scan(&s)
	return s, err
}

func scanBytes(row scanner) ([]byte, error) {
	var b []byte
	err := row.Scan(&b)
	return b, err
}

func scanInstant(row scanner) (time.Time, error) {
	var t time.Time
	err := row.Scan((*instant)(&t))
	return t, err
}

// storable reports whether both databases can hold s as text. PostgreSQL
// refuses NUL and broken UTF-8; such a text is therefore never found, on SQLite
// neither.
func storable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}
