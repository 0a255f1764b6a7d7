package db

import (
	"context"
	"database/sql"
	"errors"
)

// Snapshot has fn read one state of the database, whatever others write meanwhile, for as
// long as it takes. It must not write. Errors are those of any query.
func (d *DB) Snapshot(ctx context.Context, fn func(a *Access) error) error {
	return d.engine.snapshot(ctx, func(a *Access) error {
		a.schema, a.clock, a.watch = d.schema, d.clock, d.watch
		return fn(a)
	})
}

func (e *sqliteEngine) snapshot(ctx context.Context, fn func(*Access) error) error {
	c, err := openFile(ctx, e.path, true)
	if err != nil {
		return sqliteDialect.translate(err)
	}
	err = c.once("begin", nil, nil)
	if err == nil {
		err = fn(&Access{db: c, d: &sqliteDialect})
	}
	return errors.Join(err, c.close()) // which ends the transaction
}

func (p *postgresEngine) snapshot(ctx context.Context, fn func(*Access) error) error {
	conn, err := p.acquire(ctx)
	if err != nil {
		return p.d.translate(err)
	}
	defer func() { _ = conn.Close() }() // it was only read
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return p.d.translate(err)
	}
	defer func() { _ = tx.Rollback() }() // it was only read
	t := newTx(sqlSession{tx}, p.d)
	if err := t.TakeTime(ctx); err != nil {
		return err
	}
	return fn(t.Access)
}

// TakeTime lets the statements of a transaction that come after it last as long as they
// need: for the work of a command that nobody waits for on a page.
func (t *Tx) TakeTime(ctx context.Context) error {
	t.endless = true
	if t.d.takeTime == "" {
		return nil
	}
	_, err := t.Exec(ctx, t.d.takeTime)
	return err
}
