package store

import (
	"context"

	"typus/internal/db"
)

// roomMark is where FindRoom writes.
const roomMark = "room"

// enough is how many bytes the disk must take before it counts as having room: more than any
// step of a candidate or a person of the team writes.
const enough = 1 << 20

// DiskFull reports whether an error comes of a disk of the database that is full. The server
// says so once (Full): whoever else meets it need not.
func DiskFull(err error) bool { return db.DiskFull(err) }

// FindRoom finds out whether a disk that was full has room again, for which it writes a little
// and takes that back. Then Full says no. Unavailable: it is full, or the database is away.
func (s *Store) FindRoom(ctx context.Context) error {
	err := s.DB.FindRoom(ctx, func(tx *db.Tx) error {
		return (&Tx{db: tx}).ReplaceMark(ctx, roomMark, make([]byte, enough))
	})
	if err != nil {
		return err
	}
	return s.InTx(ctx, func(tx *Tx) error { return tx.dropMark(ctx, roomMark) })
}
