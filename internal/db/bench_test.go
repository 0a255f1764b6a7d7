package db_test

import (
	"fmt"
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
