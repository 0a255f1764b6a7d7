package faulttest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// table is what one holds.
type table struct {
	columns []string
	rows    [][]any
	texts   [][]string // its cells in words, nil until somebody asks
}

// state is what a database holds, by table. A table that holds what it held when it was read
// before is the same table, not one like it.
type state map[string]*table

// tables reads a database, and puts back what it held, as another program does.
type tables struct {
	testing.TB
	ctx    context.Context
	sqlite bool
	conn   *sql.Conn
	names  []string

	last    state          // what was read last
	version map[string]any // of each table at that time: it is another one after a change
}

// sequences are what SQLite has given as ids. They are put back, and not compared.
const sequences = "sqlite_sequence"

func openTables(t testing.TB, dsn string) *tables {
	t.Helper()
	b := &tables{TB: t, ctx: context.Background(), sqlite: !strings.HasPrefix(dsn, "postgres"), last: state{}, version: map[string]any{}}
	driver, list, first := "sqlite", `select name from sqlite_master where type = 'table' and (name = '`+sequences+`' or name not like 'sqlite_%')`, `pragma busy_timeout = 10000`
	if !b.sqlite {
		driver, list, first = "pgx", `select cast(tablename as text) from pg_tables where schemaname = current_schema`, `set session_replication_role = replica`
	}
	db, err := sql.Open(driver, dsn)
	b.must(err)
	b.conn, err = db.Conn(b.ctx)
	b.must(err)
	t.Cleanup(func() { _ = errors.Join(b.conn.Close(), db.Close()) }) // nothing waits to be written
	b.exec(first)
	for _, row := range b.query(list).rows {
		b.names = append(b.names, row[0].(string))
	}
	return b
}

func (b *tables) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *tables) exec(query string, args ...any) {
	b.Helper()
	if _, err := b.conn.ExecContext(b.ctx, query, args...); err != nil {
		b.Fatalf("%s: %v", query, err)
	}
}

// read is all that the database holds.
func (b *tables) read() state {
	b.Helper()
	now, next := b.versions(), state{}
	for _, name := range b.names {
		was := b.last[name]
		if next[name] = was; was == nil || now[name] != b.version[name] {
			if is := b.query(`select * from ` + name); was == nil || !slices.EqualFunc(is.rows, was.rows, alike) {
				next[name] = is
			}
		}
	}
	b.last, b.version = next, now
	return next
}

// versions are the versions of the tables: on SQLite that of the file, which what another
// connection writes makes another; on PostgreSQL a sum over all of their rows.
func (b *tables) versions() map[string]any {
	b.Helper()
	now := map[string]any{}
	if b.sqlite {
		file := b.query(`pragma data_version`).rows[0][0]
		for _, name := range b.names {
			now[name] = file
		}
		return now
	}
	sums := make([]string, len(b.names))
	for i, name := range b.names {
		sums[i] = `select '` + name + `', coalesce(md5(string_agg(cast(x as text), ',' order by cast(x as text))), '') from ` + name + ` x`
	}
	for _, row := range b.query(strings.Join(sums, ` union all `)).rows {
		now[row[0].(string)] = row[1]
	}
	return now
}

func (b *tables) query(query string) *table {
	b.Helper()
	rows, err := b.conn.QueryContext(b.ctx, query)
	b.must(err)
	defer func() { _ = rows.Close() }() // it was only read
	t := new(table)
	t.columns, err = rows.Columns()
	b.must(err)
	for rows.Next() {
		row := make([]any, len(t.columns))
		to := make([]any, len(row))
		for i := range row {
			to[i] = &row[i]
		}
		b.must(rows.Scan(to...))
		t.rows = append(t.rows, row)
	}
	b.must(rows.Err())
	return t
}

// back makes the database hold what it did.
func (b *tables) back(to state) {
	b.Helper()
	from := b.read()
	b.exec(`begin`)
	for _, name := range b.names {
		was := to[name]
		if from[name] == was || slices.EqualFunc(from[name].words(), was.words(), slices.Equal) {
			continue
		}
		b.exec(`delete from ` + name)
		if len(was.rows) > 0 {
			b.insert(name, was)
		}
	}
	b.exec(`commit`)
	b.last, b.version = to, b.versions()
}

// insert puts the rows of a table into the database's, which is empty.
func (b *tables) insert(name string, t *table) {
	b.Helper()
	holes := make([]string, len(t.columns))
	for i := range holes {
		holes[i] = fmt.Sprintf("$%d", i+1)
	}
	one, err := b.conn.PrepareContext(b.ctx, `insert into `+name+` (`+strings.Join(t.columns, ", ")+`) values (`+strings.Join(holes, ", ")+`)`)
	b.must(err)
	defer func() { _ = one.Close() }() // each row was written or failed
	for _, row := range t.rows {
		_, err := one.ExecContext(b.ctx, row...)
		b.must(err)
	}
}

// alike reports whether two rows are surely the same: what is not alike may still be.
func alike(x, y []any) bool {
	return slices.EqualFunc(x, y, func(x, y any) bool {
		this, bytesX := x.([]byte)
		that, bytesY := y.([]byte)
		if bytesX || bytesY {
			return bytesX && bytesY && bytes.Equal(this, that)
		}
		return x == y
	})
}

// words are the cells of a table, row by row.
func (t *table) words() [][]string {
	if t.texts == nil {
		t.texts = make([][]string, len(t.rows))
		for i, row := range t.rows {
			t.texts[i] = words(row)
		}
	}
	return t.texts
}

// words are the cells of a row. No other cell has the words of one.
func words(row []any) []string {
	said := make([]string, len(row))
	for i, cell := range row {
		switch cell := cell.(type) {
		case string:
			said[i] = strconv.Quote(cell)
		case []byte:
			said[i] = strconv.Quote(string(cell))
		case int64:
			said[i] = strconv.FormatInt(cell, 10)
		default:
			said[i] = fmt.Sprint(cell)
		}
	}
	return said
}

// asides are the columns of which nothing is expected, by table; "" stands for the whole table.
type asides map[string][]string

// and adds those that are named as "table" or "table.column".
func (a asides) and(more map[string]string) asides {
	all := asides{}
	for name, columns := range a {
		all[name] = slices.Clone(columns)
	}
	for name := range more {
		of, column, _ := strings.Cut(name, ".")
		all[of] = append(all[of], column)
	}
	return all
}

// shown are the rows of a table without some columns, in one order.
func (a asides) shown(name string, t *table) []string {
	if name == sequences || slices.Contains(a[name], "") {
		return nil
	}
	list := make([]string, 0, len(t.rows))
	for _, row := range t.words() {
		kept := make([]string, 0, len(row))
		for i, cell := range row {
			if !slices.Contains(a[name], t.columns[i]) {
				kept = append(kept, cell)
			}
		}
		list = append(list, strings.Join(kept, " "))
	}
	slices.Sort(list)
	return list
}

// differ names the tables that two readings do not agree on.
func (a asides) differ(x, y state) []string {
	var names []string
	for name := range x {
		if x[name] != y[name] && !slices.Equal(a.shown(name, x[name]), a.shown(name, y[name])) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// drawn adds the columns that two readings of the same do not agree on: tokens, ciphers, and
// ids on PostgreSQL, which gives none a second time.
func (a asides) drawn(x, y state) asides {
	all := a.and(nil)
	for _, name := range a.differ(x, y) {
		for i, column := range x[name].columns {
			if !slices.Equal(cells(x[name], i), cells(y[name], i)) {
				all[name] = append(all[name], column)
			}
		}
	}
	return all
}

// cells are those of one column, in one order.
func cells(t *table, column int) []string {
	var list []string
	for _, row := range t.words() {
		list = append(list, row[column])
	}
	slices.Sort(list)
	return list
}
