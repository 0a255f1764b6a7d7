package store

import (
	"context"
	"strings"

	"typus/internal/db"
)

const markQuery = `select value from server_marks where name = $1`

// Mark reads a value that belongs to the whole server, such as the one that
// proves the secret key; nil when it was never set.
func (r *reads) Mark(ctx context.Context, name string) ([]byte, error) {
	value, _, err := db.Maybe(ctx, r, db.ScanBytes, markQuery, name)
	return value, err
}

// Marks reads the values whose names begin with a prefix, by name.
func (r *reads) Marks(ctx context.Context, prefix string) (map[string][]byte, error) {
	type mark struct {
		name  string
		value []byte
	}
	list, err := db.All(ctx, r, func(row db.Row) (mark, error) {
		var m mark
		err := row.Scan(&m.name, &m.value)
		return m, err
	}, `select name, value from server_marks`)
	values := map[string][]byte{}
	for _, m := range list {
		if strings.HasPrefix(m.name, prefix) {
			values[m.name] = m.value
		}
	}
	return values, err
}

// TakeMark removes a value that is good for one use, and reports whether it was still
// there.
func (t *Tx) TakeMark(ctx context.Context, name string) (bool, error) {
	n, err := t.db.Exec(ctx, `delete from server_marks where name = $1`, name)
	return n == 1, err
}

// SetMark keeps the first value that was ever set under a name and returns that value,
// so that two servers that start at the same time get the same one.
func (t *Tx) SetMark(ctx context.Context, name string, value []byte) ([]byte, error) {
	_, err := t.db.Exec(ctx, `insert into server_marks (name, value) values ($1, $2) on conflict (name) do nothing`, name, value)
	if err != nil {
		return nil, err
	}
	return db.One(ctx, t, db.ScanBytes, "the mark is gone", markQuery, name)
}

// MarkOnce sets a value that must be new each time. False means that the value is
// already set, so what was done in the same transaction is done. It waits for a
// transaction that has set the value and whose outcome is still open.
func (t *Tx) MarkOnce(ctx context.Context, name string, value []byte) (bool, error) {
	n, err := t.db.Exec(ctx, `
		insert into server_marks (name, value) values ($1, $2)
		on conflict (name) do update set value = excluded.value where server_marks.value <> excluded.value`, name, value)
	return n == 1, err
}

// DropMarks deletes the values whose names begin with a prefix and that are below a
// limit, compared byte by byte, and returns how many. The prefix must not contain "%"
// or "_".
func (t *Tx) DropMarks(ctx context.Context, prefix string, limit []byte) (int, error) {
	return t.db.Exec(ctx, `delete from server_marks where name like $1 and value < $2`, prefix+"%", limit)
}

// ReplaceMark sets a value that changes, such as the addresses that a server
// runs under.
func (t *Tx) ReplaceMark(ctx context.Context, name string, value []byte) error {
	_, err := t.db.Exec(ctx, `
		insert into server_marks (name, value) values ($1, $2)
		on conflict (name) do update set value = excluded.value`, name, value)
	return err
}

func (t *Tx) dropMark(ctx context.Context, name string) error {
	_, err := t.db.Exec(ctx, `delete from server_marks where name = $1`, name)
	return err
}
