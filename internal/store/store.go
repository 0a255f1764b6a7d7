// Package store keeps everything in SQLite or PostgreSQL (repositories), with one SQL text for
// both.
package store

import (
	"context"
	"embed"
	"time"

	"typus"
	"typus/internal/db"
)

// Store is an open database. Reads go through it directly. Every change goes through
// InTx, so that there are no half-done steps.
type Store struct {
	*db.DB
	reads
	alarm *alarm
}

// Tx is one transaction: all of it happens, or nothing. It can read as well. After a
// statement has failed, the transaction is lost, even if its closure returns nil.
type Tx struct {
	db *db.Tx
	reads
	due bool // makes something due to be brought
}

// reads are the queries that both a Store and a Tx have. They are methods of the pointer: the
// linker keeps those of the value five times, with a copy of the call in each.
type reads struct{ *db.Access }

//go:embed migrations/*.sql
var migrations embed.FS

// schema is what the tables are made by.
var schema = db.Schema{
	Migrations: migrations,
	Afterwards: map[string]func(ctx context.Context, tx *db.Tx) error{
		"0009_email_keys.sql":   keyAddresses,
		"0015_erased_keys.sql":  hashKeys,
		"0053_mailbox_keys.sql": keyMailboxes,
	},
}

// Open opens the database named by dsn, a file path (SQLite) or a postgres://
// URL, and asserts the settings that the store's promises rest on. It does not
// migrate. Invalid: the name cannot be read, or the database is another program's.
// Unavailable: it does not answer. Conflict: a setting or a version is not what it
// must be.
func Open(ctx context.Context, dsn string) (*Store, error) {
	d, err := db.Open(ctx, dsn, schema)
	if err != nil {
		return nil, err
	}
	return on(d, new(alarm)), nil
}

func on(d *db.DB, a *alarm) *Store { return &Store{d, reads{d.Access}, a} }

// WithClock returns the same open database with another clock, by which it judges what
// is due, claimed and finished. With nil, as after Open, it goes by the clock that all
// users of the database share: the server's on PostgreSQL, this machine's on SQLite.
// Closing one closes both.
func (s *Store) WithClock(c typus.Clock) *Store { return on(s.DB.WithClock(c), s.alarm) }

// Watched is the same open database, of whose statements saw hears before they run,
// also in transactions: to count them, to list them, or to let one fail with an error
// of its own. Who watched before hears of them first. Closing one closes both.
func (s *Store) Watched(saw func(query string) error) *Store { return on(s.DB.Watched(saw), s.alarm) }

// Meeting is the same open database, of whose statements outside transactions wait hears
// before they run, with the context of whoever asks: to hold some of them until others have
// come as far. Closing one closes both.
func (s *Store) Meeting(wait func(ctx context.Context)) *Store {
	return on(s.DB.Meeting(wait), s.alarm)
}

// WatchedCommits is the same open database, of whose transactions saw hears before each
// commit, and with done after it. Its error is then that of InTx: before the commit, and
// nothing is stored; after it, and all is, as where the connection breaks before the answer.
// Closing one closes both.
func (s *Store) WatchedCommits(saw func(done bool) error) *Store {
	return on(s.DB.WatchedCommits(saw), s.alarm)
}

// InTx runs fn in one transaction and returns once that is durable. fn may be run again
// (on PostgreSQL, after a deadlock or a lost connection), so it must have no effect
// outside the Tx that a second run would spoil. It must call neither the Store's reads
// nor InTx. An error of fn rolls back the writes of fn, and no others, and is returned
// as it is. A panic of fn becomes an Internal error. Unavailable: the database is full,
// busy or unreachable, or ctx ended first; then nothing of fn is stored, whether or not
// it has run. Once the commit has begun, the result is the true outcome even if ctx
// ends in the meantime. OutcomeUnknown: the database became unreachable during the
// commit, and what fn has written may or may not be stored.
func (s *Store) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	due := false
	err := s.DB.InTx(ctx, func(tx *db.Tx) error {
		t := &Tx{db: tx, reads: reads{tx.Access}}
		err := fn(t)
		due = t.due
		return err
	})
	if err == nil && due {
		s.alarm.ring()
		s.Tell()
	}
	return err
}

// InBatches runs batch in one transaction after another until it changes nothing more,
// and returns how many rows it has changed in all. In one transaction, so much work
// would keep everybody else waiting. Errors are those of InTx; what earlier batches did
// stays.
func (s *Store) InBatches(ctx context.Context, batch func(tx *Tx) (int, error)) (int, error) {
	for sum := 0; ; {
		n := 0
		err := s.InTx(ctx, func(tx *Tx) error {
			var err error
			n, err = batch(tx)
			return err
		})
		if err != nil || n == 0 {
			return sum, err
		}
		sum += n
	}
}

// Now is the time by the clock that all users of this database share, for what one of
// them writes and another goes by.
func (t *Tx) Now(ctx context.Context) (time.Time, error) {
	now, err := db.Now(ctx, t)
	return now.UTC(), err
}
