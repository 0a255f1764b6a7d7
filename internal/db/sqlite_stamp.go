package db

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
)

// stampAt is where the header of an SQLite file has its user version,
// https://sqlite.org/fileformat.html#user_version_number, which SQLite leaves to us. In a
// copy it is the checksum of all other bytes; in a database in use, which changes, it is 0.
const stampAt = 60

// Stamp writes into an SQLite file that nobody uses the checksum of what is in it, which
// CheckFile compares: SQLite itself does not notice when a bit changes in what a row holds.
// Its errors are those of Refused.
func Stamp(path string) error {
	return onFile(path, os.O_RDWR, func(f *os.File) error {
		sum, err := sumOf(f)
		if err != nil {
			return err
		}
		return putStamp(f, sum)
	})
}

// Unstamp takes the checksum out of an SQLite file that nobody uses, and that will be
// written to. Its errors are those of Refused.
func Unstamp(path string) error {
	return onFile(path, os.O_RDWR, func(f *os.File) error { return putStamp(f, 0) })
}

// stampHolds reports whether a file has the checksum that it was stamped with, or none.
func stampHolds(path string) (bool, error) {
	var holds bool
	return holds, onFile(path, os.O_RDONLY, func(f *os.File) error {
		var stamp [4]byte
		if _, err := f.ReadAt(stamp[:], stampAt); err != nil {
			return err
		}
		if stamp == [4]byte{} {
			holds = true
			return nil
		}
		sum, err := sumOf(f)
		holds = binary.BigEndian.Uint32(stamp[:]) == sum
		return err
	})
}

func onFile(path string, flag int, do func(*os.File) error) error {
	f, err := os.OpenFile(path, flag, 0) //nolint:gosec // the operator names the file
	if err != nil {
		return Refused(path, err)
	}
	if err := errors.Join(do(f), f.Close()); err != nil {
		return Refused(path, err)
	}
	return nil
}

func putStamp(f *os.File, sum uint32) error {
	_, err := f.WriteAt(binary.BigEndian.AppendUint32(nil, sum), stampAt)
	return err
}

// sumOf is the checksum of a file without its stamp, never 0.
func sumOf(f *os.File) (uint32, error) {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	before, after := io.NewSectionReader(f, 0, stampAt), io.NewSectionReader(f, stampAt+4, 1<<62)
	for _, part := range []io.Reader{before, after} {
		if _, err := io.CopyBuffer(sum, part, make([]byte, 1<<20)); err != nil {
			return 0, err
		}
	}
	return max(1, sum.Sum32()), nil
}
