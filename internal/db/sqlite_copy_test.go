package db_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/db"
)

// grown is an open database with so many notes of 4 KB, and its file.
func grown(t *testing.T, notes int) (*db.DB, string) {
	t.Helper()
	path := template.SQLite(t)
	d := open(t, path)
	write(t, d, func(tx *db.Tx) error {
		if _, err := tx.Exec(t.Context(), `insert into accounts (name) values ('A')`); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), `
			with recursive n (i) as (select 1 union all select i + 1 from n where i < $1)
			insert into notes (account_id, body) select 1000, hex(randomblob(2000)) from n`, notes)
		return err
	})
	return d, path
}

// What a copy begins with is in it, whoever writes meanwhile, and it is whole.
func TestACopyOfADatabaseInUseIsWhole(t *testing.T) {
	d, path := grown(t, 500)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			write(t, d, func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), `insert into notes (account_id, body) values (1000, 'x')`)
				return err
			})
		}
	}()
	for range 5 {
		to := filepath.Join(t.TempDir(), "copy.db")
		if err := db.CopyFile(t.Context(), path, to); err != nil {
			t.Fatal(err)
		}
		if err := db.CheckFile(t.Context(), to); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-ended
}

func TestACopyEndsWithItsContextAndWhenTheLogGrows(t *testing.T) {
	_, path := grown(t, 500)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.CopyFile(ctx, path, filepath.Join(t.TempDir(), "copy.db")); !typus.Is(err, typus.Unavailable) {
		t.Errorf("with a context that has ended: %v", err)
	}
	err := db.CopyDatabase(t.Context(), path, filepath.Join(t.TempDir(), "copy.db"), 1<<20)
	if !typus.Is(err, typus.Conflict) || !strings.Contains(err.Error(), "has grown to 1 MB") {
		t.Errorf("with a log of 2 MB: %v", err)
	}
	enough := errors.New("enough")
	if failed, stopped := db.RunForEver(path, func() error { return enough }); failed == nil || !errors.Is(stopped, enough) {
		t.Errorf("a statement under way: %v, %v", failed, stopped)
	}
}

func TestKeysMoveOnPastAllThatWereGiven(t *testing.T) {
	onBoth(t, func(t *testing.T, d *db.DB) {
		move := func(least int64) int64 {
			var last int64
			write(t, d, func(tx *db.Tx) error {
				var err error
				last, err = tx.MoveKeys(t.Context(), "accounts", least, 50)
				return err
			})
			return last
		}
		add := func() int64 {
			var id int64
			write(t, d, func(tx *db.Tx) error {
				var err error
				id, err = db.One(t.Context(), tx, db.ScanInt, "", `insert into accounts (name) values ('A') returning id`)
				return err
			})
			return id
		}
		if got := add(); got != 1000 {
			t.Fatalf("the first key is %d", got)
		}
		if last := move(7); last != 1050 || add() != 1051 {
			t.Errorf("moved to %d", last)
		}
		if last := move(5000); last != 5050 || add() != 5051 {
			t.Errorf("moved to %d", last)
		}
	})
}

func TestWhatIsNoWholeDatabaseOfOursIsRefused(t *testing.T) {
	d, path := grown(t, 10)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.CheckFile(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(good); n += 997 { // wherever it is cut
		cut := filepath.Join(t.TempDir(), "cut.db")
		if err := os.WriteFile(cut, good[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := db.CheckFile(t.Context(), cut); !typus.Is(err, typus.Invalid) {
			t.Errorf("cut to %d of %d bytes: %v", n, len(good), err)
		}
	}
}

// SQLite checks how a file is built, but not what is in its rows. Each bit that changes is
// noticed all the same, and what is cut off or hung on.
func TestAFileThatIsStampedIsAsItWas(t *testing.T) {
	d, path := grown(t, 10)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Stamp(path); err != nil {
		t.Fatal(err)
	}
	if err := db.CheckFile(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "changed.db")
	check := func(text []byte) error {
		if err := os.WriteFile(changed, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return db.CheckFile(t.Context(), changed)
	}
	for n := 0; n < len(good); n += 509 {
		text := slices.Clone(good)
		text[n] ^= 1 << (n % 8)
		if err := check(text); !typus.Is(err, typus.Invalid) {
			t.Errorf("with another bit at %d of %d: %v", n, len(good), err)
		}
	}
	if err := check(append(slices.Clone(good), 0)); !typus.Is(err, typus.Invalid) {
		t.Errorf("with a byte more: %v", err)
	}
	if err := db.Unstamp(changed); err != nil {
		t.Fatal(err)
	}
	if err := db.CheckFile(t.Context(), changed); err != nil {
		t.Errorf("without a stamp: %v", err)
	}
}

// A name that looks like an address of SQLite's is a name.
func TestACopyIsWrittenToTheFileOfItsName(t *testing.T) {
	_, path := grown(t, 10)
	t.Chdir(t.TempDir())
	if err := db.CopyFile(t.Context(), path, "file:copy.db?mode=memory"); err != nil {
		t.Fatal(err)
	}
	if found, err := filepath.Glob("*"); err != nil || len(found) != 1 || found[0] != "file:copy.db?mode=memory" {
		t.Errorf("found %v, %v", found, err)
	}
}

// A database that was folded is whole without its log, and one in use is not folded.
func TestADatabaseIsFoldedWhenNobodyHasItOpen(t *testing.T) {
	d, path := grown(t, 10)
	if err := db.Fold(t.Context(), path); !typus.Is(err, typus.Conflict) {
		t.Errorf("of a database in use: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Fold(t.Context(), path); err != nil {
		t.Error(err)
	}
	if beside, _ := filepath.Glob(path + "-*"); len(beside) != 0 {
		t.Errorf("beside it lies %v", beside)
	}
}

func TestAnAddressIsTakenApartForPostgresOwnPrograms(t *testing.T) {
	for dsn, want := range map[string]db.DumpAddress{
		"postgres://typus:ge%2Fheim@db.example.com:5433/typus?sslmode=require&pool_max_conns=3&search_path=typus": {Address: "postgres://typus@db.example.com:5433/typus?sslmode=require", Password: "ge/heim", Schema: "typus"},
		"postgres://typus@localhost/typus":                                                                   {Address: "postgres://typus@localhost/typus"},
		"postgres://typus@db1.example.com:5432,db2.example.com:5432/typus":                                   {Address: "postgres://typus@db1.example.com:5432,db2.example.com:5432/typus?target_session_attrs=read-write"},
		"postgres://typus@/typus?host=db1.example.com%2Cdb2.example.com&target_session_attrs=standby":        {Address: "postgres://typus@/typus?host=db1.example.com%2Cdb2.example.com&target_session_attrs=standby"},
		"postgres:///typus?host=%2Frun%2Fpostgresql&user=typus&password=geheim&default_query_exec_mode=exec": {Address: "postgres:///typus?host=%2Frun%2Fpostgresql&user=typus", Password: "geheim"},
	} {
		got, err := db.ForDump(dsn)
		if err != nil || got != want {
			t.Errorf("of %s: %+v, %v", dsn, got, err)
		}
	}
}
