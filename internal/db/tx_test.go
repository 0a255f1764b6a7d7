package db_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/db"
)

func TestAFailingClosureLeavesNothingAndItsErrorComesBack(t *testing.T) {
	onBoth(t, func(t *testing.T, s *db.DB) {
		refused := errors.New("refused")
		err := s.InTx(t.Context(), func(tx *db.Tx) error {
			if err := addNamed(t.Context(), tx, "gone"); err != nil {
				return err
			}
			if list, err := accounts(t.Context(), tx); err != nil || len(list) != 1 {
				t.Errorf("the transaction does not see its own write: %d, %v", len(list), err)
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
		if got := names(t, s); got != "" {
			t.Errorf("left behind: %s", got)
		}
	})
}

func TestAPanicBecomesAnErrorAndTheNextClosureRuns(t *testing.T) {
	onBoth(t, func(t *testing.T, s *db.DB) {
		err := s.InTx(t.Context(), func(tx *db.Tx) error {
			if err := addNamed(t.Context(), tx, "gone"); err != nil {
				return err
			}
			panic("the sky fell")
		})
		hasKind(t, "a panic", err, typus.Internal)
		e, _ := errors.AsType[*typus.Error](err)
		if strings.Contains(e.Msg, "sky") || !strings.Contains(e.Cause.Error(), "the sky fell") || !strings.Contains(e.Cause.Error(), "tx_test.go") {
			t.Errorf("message %q, cause %v", e.Msg, e.Cause)
		}
		write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, "next") })
		if got := names(t, s); got != "next" {
			t.Errorf("accounts: %s", got)
		}
	})
}

// A statement that failed ends the transaction on both databases, also when the
// closure goes on as if nothing had happened.
func TestAFailedStatementEndsTheTransaction(t *testing.T) {
	onBoth(t, func(t *testing.T, s *db.DB) {
		err := s.InTx(t.Context(), func(tx *db.Tx) error {
			if err := addNamed(t.Context(), tx, "before"); err != nil {
				return err
			}
			if err := addNote(t.Context(), tx, 4711, "of nobody"); err == nil {
				t.Error("a note of nobody was stored")
			}
			if err := addNamed(t.Context(), tx, "after"); err == nil {
				t.Error("a lost transaction went on")
			}
			return nil
		})
		hasKind(t, "a swallowed fault", err, typus.Internal)
		if got := names(t, s); got != "" {
			t.Errorf("left behind: %s", got)
		}
	})
}

func TestAnEndedRequestIsNotRun(t *testing.T) {
	onBoth(t, func(t *testing.T, s *db.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := s.InTx(ctx, func(tx *db.Tx) error {
			t.Error("the closure ran")
			return nil
		})
		hasKind(t, "an ended request", err, typus.Unavailable)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the cause is lost: %v", err)
		}
	})
}

func TestAnEndedReadSaysSo(t *testing.T) {
	onBoth(t, func(t *testing.T, s *db.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := accounts(ctx, s)
		hasKind(t, "an ended read", err, typus.Unavailable)
	})
}

// The request ends while its closure runs: whatever InTx answers is true.
func TestARunningClosureGetsItsTrueOutcome(t *testing.T) {
	onBoth(t, func(t *testing.T, s *db.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.InTx(ctx, func(tx *db.Tx) error {
			if err := addNamed(ctx, tx, "there"); err != nil {
				return err
			}
			cancel()
			time.Sleep(10 * time.Millisecond) // so that a caller who gives up has the time to
			return nil
		})
		if committed := names(t, s) == "there"; committed != (err == nil) {
			t.Errorf("committed: %t, answered: %v", committed, err)
		}
	})
}

func TestAClosedStoreAnswersWithAnError(t *testing.T) {
	for _, dsn := range []string{template.SQLite(t), template.Postgres(t)} {
		s, err := db.Open(t.Context(), dsn, schema)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("%s: ping: %v", s.Dialect(), err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: close: %v", s.Dialect(), err)
		}
		if err := s.InTx(t.Context(), func(*db.Tx) error { return nil }); err == nil {
			t.Errorf("%s: a closed store runs a closure", s.Dialect())
		}
		if s.Ping(t.Context()) == nil {
			t.Errorf("%s: a closed store answers", s.Dialect())
		}
	}
}

func TestAClosedDatabaseIsNotAFault(t *testing.T) {
	onBoth(t, func(t *testing.T, d *db.DB) {
		other := d.WithClock(nil)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := db.One(t.Context(), other, db.ScanInt, "", `select count(*) from accounts`)
		hasKind(t, "reading", err, typus.Unavailable)
		hasKind(t, "asking", d.Ping(t.Context()), typus.Unavailable)
	})
}

// Who watches the commits says what becomes of them, and who watches statements has others
// watch besides.
func TestACommitEndsAsWhoeverWatchesItSays(t *testing.T) {
	onBoth(t, func(t *testing.T, s *db.DB) {
		gone := typus.Errorf(typus.OutcomeUnknown, "gone")
		add := func(at bool, name string) error {
			first, second := 0, 0
			count := func(n *int) func(string) error { return func(string) error { *n++; return nil } }
			watched := s.Watched(count(&first)).Watched(count(&second)).WatchedCommits(func(done bool) error {
				if done == at {
					return gone
				}
				return nil
			})
			err := watched.WithClock(nil).InTx(t.Context(), func(tx *db.Tx) error { return addNamed(t.Context(), tx, name) })
			if first != 1 || second != 1 {
				t.Errorf("of one statement %d and %d were heard", first, second)
			}
			return err
		}
		hasKind(t, "before", add(false, "before"), typus.OutcomeUnknown)
		hasKind(t, "after", add(true, "after"), typus.OutcomeUnknown)
		if got := names(t, s); got != "after" {
			t.Errorf("accounts: %s", got)
		}
	})
}

// Whoever lets others meet hears of what is asked outside transactions, from whom: a
// transaction may have to come to its end before another begins.
func TestWhoeverMeetsIsHeardOfOutsideTransactions(t *testing.T) {
	onBoth(t, func(t *testing.T, s *db.DB) {
		type who struct{}
		var heard []any
		meeting := s.Meeting(func(ctx context.Context) { heard = append(heard, ctx.Value(who{})) })
		err := meeting.InTx(context.WithValue(t.Context(), who{}, "changes"), func(tx *db.Tx) error { return addNamed(t.Context(), tx, "one") })
		if err == nil {
			err = meeting.Ping(context.WithValue(t.Context(), who{}, "asks"))
		}
		if err != nil || len(heard) != 1 || heard[0] != "asks" {
			t.Errorf("%q are heard, %v", heard, err)
		}
	})
}
