package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// prepared runs statements that are prepared once and reused, because parsing is most
// of the cost of a small query. It never evicts one: there are no more than the
// statements in this package.
type prepared struct {
	on interface {
		PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	}
	mu    sync.RWMutex
	stmts map[string]*sql.Stmt
}

func (p *prepared) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.RLock()
	s := p.stmts[query]
	p.mu.RUnlock()
	if s != nil {
		return s, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.stmts[query]; s != nil {
		return s, nil
	}
	s, err := p.on.PrepareContext(ctx, query) //nolint:sqlclosecheck // kept until close
	if err == nil {
		p.stmts[query] = s
	}
	return s, err
}

// close frees the statements. database/sql does not close those of a single connection,
// and SQLite would keep the connection open because of them, and with it the log file.
func (p *prepared) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, s := range p.stmts {
		err = errors.Join(err, s.Close())
	}
	return err
}

// QueryContext implements session. When ctx ends, a running statement goes on and the
// next one fails. Stopping a running statement would roll back the whole group in the
// writer, and would close a reader's connection with all its prepared statements. All
// statements are short except the search for damage in the file.
func (p *prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	s, err := p.stmt(ctx, query) //nolint:sqlclosecheck // kept until close
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// ExecContext implements session, as QueryContext does.
func (p *prepared) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	s, err := p.stmt(ctx, query) //nolint:sqlclosecheck // kept until close
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}
