package store

import (
	"context"
	"sync/atomic"

	"modernc.org/sqlite"
)

// GroupSize is the most closures that one commit answers.
const GroupSize = groupSize

// CountCommits counts the commits of an SQLite store from now on. It must not be
// writing at this moment.
func CountCommits(s *Store) *atomic.Int64 {
	var n atomic.Int64
	err := s.engine.(*sqliteEngine).writer.conn.Raw(func(c any) error {
		c.(sqlite.HookRegisterer).RegisterCommitHook(func() int32 {
			n.Add(1)
			return 0
		})
		return nil
	})
	if err != nil {
		panic(err)
	}
	return &n
}

// Exec runs any statement in the transaction.
func (t *Tx) Exec(ctx context.Context, query string) error {
	_, err := t.exec(ctx, query)
	return err
}
