package store

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"time"
)

const (
	// foldEvery is how often the log is emptied while something is written. Twice
	// this, and a scan of the file, is how long what was erased may still be found.
	foldEvery = 20 * time.Second
	// foldAgain is when it is tried again after somebody was in the way.
	foldAgain = time.Second
	// foldWait is how long a reader in the way keeps everybody waiting who writes.
	foldWait = 100 * time.Millisecond
	// cleaned bounds how many pages one transaction cleans.
	cleaned = 64
)

// tidier keeps what was erased out of an SQLite file and the log beside it while
// they are open, whether or not others write and read all the time.
type tidier struct {
	writer *writer
	log    string
	// file is read beside SQLite. Closing it would take SQLite's own locks away
	// (POSIX ties them to the process), so it is closed after all connections.
	file  *os.File
	stop  chan struct{}
	ended chan struct{}
}

func startTidier(path string, w *writer) (*tidier, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the database
	if err != nil {
		return nil, err
	}
	t := &tidier{writer: w, log: path + "-wal", file: file, stop: make(chan struct{}), ended: make(chan struct{})}
	go t.run()
	return t, nil
}

// end waits until nothing is tidied any more.
func (t *tidier) end() {
	close(t.stop)
	<-t.ended
}

// run tidies up whatever was written, by this process or another. The first time it
// does so in any case: an earlier program may have left something.
func (t *tidier) run() {
	defer close(t.ended)
	owed, pause := true, foldEvery
	for {
		select {
		case <-time.After(pause):
		case <-t.stop:
			return
		}
		pause = foldEvery
		if owed = owed || t.written(); !owed {
			continue
		}
		if !t.writer.fold() {
			pause = foldAgain
			continue
		}
		owed = t.clean() != nil
	}
}

// written reports whether the log holds anything. After it was emptied, it does
// from the next write on, whoever makes it.
func (t *tidier) written() bool {
	info, err := os.Stat(t.log)
	return err == nil && info.Size() > 0
}

// fold empties the log into the database file. False: a reader or another process
// was in the way, or the writer has ended.
func (w *writer) fold() bool {
	done := make(chan bool)
	select {
	case w.folds <- done:
		return <-done
	case <-w.ended:
		return false
	}
}

// emptyLog is a checkpoint that truncates: without it the old frames stay in the
// file behind the new ones. The waits are set past the prepared statements, since
// SQLite sets them while it prepares.
func (w *writer) emptyLog() error {
	ctx := context.Background()
	wait := "pragma busy_timeout = "
	if _, err := w.conn.ExecContext(ctx, wait+strconv.FormatInt(foldWait.Milliseconds(), 10)); err != nil {
		return err
	}
	busy, err := one(ctx, reads{db: w.conn, d: w.d}, scanCheckpoint, "", "pragma wal_checkpoint(truncate)")
	if err == nil && busy {
		err = errBusy
	}
	_, back := w.conn.ExecContext(ctx, wait+w.d.asserted["busy_timeout"])
	return errors.Join(err, back)
}

var errBusy = errors.New("somebody reads or writes the log")

func scanCheckpoint(row scanner) (bool, error) {
	var busy bool
	var frames, moved int
	err := row.Scan(&busy, &frames, &moved)
	return busy, err
}

// clean zeroes what SQLite leaves in pages beside their cells. secure_delete zeroes
// a cell where it lies, but a page that is rebuilt when it is balanced with its
// neighbours keeps copies of cells that went to another page, and no later deletion
// knows of them. Pages that were cleaned are in the log: the next round folds them.
func (t *tidier) clean() error {
	stale, err := stalePages(t.file)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(stale, cleaned) {
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

// cleanPage looks again: the page may have changed since it was found.
func (t *Tx) cleanPage(n int64) error {
	ctx := context.Background()
	page, found, err := maybe(ctx, t.reads, scanBytes, `select data from sqlite_dbpage where pgno = $1`, n)
	if err != nil || !found {
		return err
	}
	gap := beside(page, n)
	if empty(gap) {
		return nil
	}
	clear(gap)
	_, err = t.exec(ctx, `update sqlite_dbpage set data = $1 where pgno = $2`, page, n)
	return err
}
