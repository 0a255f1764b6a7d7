package db_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"typus"
	"typus/internal/db"
)

// Whoever waits for one of SQLite's reading connections waits no longer than their
// request lasts, nor for ever without one.
func TestAReaderWaitsForAConnectionAsLongAsTheRequestLasts(t *testing.T) {
	path := template.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := db.Open(t.Context(), path, schema)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		limited, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer stop()
		left, leave := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, leave) // the client went away
		release := db.HoldReaders(t.Context(), s)
		time.AfterFunc(time.Minute, release)
		for _, c := range []struct {
			ctx  context.Context
			most time.Duration
		}{{limited, 100 * time.Millisecond}, {left, 200 * time.Millisecond}, {t.Context(), 15 * time.Second}} {
			began := time.Now()
			_, err := accounts(c.ctx, s)
			hasKind(t, "no connection", err, typus.Unavailable)
			if took := time.Since(began); took > c.most {
				t.Errorf("a reader waited %s, want %s at most", took, c.most)
			}
		}
		time.Sleep(time.Minute)
		if _, err := accounts(t.Context(), s); err != nil {
			t.Errorf("when there are connections again: %v", err)
		}
	})
}

// At rest the database keeps no pages in memory that it would read again anyway, and
// answers as before.
func TestADatabaseAtRestGivesItsPagesBack(t *testing.T) {
	s := openSQLite(t)
	fillEach(t, s, 200)
	before := names(t, s)
	db.HoldReaders(t.Context(), s)()
	kept := db.Cached(s)
	s.Rest()
	if now := db.Cached(s); kept < 1<<20 || now > kept/4 {
		t.Errorf("%d bytes of pages are kept at rest, of %d before", now, kept)
	}
	if names(t, s) != before {
		t.Error("it reads something else after its rest")
	}
	fillEach(t, s, 1)
	if len(names(t, s)) <= len(before) {
		t.Error("nothing can be written after its rest")
	}
}
