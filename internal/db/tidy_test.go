package db_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"typus/internal/db"
	"typus/internal/db/dbtest"
)

const canary = "kanarien"

// stain writes the canary past SQLite into the last page of cells, beside them.
func stain(t *testing.T, path string) {
	t.Helper()
	body := must[[]byte](t)(os.ReadFile(path))
	for at := len(body) - 4096; at > 0; at -= 4096 {
		page := body[at : at+4096]
		cells, content := int(binary.BigEndian.Uint16(page[3:])), int(binary.BigEndian.Uint16(page[5:]))
		if (page[0] == 10 || page[0] == 13) && content-8-2*cells > len(canary) {
			copy(page[content-len(canary):], canary)
			break
		}
	}
	f := must[*os.File](t)(os.OpenFile(path, os.O_WRONLY, 0))
	if _, err := f.WriteAt(body, 0); err != nil {
		t.Fatal(err)
	}
	// It stays open: closing it would take the locks of this process away.
	t.Cleanup(func() { f.Close() })
}

// lookedThrough is a store that has looked at its whole file.
func lookedThrough(t *testing.T, path string) *db.DB {
	t.Helper()
	s := must[*db.DB](t)(db.Open(t.Context(), path, schema))
	write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, "first") })
	time.Sleep(2*time.Minute + time.Second) // and no round at this moment
	return s
}

func TestARoundLooksOnlyAtThePagesThatWereWritten(t *testing.T) {
	path := template.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s := lookedThrough(t, path)
		defer s.Close()
		stain(t, path)
		for n := range 60 {
			write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, fmt.Sprint(n)) })
			time.Sleep(time.Second)
		}
		if len(dbtest.Holding(t, path, canary)) == 0 {
			t.Error("a page that nobody wrote to was looked at")
		}
	})
}

// What another process wrote can be hidden by the way it uses the log.
func TestTheWholeFileIsLookedAtWhenAnotherEmptiesTheLog(t *testing.T) {
	path := template.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s := lookedThrough(t, path)
		defer s.Close()
		other := sqliteFile(t, path, `insert into marks (name, value) values ('a', 'b')`, `pragma wal_checkpoint(truncate)`)
		defer other.Close()
		stain(t, path)
		write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, "next") })
		time.Sleep(time.Minute)
		if left := dbtest.Holding(t, path, canary); left != nil {
			t.Errorf("a minute later the canary is %s", strings.Join(left, " and "))
		}
	})
}

func TestAPageIsLookedAtThoughTheLogHasBegunAnewSince(t *testing.T) {
	path := template.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s := lookedThrough(t, path)
		defer s.Close()
		synctest.Wait() // the writer looks at the log still after it has answered
		db.ShortenLog(s, 1<<20, 1<<20)
		set := func(size int) {
			write(t, s, func(tx *db.Tx) error {
				return setMark(t.Context(), tx, "large", size)
			})
		}
		write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, "early") })
		synctest.Wait()
		before := db.Listed(s)
		for n := range 4 {
			set(5<<20 + n) // more than is left in the log
			set(n)
		}
		synctest.Wait()
		for n := range before {
			if !db.Listed(s)[n] {
				t.Errorf("page %d was forgotten", n)
			}
		}
		if len(before) == 0 || db.Lost(s) {
			t.Errorf("%d pages before, lost: %t", len(before), db.Lost(s))
		}
	})
}

func TestClosingEndsALookAtTheWholeFile(t *testing.T) {
	path := template.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s := must[*db.DB](t)(db.Open(t.Context(), path, schema))
		write(t, s, func(tx *db.Tx) error {
			return setMark(t.Context(), tx, "large", 8<<20)
		})
		for range 300 {
			write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, strings.Repeat("x", 200)) })
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		stain(t, path)
		s = must[*db.DB](t)(db.Open(t.Context(), path, schema))
		time.Sleep(20*time.Second + 25*time.Millisecond) // in the middle of it
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if len(dbtest.Holding(t, path, canary)) == 0 {
			t.Error("the whole file was looked at before it was closed")
		}
	})
}

// A reader that stays keeps the log from being emptied; those who write go on.
func TestAReaderInTheWayKeepsNobodyFromWriting(t *testing.T) {
	path := template.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := db.Open(t.Context(), path, schema)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, canary) })
		release := sync.OnceFunc(db.HoldSnapshot(t, path))
		defer release()
		for n := range 30 {
			began := time.Now()
			write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, fmt.Sprint(n)) })
			if took := time.Since(began); took > time.Second {
				t.Fatalf("a write waited %s for a reader", took)
			}
			time.Sleep(time.Second)
		}
		if size(t, path+"-wal") == 0 {
			t.Error("the log was emptied under a reader")
		}
		release()
		time.Sleep(25 * time.Second)
		synctest.Wait()
		if n := size(t, path+"-wal"); n != 0 {
			t.Errorf("the log has %d bytes after the reader has gone", n)
		}
	})
}
