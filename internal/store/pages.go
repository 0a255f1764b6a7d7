package store

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// The header of an SQLite file and of its pages, https://sqlite.org/fileformat.html.
const (
	fileHeader  = 100 // bytes before the header of page 1
	pageSizeAt  = 16
	reservedAt  = 20
	pointerMap  = 52 // not 0 in a file with pointer maps, which this program does not make
	cellsAt     = 3
	contentAt   = 5
	leafHeader  = 8
	innerHeader = 12
	// A page whose first bytes are the number of another begins like a page of cells
	// from this number on.
	mostPages = 1 << 25
)

// stalePages lists the pages of an SQLite file that hold anything beside their
// cells. It reads past SQLite, so that a page may be just being written: whoever
// changes it looks again.
func stalePages(file *os.File) ([]int64, error) {
	head := make([]byte, fileHeader)
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, err
	}
	size := pageSize(head)
	if size < 512 || head[reservedAt] != 0 || binary.BigEndian.Uint32(head[pointerMap:]) != 0 {
		return nil, nil // not a file of this program's making
	}
	var stale []int64
	some := make([]byte, 256*size)
	for n := int64(1); n < mostPages; {
		read, err := file.ReadAt(some, (n-1)*int64(size))
		for at := 0; at+size <= read; at += size {
			if !empty(beside(some[at:at+size], n)) {
				stale = append(stale, n)
			}
			n++
		}
		if err != nil {
			return stale, ignoreEOF(err)
		}
	}
	return stale, nil
}

func pageSize(head []byte) int {
	if n := int(binary.BigEndian.Uint16(head[pageSizeAt:])); n != 1 {
		return n
	}
	return 1 << 16
}

// beside is the part of page n between the pointers to its cells and the first
// cell; nil for a page without cells.
func beside(page []byte, n int64) []byte {
	head := 0
	if n == 1 {
		head = fileHeader
	}
	from := head
	switch page[head] {
	case 10, 13: // leaf of an index, of a table
		from += leafHeader
	case 2, 5: // inner page of an index, of a table
		from += innerHeader
	default:
		return nil
	}
	from += 2 * int(binary.BigEndian.Uint16(page[head+cellsAt:]))
	to := int(binary.BigEndian.Uint16(page[head+contentAt:]))
	if to == 0 {
		to = 1 << 16
	}
	if from > to || to > len(page) {
		return nil
	}
	return page[from:to]
}

func empty(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
