package dbtest

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite", by which tests look at a file as other programs do
)

// Contents returns a function that reads everything a database holds: for each
// table its rows as text, in no order that means anything.
func Contents(t testing.TB, dsn string) func() map[string][]string {
	t.Helper()
	driver, tables := "sqlite", `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
	if strings.HasPrefix(dsn, "postgres") {
		driver, tables = "pgx", `select cast(tablename as text) from pg_tables where schemaname = current_schema`
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // it was only read
	return func() map[string][]string {
		t.Helper()
		all := map[string][]string{}
		for _, table := range texts(t, db, tables) {
			all[table] = texts(t, db, "select * from "+table)
		}
		return all
	}
}

// Changed names the tables in which two readings differ.
func Changed(before, after map[string][]string) []string {
	var names []string
	for name, rows := range after {
		if !slices.Equal(rows, before[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// texts are the rows of an answer, each as one text, sorted.
func texts(t testing.TB, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }() // it was only read
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			t.Fatal(err)
		}
		for i, cell := range cells {
			cells[i] = *cell.(*any)
			if blob, ok := cells[i].([]byte); ok {
				cells[i] = fmt.Sprintf("%q", blob)
			}
		}
		list = append(list, strings.TrimSuffix(fmt.Sprintln(cells...), "\n"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// Holding names the files of an SQLite database, its log and shared memory among them,
// that hold a word in small letters, as written or with capitals, and says how often.
func Holding(t testing.TB, path, word string) []string {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	var holding []string
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(bytes.ToLower(body), []byte(word)); n > 0 {
			holding = append(holding, fmt.Sprintf("%d times in %s", n, filepath.Base(file)))
		}
	}
	return holding
}
