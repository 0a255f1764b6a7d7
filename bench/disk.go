package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
)

// tableSize is what a table takes on disk, its indexes included.
type tableSize struct {
	name  string
	rows  int
	bytes int64
}

// disk is row 14, taken before anything is driven: the whole file by all
// candidates, and what a finished one takes.
func (b *bench) disk(ctx context.Context) error {
	info, err := os.Stat(b.full.Path)
	if err != nil {
		return err
	}
	if b.sizes, err = tableSizes(ctx, b.full.Path); err != nil {
		return err
	}
	each := float64(info.Size()) / float64(b.full.Candidates)
	b.add("14", fmt.Sprintf("disk per candidate, %d of %d finished, everything included", shareDone, shareOf), kilobytes(each), "≤ 6 KB", each <= 6000)
	if b.before != nil {
		if info, err = os.Stat(b.before.full); err != nil {
			return err
		}
		b.was("%s", kilobytes(float64(info.Size())/float64(b.full.Candidates)))
	}
	finished := 0.0
	for _, t := range b.sizes {
		if t.rows >= len(b.full.Finished) { // a row for each of them
			finished += float64(t.bytes) / float64(t.rows)
		}
	}
	b.note("14", "disk per finished test: a row of each table below, its letter and the log of its webhook included", kilobytes(finished))
	return nil
}

// tableSizes reads the pages of each table and of its indexes, those with
// nothing but a few rows left out.
func tableSizes(ctx context.Context, path string) ([]tableSize, error) {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `
		select m.tbl_name, sum(s.pgsize), max(case when m.name = m.tbl_name then s.ncell end)
		from (select name, sum(pgsize) pgsize, sum(case pagetype when 'leaf' then ncell else 0 end) ncell from dbstat group by name) s
		join sqlite_master m on m.name = s.name
		group by m.tbl_name having sum(s.pgsize) > 200000 order by 2 desc`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []tableSize
	for rows.Next() {
		var t tableSize
		if err := rows.Scan(&t.name, &t.bytes, &t.rows); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, errors.Join(rows.Err(), rows.Close())
}
