package store_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestManyOpenANewPathAtOnce(t *testing.T) {
	for name, before := range map[string]func(path string) error{
		"nothing there": func(string) error { return nil },
		"an empty file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 60 {
				path := filepath.Join(t.TempDir(), "typus.db")
				if err := before(path); err != nil {
					t.Fatal(err)
				}
				var all sync.WaitGroup
				for range 4 {
					all.Go(func() {
						s, err := store.Open(t.Context(), path)
						if err != nil {
							t.Error(err)
							return
						}
						s.Close()
					})
				}
				all.Wait()
				if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.tmp*")); err != nil || len(left) > 0 {
					t.Errorf("left beside it: %q, %v", left, err)
				}
			}
		})
	}
}

// A file that its program left half-way is whole with the log, which lies beside the
// file itself.
func TestALinkToAFileWithALogLeadsToBoth(t *testing.T) {
	live, path, link := storetest.SQLite(t), filepath.Join(t.TempDir(), "typus.db"), filepath.Join(t.TempDir(), "link.db")
	first := must[[]byte](t)(os.ReadFile(live))[:4096]
	s := storetest.Open(t, live)
	write(t, s, func(tx *store.Tx) error {
		_, err := tx.SetMark(t.Context(), "a", make([]byte, 200_000))
		return err
	})
	takeAlong(t, live, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// As after a power cut in the middle of folding: the new header, not yet the rest.
	copy(first, must[[]byte](t)(os.ReadFile(live))[:100])
	f := must[*os.File](t)(os.OpenFile(path, os.O_WRONLY, 0))
	if _, err := f.WriteAt(first, 0); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	s = storetest.Open(t, link)
	if value := must[[]byte](t)(s.Mark(t.Context(), "a")); len(value) != 200_000 {
		t.Errorf("the log was lost: %d bytes", len(value))
	}
}

func TestALinkToNothingYetIsANewDatabaseThere(t *testing.T) {
	path, link := filepath.Join(t.TempDir(), "typus.db"), filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	storetest.Open(t, link)
	if got := mark(t, path); got != ours {
		t.Errorf("the mark is %#x", got)
	}
	if info := must[os.FileInfo](t)(os.Stat(path)); info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// Two names of one file are one database, with one server.
func TestASecondServerByALinkIsRefused(t *testing.T) {
	path, link := storetest.SQLite(t), filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := storetest.Open(t, path).Lock(); err != nil {
		t.Fatal(err)
	}
	if err := storetest.Open(t, link).Lock(); err == nil {
		t.Error("two servers run on one file")
	}
}

// A log that is emptied into a file that grows is no damage.
func TestAFileAtWorkIsNotCalledDamaged(t *testing.T) {
	path := storetest.SQLite(t)
	db := sqliteFile(t, path, `pragma journal_mode = wal`, `pragma synchronous = off`, `create table grown (data blob)`)
	defer db.Close()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			for _, statement := range []string{`insert into grown values (zeroblob(8000))`, `pragma wal_checkpoint(truncate)`} {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	for range 20_000 {
		if err := store.PrepareFile(t.Context(), path); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	<-done
}
