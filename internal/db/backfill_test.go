package db_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"typus/internal/db"
)

// fillEach adds so many accounts with long names, each in a commit of its own.
func fillEach(t *testing.T, s *db.DB, n int) {
	t.Helper()
	for i := range n {
		name := fmt.Sprintf("%d %s", i, bytes.Repeat([]byte("x"), 8000))
		write(t, s, func(tx *db.Tx) error { return addNamed(t.Context(), tx, name) })
	}
}

const short = 256 << 10

func TestTheLogDoesNotGrowWithWhatIsWritten(t *testing.T) {
	path := template.SQLite(t)
	s := must[*db.DB](t)(db.Open(t.Context(), path, schema))
	defer s.Close()
	db.ShortenLog(s, short, 2*short)
	fillEach(t, s, 500)
	// The guard, and what the last commit before it and the next after it may add.
	if n := size(t, path+"-wal"); n > 2*short+100_000 {
		t.Errorf("the log has %d bytes after %d were written", n, size(t, path))
	}
	if err := s.QuickCheck(t.Context()); err != nil {
		t.Error(err)
	}
}

// Whoever is killed while the log is copied loses nothing: what is not in the file yet
// is in the log.
func TestWhatIsCopiedBesideTheWriterIsAllThere(t *testing.T) {
	path := template.SQLite(t)
	s := must[*db.DB](t)(db.Open(t.Context(), path, schema))
	defer s.Close()
	db.ShortenLog(s, short, 2*short)
	fillEach(t, s, 77)
	other := filepath.Join(t.TempDir(), "copy.db")
	for _, end := range []string{"", "-wal"} {
		body, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(other+end, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again := must[*db.DB](t)(db.Open(t.Context(), other, schema))
	defer again.Close()
	if want, got := names(t, s), names(t, again); got != want {
		t.Errorf("%d bytes of names are found of %d", len(got), len(want))
	}
	if err := again.QuickCheck(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTheLogBeginsAnewOnceAReaderHasGone(t *testing.T) {
	path := template.SQLite(t)
	s := must[*db.DB](t)(db.Open(t.Context(), path, schema))
	defer s.Close()
	db.ShortenLog(s, short, 2*short)
	fillEach(t, s, 1)
	release := sync.OnceFunc(db.HoldSnapshot(t, path))
	defer release()
	fillEach(t, s, 200)
	grown := size(t, path+"-wal")
	if grown < 200*8000 {
		t.Errorf("the log began anew under a reader: it has %d bytes", grown)
	}
	release()
	fillEach(t, s, 200)
	if n := size(t, path+"-wal"); n > grown+3*short {
		t.Errorf("the log has grown from %d to %d bytes after the reader has gone", grown, n)
	}
}
