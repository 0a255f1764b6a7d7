package db

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"time"
)

const (
	// foldEvery is how often the log is emptied while something is written. What was
	// erased may still be found for twice that time.
	foldEvery = 20 * time.Second
	// foldAgain is the wait before the next try after a reader or another process was
	// in the way.
	foldAgain = time.Second
	// foldWait is how long a reader that is in the way can hold up all writers.
	foldWait = 100 * time.Millisecond
	// scanPause is the pause between two slices when the whole file is checked.
	scanPause = 10 * time.Millisecond
	// cleaned bounds how many pages one transaction cleans.
	cleaned = 64
)

// tidier removes what was erased from an SQLite file and its log while they are in use,
// even if others read and write all the time.
type tidier struct {
	writer *writer
	log    string
	// file is read beside SQLite. Closing it would take SQLite's own locks away
	// (POSIX ties them to the process), so it is closed after all connections.
	file  *os.File
	next  int64  // the page that a look at the whole file goes on with
	left  int64  // how many pages it has before it
	some  []byte // pages of it, nil when all were looked at
	begun bool   // a first round was done
	stop  chan struct{}
	ended chan struct{}
}

func startTidier(path string, w *writer) (*tidier, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the database
	if err != nil {
		return nil, err
	}
	t := &tidier{writer: w, log: path + "-wal", file: file, next: 1, stop: make(chan struct{}), ended: make(chan struct{})}
	go t.run()
	return t, nil
}

// end waits until nothing is tidied any more.
func (t *tidier) end() {
	close(t.stop)
	<-t.ended
}

// run tidies up after all writes, by this process or another.
func (t *tidier) run() {
	defer close(t.ended)
	round := time.After(foldEvery)
	for {
		var slice <-chan time.Time
		if t.left > 0 {
			slice = time.After(scanPause)
		}
		select {
		case <-round:
			round = time.After(t.round())
		case <-slice:
			t.slice()
		case <-t.stop:
			return
		}
	}
}

// round empties the log and checks the pages that were in it. It checks all other pages
// in the first round, because an earlier program may have left something, and again if
// another process has used the log in a way that hides what it wrote. It returns the
// wait until the next round.
func (t *tidier) round() time.Duration {
	if t.begun && !t.written() {
		return foldEvery
	}
	f := t.writer.fold()
	if !f.done {
		return foldAgain
	}
	t.begun = true
	stale, err := staleOf(t.file, f.pages)
	if err == nil {
		err = t.clean(stale)
	}
	if err != nil || f.lost {
		t.left = pageCount(t.file)
	}
	return foldEvery
}

// slice looks at some more pages of the file.
func (t *tidier) slice() {
	stale, read, err := stalePages(t.file, t.next, &t.some)
	if err == nil {
		err = t.clean(stale)
	}
	if err != nil {
		return // the same once more
	}
	t.next, t.left = t.next+read, t.left-read
	if read < sliced { // the end of the file, from where it goes on at the beginning
		t.next, t.left = 1, min(t.left, pageCount(t.file))
	}
	if t.left <= 0 {
		t.some = nil
	}
}

// written reports whether the log holds anything. It is empty from a fold until the
// next write by any process.
func (t *tidier) written() bool {
	info, err := os.Stat(t.log)
	return err == nil && info.Size() > 0
}

// folded is the outcome of a fold.
type folded struct {
	done  bool
	pages map[int64]bool // that were written since the last that was done
	lost  bool           // and others
}

// fold empties the log into the database file. It is not done if a reader or another
// process was in the way, or the writer has ended.
func (w *writer) fold() folded {
	done := make(chan folded)
	select {
	case w.folds <- done:
		return <-done
	case <-w.ended:
		return folded{}
	}
}

func (w *writer) folded() folded {
	w.fill.wait() // it would be in the way
	w.follow(nil)
	if w.emptyLog() != nil {
		return folded{}
	}
	w.follow(nil) // whether another process has written meanwhile
	pages, lost := w.trail.take()
	return folded{true, pages, lost}
}

// follow notes the pages that a commit has written, whether or not the commit
// succeeded.
func (w *writer) follow(broken error) {
	if broken == nil {
		broken = w.trail.follow(func() (int64, error) {
			return One(context.Background(), &Access{db: w.conn, d: w.d}, ScanInt, "", "pragma data_version")
		})
	}
	if broken != nil {
		w.trail.lose()
	}
}

// emptyLog runs a checkpoint that truncates the log. Without truncation the old frames
// stay in the log after the new ones. The busy time-outs are set without prepared
// statements, because SQLite sets them while it prepares.
func (w *writer) emptyLog() error {
	wait := "pragma busy_timeout = "
	if err := w.conn.once(wait+strconv.FormatInt(foldWait.Milliseconds(), 10), nil, nil); err != nil {
		return err
	}
	busy, err := One(context.Background(), &Access{db: w.conn, d: w.d}, scanCheckpoint, "", "pragma wal_checkpoint(truncate)")
	if err == nil && busy {
		err = errBusy
	}
	return errors.Join(err, w.conn.once(wait+w.d.asserted["busy_timeout"], nil, nil))
}

var errBusy = errors.New("somebody reads or writes the log")

func scanCheckpoint(row Row) (bool, error) {
	var busy bool
	var frames, moved int
	err := row.Scan(&busy, &frames, &moved)
	return busy, err
}

// clean overwrites with zeros what SQLite leaves in pages beside their cells.
// secure_delete does so with a cell at its place. But a page that is rebuilt when it is
// balanced with its neighbours keeps copies of cells that moved to another page, and no
// later deletion knows of them. Cleaned pages are written to the log, which the next
// round folds.
func (t *tidier) clean(stale []int64) error {
	for some := range slices.Chunk(stale, cleaned) {
		if t.stopped() {
			return errStopped
		}
		err := t.writer.inTx(context.Background(), func(tx *Tx) error {
			for _, n := range some {
				if err := tx.cleanPage(n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var errStopped = errors.New("the database is being closed")

func (t *tidier) stopped() bool {
	select {
	case <-t.stop:
		return true
	default:
		return false
	}
}

// cleanPage checks the page again and cleans it. It may have changed since it was
// found.
func (t *Tx) cleanPage(n int64) error {
	ctx := context.Background()
	page, found, err := Maybe(ctx, t, ScanBytes, `select data from sqlite_dbpage where pgno = $1`, n)
	if err != nil || !found {
		return err
	}
	gap := beside(page, n)
	if empty(gap) {
		return nil
	}
	clear(gap)
	_, err = t.Exec(ctx, `update sqlite_dbpage set data = $1 where pgno = $2`, page, n)
	return err
}
