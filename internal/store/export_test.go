package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"
)

// GroupSize is the most closures that one commit answers.
const GroupSize = groupSize

// AtLeast compares versions.
var AtLeast = atLeast

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

// Statements are all that an SQLite store has run so far, sorted.
func Statements(s *Store) []string {
	e := s.engine.(*sqliteEngine)
	texts := map[string]bool{}
	for _, p := range []*prepared{s.DB.db.(*prepared), e.writer.db} {
		p.mu.RLock()
		for text := range p.stmts {
			texts[text] = true
		}
		p.mu.RUnlock()
	}
	return slices.Sorted(maps.Keys(texts))
}

// HoldReaders keeps all of SQLite's reading connections busy until it is released.
func HoldReaders(ctx context.Context, s *Store) (release func()) {
	hold := make(chan struct{})
	var reading, held sync.WaitGroup
	for range sqliteReaders {
		reading.Add(1)
		held.Go(func() {
			_, _ = all(ctx, s, func(scanner) (int, error) {
				reading.Done()
				<-hold
				return 0, nil
			}, "select 1")
		})
	}
	reading.Wait()
	return func() {
		close(hold)
		held.Wait()
	}
}

// HoldSnapshot reads from a file of its own connection until it is released.
func HoldSnapshot(t testing.TB, path string) (release func()) {
	t.Helper()
	db := openFile(path, 1, true)
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err == nil {
		err = tx.QueryRowContext(t.Context(), "select count(*) from accounts").Scan(new(int))
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { _ = errors.Join(tx.Rollback(), db.Close()) }
}

// WriteAsReader runs a statement on a connection that reads.
func WriteAsReader(ctx context.Context, s *Store, query string) error {
	_, err := s.DB.db.ExecContext(ctx, query)
	return err
}

// WalkedPage is CandidatePage that goes along the order, however few there are.
func (s *Store) WalkedPage(ctx context.Context, accountID int64, f CandidateQuery) (CandidatePage, error) {
	words, possible := asked(f.Search)
	if f.Search != "" && !possible || !storable(f.Tag) {
		return CandidatePage{}, nil
	}
	rows, next, err := s.rowsAlong(ctx, accountID, f, words, Count{More: true})
	return CandidatePage{Rows: rows, Next: next}, err
}

// Exec runs any statement in the transaction.
func (t *Tx) Exec(ctx context.Context, query string) error {
	_, err := t.db.Exec(ctx, query)
	return err
}

// Rows runs any query and returns its rows as text, "|" between the columns.
func (t *Tx) Rows(ctx context.Context, query string, args ...any) ([]string, error) {
	return all(ctx, t, func(row scanner) (string, error) {
		columns, err := row.(*sql.Rows).Columns()
		if err != nil {
			return "", err
		}
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		err = row.Scan(values...)
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = fmt.Sprint(*v.(*any))
		}
		return strings.Join(texts, "|"), err
	}, query, args...)
}

// What the words of a candidate are, for tests that search the slow way.
var (
	CandidateWords = candidateWords
	NameKey        = nameKey
	Plain          = plain
)

// PrepareFile looks whether there is a database of ours at a path.
func PrepareFile(ctx context.Context, path string) error { return prepareFile(ctx, path, schema) }

// Listed are the pages that were written to since the last round. The store must not
// be writing at this moment.
func Listed(s *Store) map[int64]bool { return maps.Clone(s.engine.(*sqliteEngine).writer.trail.pages) }

// Lost reports whether there are others.
func Lost(s *Store) bool { return s.engine.(*sqliteEngine).writer.trail.lost }
