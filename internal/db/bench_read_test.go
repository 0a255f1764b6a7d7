package db_test

import (
	"fmt"
	"strings"
	"testing"

	"typus/internal/db"
)

// wide makes a table of 20 columns, half of them texts, and so many rows.
func wide(b *testing.B, s *db.DB, rows int) {
	b.Helper()
	var columns, values []string
	for i := range 10 {
		columns = append(columns, fmt.Sprintf("n%d bigint, t%d text", i, i))
		values = append(values, fmt.Sprintf("$1 * %d, 'text %d of row ' || $1", 1000*i, i))
	}
	write(b, s, func(tx *db.Tx) error {
		if err := exec(b.Context(), tx, `create table wide (id integer primary key, `+strings.Join(columns, ", ")+`)`); err != nil {
			return err
		}
		for i := range int64(rows) {
			if err := exec(b.Context(), tx, `insert into wide values ($1, `+strings.Join(values, ", ")+`)`, i+1); err != nil {
				return err
			}
		}
		return nil
	})
}

type wideRow struct {
	n [10]int64
	t [10]string
}

func scanWide(row db.Row) (wideRow, error) {
	var w wideRow
	dest := make([]any, 0, 20)
	for i := range 10 {
		dest = append(dest, &w.n[i], &w.t[i])
	}
	err := row.Scan(dest...)
	return w, err
}

const wideColumns = `select n0, t0, n1, t1, n2, t2, n3, t3, n4, t4, n5, t5, n6, t6, n7, t7, n8, t8, n9, t9 from wide`

func BenchmarkReadOneRow(b *testing.B) {
	s := openSQLite(b)
	wide(b, s, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := db.One(b.Context(), s, db.ScanText, "none", `select t1 from wide where id = $1`, int64(500)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadOneWideRow(b *testing.B) {
	s := openSQLite(b)
	wide(b, s, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := db.One(b.Context(), s, scanWide, "none", wideColumns+` where id = $1`, int64(500)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadFiftyRowsOfTwentyColumns(b *testing.B) {
	s := openSQLite(b)
	wide(b, s, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if list, err := db.All(b.Context(), s, scanWide, wideColumns+` where id > $1 order by id limit 50`, int64(500)); err != nil || len(list) != 50 {
			b.Fatal(len(list), err)
		}
	}
}
