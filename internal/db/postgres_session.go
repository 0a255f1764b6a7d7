package db

import (
	"context"
	"database/sql"
)

// sqlSession runs statements through database/sql.
type sqlSession struct {
	on interface {
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	}
}

// run implements session.
func (s sqlSession) run(ctx context.Context, text string, args []any, each func(Row) error) (int, error) {
	if each == nil {
		return s.exec(ctx, text, args)
	}
	rows, err := s.on.QueryContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }() // what went wrong is in rows.Err
	for rows.Next() {
		if err := each(rows); err != nil {
			return 0, err
		}
	}
	return 0, rows.Err()
}

func (s sqlSession) exec(ctx context.Context, text string, args []any) (int, error) {
	result, err := s.on.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	changed, err := result.RowsAffected()
	return int(changed), err
}
