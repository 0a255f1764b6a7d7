package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"typus/internal/db"
)

// bundle reads several lists with one statement: their rows come as texts, because both
// databases want a column to have the same type in all of them, and each says which list it
// is of and where it stands there. The statement does not sort them: SQLite would sort each
// list by itself and hand every row on from list to list. It is for lists of numbers and
// texts, not of bytes.
type bundle struct {
	*db.StatementBuilder
	parts []part
	most  int // columns of the widest list
}

// part is one of the lists.
type part struct {
	columns int
	query   string
	add     func(row db.Row) error
}

// list adds a list of a query with these columns; add takes its rows, in their order.
func (b *bundle) list(columns, query string, add func(row db.Row) error) {
	p := part{columnsIn(columns), query, add}
	b.parts, b.most = append(b.parts, p), max(b.most, p.columns)
}

// into is an add for list that appends what scan reads.
func into[T any](list *[]T, scan func(row db.Row) (T, error)) func(row db.Row) error {
	return func(row db.Row) error {
		one, err := scan(row)
		*list = append(*list, one)
		return err
	}
}

// columnsIn counts columns that are written as in a statement.
func columnsIn(list string) int { return len(columnsOf(list)) }

// columnsOf are the columns that are written as in a statement, one by one.
func columnsOf(list string) []string {
	var all []string
	begun, depth := 0, 0
	for i, c := range list {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			all, begun = append(all, strings.TrimSpace(list[begun:i])), i+1
		}
	}
	return append(all, strings.TrimSpace(list[begun:]))
}

// underNumbers gives columns that are written as in a statement the names of numbered.
func underNumbers(name, list string) string {
	all := columnsOf(list)
	for i, as := range numbered(name, len(all)) {
		all[i] += " as " + as
	}
	return strings.Join(all, ", ")
}

// read runs the statement and gives each list its rows, in their order.
func (b *bundle) read(ctx context.Context, r *reads) error {
	names, cells, empty := numbered("c", b.most), make([]string, b.most), make([]string, b.most)
	for i, name := range names {
		cells[i], empty[i] = `cast(`+name+` as text)`, `cast(null as text)`
	}
	b.Add(`with `)
	for i, p := range b.parts {
		if i > 0 {
			b.Add(`,
`)
		}
		b.Add(fmt.Sprintf(`part%d (%s) as materialized (%s)`, i, strings.Join(names[:p.columns], ", "), p.query))
	}
	for i, p := range b.parts {
		if i > 0 {
			b.Add(`
union all`)
		}
		b.Add(fmt.Sprintf(`
select %d as part, row_number() over () as place, %s from part%d`, i, strings.Join(slices.Concat(cells[:p.columns], empty[p.columns:]), ", "), i))
	}
	query, args := b.Numbered()
	rows, err := db.All(ctx, r, b.scan, query, args...)
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(x, y placed) int { return cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(x.place, y.place)) })
	for _, row := range rows {
		if err := b.parts[row.part].add(row.cells); err != nil {
			return err
		}
	}
	return nil
}

// placed is a row of a list, and where it stands in it.
type placed struct {
	part, place int
	cells       texts
}

// numbered are as many names, from 1 on.
func numbered(name string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = name + strconv.Itoa(i+1)
	}
	return names
}

func (b *bundle) scan(row db.Row) (placed, error) {
	r := placed{cells: make(texts, b.most)}
	dest := make([]any, 0, 2+b.most)
	dest = append(dest, &r.part, &r.place)
	for i := range r.cells {
		dest = append(dest, &r.cells[i])
	}
	if err := row.Scan(dest...); err != nil {
		return placed{}, err
	}
	r.cells = r.cells[:b.parts[r.part].columns]
	return r, nil
}

// texts is a row of numbers and texts that came as texts.
type texts []sql.NullString

// Scan implements db.Row.
func (t texts) Scan(dest ...any) error {
	if len(dest) != len(t) {
		return fmt.Errorf("store: a row of %d columns is read into %d places", len(t), len(dest))
	}
	for i, d := range dest {
		if err := read(t[i], d); err != nil {
			return fmt.Errorf("store: column %d: %w", i+1, err)
		}
	}
	return nil
}

// read reads a text into what a number or a text of a table is read into.
func read(text sql.NullString, dest any) error {
	if s, ok := dest.(sql.Scanner); ok {
		return s.Scan(value(text))
	}
	to := reflect.ValueOf(dest).Elem()
	switch {
	case !text.Valid && to.Kind() == reflect.Slice:
		to.SetZero()
		return nil
	case !text.Valid:
		return fmt.Errorf("null cannot be read into a %T", dest)
	case to.Kind() == reflect.String:
		to.SetString(text.String)
		return nil
	case to.CanInt():
		n, err := strconv.ParseInt(text.String, 10, 64)
		to.SetInt(n)
		return err
	}
	return fmt.Errorf("a text cannot be read into a %T", dest)
}

// value is a text as a database would give it: nil, a number or a text.
func value(text sql.NullString) any {
	if !text.Valid {
		return nil
	}
	if n, err := strconv.ParseInt(text.String, 10, 64); err == nil {
		return n
	}
	return text.String
}
