package db

import (
	"context"
	"errors"
	"sync"
)

// sqliteReaders is the number of connections that read beside the writer.
const sqliteReaders = 4

// readers are the connections that read an SQLite file. They are opened when they are
// needed, and the one that was used last is the next: few requests need few
// connections, whose pages and statements take memory.
type readers struct {
	path   string
	turns  chan struct{} // one place for each connection
	mu     sync.Mutex
	idle   []*conn
	closed bool
}

func newReaders(path string) *readers {
	return &readers{path: path, turns: make(chan struct{}, sqliteReaders)}
}

// run implements session.
func (r *readers) run(ctx context.Context, text string, args []any, each func(Row) error) (int, error) {
	if err := r.turn(ctx); err != nil {
		return 0, err
	}
	defer func() { <-r.turns }()
	c, err := r.take(ctx)
	if err != nil {
		return 0, err
	}
	defer r.give(c)
	return c.run(ctx, text, args, each)
}

// turn waits for a connection for as long as ctx lasts, and patience.
func (r *readers) turn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case r.turns <- struct{}{}:
		return nil
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case r.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take is a connection that nobody uses. Unavailable: the database is closed.
func (r *readers) take(ctx context.Context) (*conn, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, closed()
	}
	if last := len(r.idle) - 1; last >= 0 {
		c := r.idle[last]
		r.idle = r.idle[:last]
		r.mu.Unlock()
		return c, nil
	}
	r.mu.Unlock()
	return openFile(ctx, r.path, true)
}

// give takes a connection back.
func (r *readers) give(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		_ = c.close() // nothing was written on it
		return
	}
	r.idle = append(r.idle, c)
}

// rest closes the connections that nobody uses: each keeps pages and statements in memory,
// and another one is opened within milliseconds.
func (r *readers) rest() {
	r.mu.Lock()
	idle := r.idle
	r.idle = nil
	r.mu.Unlock()
	for _, c := range idle {
		_ = c.close() // nothing was written on it
	}
}

// close closes the connections: those at work when they are given back.
func (r *readers) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var err error
	for _, c := range r.idle {
		err = errors.Join(err, c.close())
	}
	r.idle = nil
	return err
}
