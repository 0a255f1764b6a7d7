package db

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
	// Some pages begin with the number of another page. From this number on they would
	// look like pages of cells, so a file of this size (128 GiB) is left alone.
	mostPages = 1 << 25
	sliced    = 256 // pages that are read at once
)

// stalePages lists the pages that hold anything beside their cells, among the next
// pages from one on. It also returns how many pages it has read, 0 at the end of the
// file. It reads the file directly and not through SQLite, so a page may be in the
// middle of being written; whoever changes a page checks it again. buffer is used again
// from call to call.
func stalePages(file *os.File, from int64, buffer *[]byte) (stale []int64, read int64, err error) {
	size, err := cellSize(file)
	if err != nil || size == 0 {
		return nil, 0, err
	}
	if len(*buffer) != sliced*size {
		*buffer = make([]byte, sliced*size)
	}
	some := *buffer
	n, err := file.ReadAt(some, (from-1)*int64(size))
	for ; int(read+1)*size <= n; read++ {
		if !empty(beside(some[int(read)*size:int(read+1)*size], from+read)) {
			stale = append(stale, from+read)
		}
	}
	return stale, read, ignoreEOF(err)
}

// staleOf is the same for the pages that are given.
func staleOf(file *os.File, pages map[int64]bool) ([]int64, error) {
	size, err := cellSize(file)
	if err != nil || size == 0 {
		return nil, err
	}
	var stale []int64
	page := make([]byte, size)
	for n := range pages {
		read, err := file.ReadAt(page, (n-1)*int64(size))
		if ignoreEOF(err) != nil {
			return nil, err
		}
		if read == size && !empty(beside(page, n)) {
			stale = append(stale, n)
		}
	}
	return stale, nil
}

// cellSize is the size of a page, or 0 if the kind of a page cannot be told by its
// first byte.
func cellSize(file *os.File) (int, error) {
	head := make([]byte, fileHeader)
	if _, err := file.ReadAt(head, 0); err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	size := pageSize(head)
	if size < 512 || head[reservedAt] != 0 || binary.BigEndian.Uint32(head[pointerMap:]) != 0 {
		return 0, nil // not a file of this program's making
	}
	if info.Size()/int64(size) >= mostPages {
		return 0, nil
	}
	return size, nil
}

// pageCount is how many pages there are to look at.
func pageCount(file *os.File) int64 {
	size, err := cellSize(file)
	if err != nil || size == 0 {
		return 0
	}
	info, err := file.Stat()
	if err != nil {
		return 0
	}
	return info.Size() / int64(size)
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
