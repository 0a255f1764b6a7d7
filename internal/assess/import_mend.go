package assess

import (
	"context"
	"math"
	"reflect"
	"slices"

	"typus"
	"typus/internal/store"
)

// Mended says what came of rows that somebody has mended.
type Mended struct {
	Ready     int               // can be invited now
	Left      int               // still cannot
	Overtaken []typus.ImportRow // as they are stored: somebody else has changed them meanwhile
}

// MendRows takes over what was typed for rows of a preview: N names the row, and name,
// address, external ID and language count. All rows are checked again, because a new
// address may be in another row. What is still faulty is kept as it was typed. A row
// that is neither faulty nor mended before stays as it is, and so does one of which
// overtaken says that it is not what whoever typed has seen; nil: none is. NotFound.
// Conflict: the import is no preview any more.
func (s *Steps) MendRows(ctx context.Context, reader store.Reader, id int64, by []typus.ImportRow, overtaken func(stored typus.ImportRow) bool) (Mended, error) {
	var out Mended
	at := s.now()
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		i, err := tx.LockImportFor(ctx, reader, id)
		if err != nil {
			return err
		}
		if i.State != typus.ImportPreview {
			return typus.Errorf(typus.Conflict, "this import is no preview any more")
		}
		before, err := tx.ImportRows(ctx, i.AccountID, id, "", 0, math.MaxInt32)
		if err != nil {
			return err
		}
		var rows []typus.ImportRow
		rows, out = mend(before, by, overtaken)
		if i.Valid, err = s.judge(ctx, tx, i, rows, at); err != nil {
			return err
		}
		out.count(rows, by)
		return tx.MendRows(ctx, i, changed(before, rows))
	})
	return out, err
}

// mend puts what was typed into the rows that may be mended.
func mend(rows, by []typus.ImportRow, overtaken func(typus.ImportRow) bool) ([]typus.ImportRow, Mended) {
	var out Mended
	rows = slices.Clone(rows)
	for _, r := range by {
		n, there := slices.BinarySearchFunc(rows, r.N, func(row typus.ImportRow, line int) int { return row.N - line })
		switch {
		case !there || !rows[n].Mendable():
		case overtaken != nil && overtaken(rows[n]):
			out.Overtaken = append(out.Overtaken, rows[n])
		default:
			rows[n] = typed(r)
		}
	}
	return rows, out
}

// changed are the rows that are not what they were before.
func changed(before, rows []typus.ImportRow) []typus.ImportRow {
	var list []typus.ImportRow
	for n, r := range rows {
		if !reflect.DeepEqual(before[n], r) {
			list = append(list, r)
		}
	}
	return list
}

// count says what came of the rows that were typed.
func (m *Mended) count(rows, by []typus.ImportRow) {
	same := func(a typus.ImportRow) func(typus.ImportRow) bool {
		return func(b typus.ImportRow) bool { return a.N == b.N }
	}
	for _, r := range rows {
		switch {
		case !r.Mended, !slices.ContainsFunc(by, same(r)), slices.ContainsFunc(m.Overtaken, same(r)):
		case r.State == typus.RowReady:
			m.Ready++
		default:
			m.Left++
		}
	}
}
