package db

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"typus"
)

// groupSize is how many closures a group has at most. It bounds how long the first one
// waits for the last.
const groupSize = 128

// writer is the one goroutine that writes to an SQLite file. It runs all
// waiting closures in one transaction, each in its own savepoint, so that one
// sync of the disk answers all of them.
type writer struct {
	conn  *conn
	d     *dialect
	queue chan *job
	folds chan chan folded
	trail *trail
	fill  *filler
	counts
	stop  chan struct{}
	ended chan struct{}
}

// job is a closure on its way through the writer.
type job struct {
	fn    func(*Tx) error
	asked time.Time
	taken atomic.Bool // by the writer, to run it, or by a caller who no longer waits
	err   error
	done  chan struct{}
}

func startWriter(c *conn, d *dialect, t *trail, f *filler) *writer {
	w := &writer{
		conn:  c,
		d:     d,
		queue: make(chan *job),
		folds: make(chan chan folded),
		trail: t,
		fill:  f,
		stop:  make(chan struct{}),
		ended: make(chan struct{}),
	}
	go w.run()
	return w
}

// close waits for the running group and closes the connections; closures
// that still wait are told so.
func (w *writer) close() error {
	close(w.stop)
	<-w.ended
	return errors.Join(w.fill.close(), w.conn.close(), w.trail.close())
}

func (w *writer) inTx(ctx context.Context, fn func(*Tx) error) error {
	if ctx.Err() != nil {
		return notRun(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	j := &job{fn: fn, asked: time.Now(), done: make(chan struct{})}
	select {
	case w.queue <- j:
	case <-ctx.Done():
		return notRun(ctx)
	case <-w.ended:
		return closed()
	}
	select {
	case <-j.done:
		return j.err
	case <-w.ended:
	case <-ctx.Done():
		if j.take() {
			return notRun(ctx)
		}
	}
	return w.outcome(j)
}

// outcome waits for a closure that is already running.
func (w *writer) outcome(j *job) error {
	select {
	case <-j.done:
		return j.err
	case <-w.ended:
	}
	select {
	case <-j.done: // answered just before the end
		return j.err
	default:
		return closed()
	}
}

func notRun(ctx context.Context) error {
	return typus.Errorf(typus.Unavailable, "the request ended before the database had time for it").WithCause(context.Cause(ctx))
}

func closed() error {
	return typus.Errorf(typus.Unavailable, "the database is closed")
}

// run writes group after group until close.
func (w *writer) run() {
	defer close(w.ended)
	defer w.fill.wait()
	for {
		select {
		case j := <-w.queue:
			w.group(j)
		case done := <-w.folds:
			done <- w.folded()
		case <-w.stop:
			return
		}
	}
}

// group runs the first closure, and all others that wait or arrive in the meantime, in
// one transaction. Nobody is answered before the commit, because until then even an
// error may depend on what another closure of the group has written.
func (w *writer) group(first *job) {
	var ran []*job
	broken := w.exec("begin immediate")
	for j := first; j != nil; j = w.next(len(ran)) {
		if !j.take() {
			continue
		}
		ran = append(ran, j)
		w.waited.Add(int64(time.Since(j.asked)))
		if broken == nil {
			broken = w.one(j)
		}
	}
	fault := unavailable
	if broken == nil {
		if broken = w.exec("commit"); undecidedFile(broken) {
			fault = outcomeUnknown
		}
	}
	if broken != nil {
		// Fails where the database has rolled back by itself already.
		_ = w.exec("rollback")
	}
	w.groups.Add(1)
	w.writes.Add(uint64(len(ran)))
	for _, j := range ran {
		switch {
		case broken != nil && j.err == nil:
			j.err = fault(broken)
		case broken != nil: // undone by itself before
			j.err = unavailable(broken)
		}
		close(j.done)
	}
	w.follow(broken)
	w.fill.committed(w.trail.at, func() { _ = w.exec(fillBack) })
}

// undecidedFile reports whether the error of a commit leaves the outcome open. If the
// disk failed to write or to sync, the frames of the commit may be in the log although
// this process goes on without them; the next process would find them. On a full disk
// the frames are cut short, and nobody takes them for complete.
func undecidedFile(err error) bool {
	e, ok := errors.AsType[*sqliteError](err)
	return ok && e.code&0xff == sqlite3.SQLITE_IOERR
}

// next is the next waiting closure; nil when none waits or the group is full.
func (w *writer) next(ran int) *job {
	if ran == groupSize {
		return nil
	}
	for range 2 {
		select {
		case j := <-w.queue:
			return j
		default:
			// Callers that are ready get time to arrive. Otherwise, on a fast disk, the
			// next group would begin before those that were just answered come back.
			runtime.Gosched()
		}
	}
	return nil
}

// one runs a closure in its savepoint. It returns an error if the savepoint is gone.
// Then the database has ended the whole transaction, as it does on a full disk, and
// nothing more may run, because it would commit alone.
func (w *writer) one(j *job) error {
	if err := w.exec("savepoint closure"); err != nil {
		return err
	}
	tx := newTx(w.conn, w.d)
	j.call(tx)
	j.err = tx.outcome(j.err)
	if j.err != nil {
		if err := w.exec("rollback to closure"); err != nil {
			return errors.Join(j.err, err)
		}
	}
	return w.exec("release closure")
}

func (w *writer) exec(query string) error {
	return w.conn.prepared(query, nil, nil)
}

// take claims the closure; only one of writer and caller gets it.
func (j *job) take() bool { return j.taken.CompareAndSwap(false, true) }

// call runs the closure and turns a panic into an error.
func (j *job) call(tx *Tx) {
	defer func() {
		if p := recover(); p != nil {
			j.err = panicked(p)
		}
	}()
	j.err = j.fn(tx)
}

func panicked(p any) error {
	return typus.Errorf(typus.Internal, "a step in the database broke off").WithCause(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
}
