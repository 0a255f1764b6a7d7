package db

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// The log beside an SQLite file, https://sqlite.org/fileformat.html#the_write_ahead_log.
const (
	logHeader   = 32
	logSaltAt   = 16
	frameHeader = 24
	frameSaltAt = 8
	commitAt    = 4 // not 0 in the last frame of a transaction
)

// trail reads from the log which pages were written. Only the writer uses it, after
// each of its commits and before the next commit can overwrite the frames by starting
// the log again.
type trail struct {
	path    string
	log     *os.File // nil until open
	salt    uint64   // of the frames that count; one more in its upper half each time the log begins anew
	at      int64    // where the frame after the last commit begins
	version int64    // another one: another process has written
	pages   map[int64]bool
	lost    bool // pages were written that are not listed
}

// newTrail makes a trail that does not know what was written before.
func newTrail(path string) *trail {
	return &trail{path: path + "-wal", pages: map[int64]bool{}, lost: true}
}

// open opens the log. Another process may still remove it until this one has read from
// the database.
func (t *trail) open() error {
	if t.log != nil {
		return nil
	}
	log, err := os.Open(t.path)
	if err != nil {
		return err
	}
	t.log = log
	return nil
}

func (t *trail) close() error {
	if t.log == nil {
		return nil
	}
	return t.log.Close()
}

// follow lists the new pages in the log. If the log has been started again, and another
// process has written or started it as well, what that process wrote before is not
// known.
func (t *trail) follow(version func() (int64, error)) error {
	before, err := version()
	if err != nil {
		return err
	}
	if err := t.open(); err != nil {
		return err
	}
	head := make([]byte, logHeader)
	_, err = t.log.ReadAt(head, 0)
	empty := errors.Is(err, io.EOF)
	if err != nil && !empty {
		return err
	}
	salt := binary.BigEndian.Uint64(head[logSaltAt:])
	if empty || salt != t.salt {
		now, err := version()
		if err != nil {
			return err
		}
		other := now != t.version || salt != 0 && uint32(salt>>32) != uint32(t.salt>>32)+1
		t.lost = t.lost || other
	}
	t.version = before
	if empty {
		return nil // an empty log; the next one's salt follows on the last one's
	}
	if salt != t.salt {
		t.salt, t.at = salt, logHeader
	}
	return t.read(int64(binary.BigEndian.Uint32(head[8:])))
}

// read reads frames until one that is older than the last start of the log. Frames
// after the last commit may belong to a transaction that was undone, and will be
// overwritten.
func (t *trail) read(pageSize int64) error {
	frame := make([]byte, frameHeader)
	for at := t.at; ; {
		if _, err := t.log.ReadAt(frame, at); err != nil {
			return ignoreEOF(err)
		}
		if binary.BigEndian.Uint64(frame[frameSaltAt:]) != t.salt {
			return nil
		}
		t.pages[int64(binary.BigEndian.Uint32(frame))] = true
		at += frameHeader + pageSize
		if binary.BigEndian.Uint32(frame[commitAt:]) != 0 {
			t.at = at
		}
	}
}

// lose notes that follow cannot rely on the log.
func (t *trail) lose() { t.salt, t.lost = 0, true }

// take returns what was listed, and forgets it.
func (t *trail) take() (pages map[int64]bool, lost bool) {
	pages, lost = t.pages, t.lost
	t.pages, t.lost = map[int64]bool{}, false
	return pages, lost
}
