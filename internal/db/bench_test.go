package db_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"typus/internal/db"
	"typus/internal/db/dbtest"
)

func BenchmarkGroupedWrites(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := openSQLite(b)
			commits := db.CountCommits(s)
			write(b, s, func(tx *db.Tx) error { return setMark(b.Context(), tx, "sheet", 1) })
			body := make([]byte, 600) // a sheet in the middle of a test
			dbtest.Callers(b, callers, func(int) {
				if err := s.InTx(b.Context(), func(tx *db.Tx) error {
					return exec(b.Context(), tx, `update marks set value = $1 where name = 'sheet'`, body)
				}); err != nil {
					b.Error(err)
				}
			})
			b.ReportMetric(float64(b.N)/float64(commits.Load()), "writes/commit")
		})
	}
}

// BenchmarkStartAfterAKill opens a file beside which a log of as many megabytes lies that
// was never copied into it: SQLite reads all of it first.
func BenchmarkStartAfterAKill(b *testing.B) {
	for _, megabytes := range []int64{8, 48, 128} {
		b.Run(fmt.Sprintf("%dMB", megabytes), func(b *testing.B) {
			path := template.SQLite(b)
			s := must[*db.DB](b)(db.Open(b.Context(), path, schema))
			db.ShortenLog(s, 1<<40, 1<<40)
			for i := 0; size(b, path+"-wal") < megabytes<<20; i++ {
				name := fmt.Sprintf("%d %s", i, bytes.Repeat([]byte("x"), 1<<20))
				write(b, s, func(tx *db.Tx) error { return addNamed(b.Context(), tx, name) })
			}
			killed := filepath.Join(b.TempDir(), "killed.db")
			file, log := must[[]byte](b)(os.ReadFile(path)), must[[]byte](b)(os.ReadFile(path+"-wal"))
			s.Close()
			for b.Loop() {
				b.StopTimer()
				if err := errors.Join(os.WriteFile(killed, file, 0o600), os.WriteFile(killed+"-wal", log, 0o600), os.RemoveAll(killed+"-shm")); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				again := must[*db.DB](b)(db.Open(b.Context(), killed, schema))
				b.StopTimer()
				again.Close()
				b.StartTimer()
			}
		})
	}
}
