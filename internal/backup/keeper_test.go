package backup_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/backup"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// erased makes so many candidates of a new account, or of its test world, and erases them.
func erased(t *testing.T, s *store.Store, n int, world bool, at time.Time) []int64 {
	t.Helper()
	var ids []int64
	err := s.InTx(t.Context(), func(tx *store.Tx) error {
		account, err := tx.AddAccount(t.Context(), typus.Account{Name: "Muster GmbH", Plan: typus.PlanStarter, Language: "de", InviteDays: 30, CreatedAt: noon})
		if err == nil && world {
			account, _, err = tx.AddWorld(t.Context(), account, noon)
		}
		for i := 0; i < n && err == nil; i++ {
			var id int64
			if id, _, err = tx.AddCandidate(t.Context(), store.NewCandidate{Candidate: typus.Candidate{
				AccountID: account, Name: "Kim", Email: "kim@example.com", TokenHash: fmt.Sprintf("%d-%d", account, i), SealedToken: []byte{1},
				Language: "de", RoleProfile: "general_sales", CreatedAt: noon, ExpiresAt: noon.Add(time.Hour),
			}}); err == nil {
				ids = append(ids, id)
				err = tx.EraseCandidate(t.Context(), account, id, at)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func keep(t *testing.T, k *backup.Keeper) {
	t.Helper()
	if err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func TestEachErasureIsListedOnceWhateverBecomesOfTheFile(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		path := filepath.Join(t.TempDir(), "typus.erasures")
		early := erased(t, s, 3, false, noon.AddDate(-1, 0, 0))
		erased(t, s, 2, true, noon) // of a test world: nobody
		k := backup.NewKeeper(s, path, nil)
		keep(t, k)
		want := fmt.Sprintf("%d %d %d", early[0], noon.UnixMilli(), noon.AddDate(-1, 0, 0).UnixMilli())
		if got := lines(t, path); len(got) != 3 || got[0] != want {
			t.Errorf("listed %q, the first should be %s", got, want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}

		erased(t, s, 2, false, time.Now())
		keep(t, k)
		keep(t, k)
		if got := lines(t, path); len(got) != 5 {
			t.Errorf("listed %q", got)
		}
		// Cut off in the middle of the last line, by this keeper or another.
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, k := range map[string]*backup.Keeper{"the same": k, "another": backup.NewKeeper(s, path, nil)} {
			os.WriteFile(path, text[:len(text)-5], 0o600)
			keep(t, k)
			if got, err := os.ReadFile(path); err != nil || string(got) != string(text) {
				t.Errorf("%s after a cut: %q, %v", name, got, err)
			}
		}
		os.Remove(path)
		keep(t, k)
		if got := lines(t, path); len(got) != 5 {
			t.Errorf("after the file was lost: %q", got)
		}
		os.WriteFile(path, []byte("1 2\n"), 0o600)
		if err := k.Run(t.Context()); !typus.Is(err, typus.Invalid) || !strings.Contains(err.Error(), "line 1 of") {
			t.Errorf("another file in its place: %v", err)
		}
		os.WriteFile(path, nil, 0o600)
		keep(t, k)
		if got := lines(t, path); len(got) != 5 {
			t.Errorf("after it was emptied: %q", got)
		}
	})
}

// More than one page of them, and many at the same moment.
func TestManyErasuresAtOneMomentAreAllListed(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		erased(t, s, 1203, false, noon)
		path := filepath.Join(t.TempDir(), "typus.erasures")
		keep(t, backup.NewKeeper(s, path, nil))
		if got := lines(t, path); len(got) != 1203 {
			t.Errorf("%d are listed", len(got))
		}
		to := filepath.Join(t.TempDir(), "export")
		if n, err := backup.Export(t.Context(), s, path, to); n != 1203 || err != nil || len(lines(t, to)) != 1203 {
			t.Errorf("exported %d, %v", n, err)
		}
		if _, err := backup.Export(t.Context(), s, path, to); !typus.Is(err, typus.Conflict) {
			t.Errorf("over a file that is there: %v", err)
		}
	})
}

// A turn that fails is made up for by the next one.
func TestWhatCouldNotBeListedIsListedLater(t *testing.T) {
	s := storetest.OpenSQLite(t)
	dir := filepath.Join(t.TempDir(), "later")
	path := filepath.Join(dir, "typus.erasures")
	k := backup.NewKeeper(s, path, nil)
	erased(t, s, 1, false, time.Now())
	if err := k.Run(t.Context()); err == nil {
		t.Error("a list was written into a directory that is not there")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	down := errors.New("the database is down")
	if err := backup.NewKeeper(s.Watched(func(string) error { return down }), path, nil).Run(t.Context()); err == nil {
		t.Error("a database that fails is no error")
	}
	keep(t, k)
	if got := lines(t, path); len(got) != 1 {
		t.Errorf("listed %q", got)
	}
}

func TestABackupThatWouldFillTheDiskIsNotBegun(t *testing.T) {
	dir := t.TempDir()
	database := storetest.SQLite(t)
	size := func() int64 {
		info, err := os.Stat(database)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}()
	order := backup.Order{Database: database, To: filepath.Join(dir, "one.db"), Now: noon, Free: func(string) (int64, bool) { return size * 2, true }}
	if _, err := backup.Make(t.Context(), order); !typus.Is(err, typus.Conflict) || !strings.Contains(err.Error(), "make room") {
		t.Errorf("with twice the room: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	order.Free = func(string) (int64, bool) { return 0, false } // where the system does not say
	if made, err := backup.Make(t.Context(), order); err != nil || made.Bytes == 0 {
		t.Errorf("%+v, %v", made, err)
	}
}
