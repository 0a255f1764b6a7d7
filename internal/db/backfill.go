package db

import "context"

const (
	// fillAfter is how long the log grows, in bytes, before it is copied into the file.
	fillAfter = 48 << 20
	// fillBefore is how long it may have grown when whoever writes waits for that.
	fillBefore = 128 << 20
)

// filler copies the log into the database file, on a connection of its own and beside
// the writer: SQLite by itself does it within a commit, and all who write would wait.
// Only the writer uses it. A fault is not looked at: what was committed is safe in the
// log, and the next attempt comes.
type filler struct {
	path          string
	conn          *conn // nil until the log is copied for the first time
	after, before int64
	next          int64         // the length of the log from which on it is copied
	size          int64         // its length after the last commit
	running       chan struct{} // closed at its end; nil: nothing is copied
}

func newFiller(path string) *filler {
	return &filler{path: path, after: fillAfter, before: fillBefore, next: fillAfter}
}

const fillBack = "pragma wal_checkpoint(passive)"

// committed has the log copied once it has grown to size. What was written meanwhile
// is little, and the writer adds it by rest: then all of the log is in the file, and
// the next commit begins it anew, unless somebody still reads from it.
func (f *filler) committed(size int64, rest func()) {
	if size < f.size {
		f.next = f.after // it has begun anew
	}
	f.size = size
	switch {
	case f.running == nil && size >= f.next:
		f.start()
	case f.running != nil && (size >= f.before || f.ended()):
		f.wait()
		rest()
		f.next = size + f.after
	}
}

func (f *filler) start() {
	running := make(chan struct{})
	f.running = running
	go func() {
		defer close(running)
		_ = f.copy()
	}()
}

func (f *filler) copy() error {
	if f.conn == nil {
		c, err := openFile(context.Background(), f.path, true)
		if err != nil {
			return err
		}
		f.conn = c
	}
	return f.conn.prepared(fillBack, nil, nil)
}

// close closes the connection. Nothing may be copied any more.
func (f *filler) close() error {
	if f.conn == nil {
		return nil
	}
	return f.conn.close()
}

func (f *filler) ended() bool {
	select {
	case <-f.running:
		return true
	default:
		return false
	}
}

// wait waits until nothing is copied.
func (f *filler) wait() {
	if f.running != nil {
		<-f.running
		f.running = nil
	}
}
