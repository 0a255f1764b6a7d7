package db_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"typus/internal/db"
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
						s, err := db.Open(t.Context(), path, schema)
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
	live, path, link := template.SQLite(t), filepath.Join(t.TempDir(), "typus.db"), filepath.Join(t.TempDir(), "link.db")
	first := must[[]byte](t)(os.ReadFile(live))[:4096]
	s := open(t, live)
	write(t, s, func(tx *db.Tx) error {
		return setMark(t.Context(), tx, "a", 200_000)
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
	s = open(t, link)
	if value := must[[]byte](t)(db.One(t.Context(), s, db.ScanBytes, "", `select value from marks where name = 'a'`)); len(value) != 200_000 {
		t.Errorf("the log was lost: %d bytes", len(value))
	}
}

func TestALinkToNothingYetIsANewDatabaseThere(t *testing.T) {
	path, link := filepath.Join(t.TempDir(), "typus.db"), filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	open(t, link)
	if got := mark(t, path); got != ours {
		t.Errorf("the mark is %#x", got)
	}
	if info := must[os.FileInfo](t)(os.Stat(path)); info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// Two names of one file are one database, with one server.
func TestASecondServerByALinkIsRefused(t *testing.T) {
	path, link := template.SQLite(t), filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := open(t, path).Lock(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, link).Lock(); err == nil {
		t.Error("two servers run on one file")
	}
}

// A log that is emptied into a file that grows is no damage.
func TestAFileAtWorkIsNotCalledDamaged(t *testing.T) {
	path := template.SQLite(t)
	other := sqliteFile(t, path, `pragma journal_mode = wal`, `pragma synchronous = off`, `create table grown (data blob)`)
	defer other.Close()
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
				if _, err := other.ExecContext(t.Context(), statement); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	for range 20_000 {
		if err := db.PrepareFile(t.Context(), path, schema); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	<-done
}
