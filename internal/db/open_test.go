package db_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/db"
)

func TestTheSettingsThatPromisesRestOnAreInForce(t *testing.T) {
	onBoth(t, func(t *testing.T, s *db.DB) {
		want := map[string]string{"statement_timeout": "15s", "lock_timeout": "5s", "idle_in_transaction_session_timeout": "30s", "synchronous_commit": "on"}
		if s.Dialect() == "sqlite" {
			want = map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000", "trusted_schema": "0"}
		}
		got := must[map[string]string](t)(s.Settings(t.Context()))
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s is %q, want %q", name, got[name], value)
			}
		}
	})
}

func TestASettingThatEndangersAPromiseIsNamed(t *testing.T) {
	if got := must[[]string](t)(openSQLite(t).Warnings(t.Context())); len(got) != 0 {
		t.Errorf("on a local disk: %q", got)
	}
	s := open(t, template.Postgres(t)+"?synchronous_commit=off")
	got := must[[]string](t)(s.Warnings(t.Context()))
	if !slices.ContainsFunc(got, func(w string) bool { return strings.Contains(w, "synchronous_commit=off") }) {
		t.Errorf("got %q", got)
	}
}

func TestALogThatHasGrownTooLongIsNamed(t *testing.T) {
	path := template.SQLite(t)
	s := open(t, path)
	newAccount(t, s)
	if err := os.Truncate(path+"-wal", 300<<20); err != nil {
		t.Fatal(err)
	}
	if got := must[[]string](t)(s.Warnings(t.Context())); len(got) != 1 || !strings.Contains(got[0], "300 MB") {
		t.Errorf("got %q", got)
	}
}

func TestReadersCannotWrite(t *testing.T) {
	s := openSQLite(t)
	if err := db.WriteAsReader(t.Context(), s, `insert into marks (name, value) values ('a', 'b')`); err == nil {
		t.Error("a reading connection wrote")
	}
}

func TestASecondServerOnOneFileIsRefused(t *testing.T) {
	path := template.SQLite(t)
	first, second := open(t, path), open(t, path)
	if err := first.Lock(); err != nil {
		t.Fatal(err)
	}
	hasKind(t, "the second server", second.Lock(), typus.Conflict)
	newAccount(t, second) // the command line works beside a server
	third, err := db.Open(t.Context(), path, schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	hasKind(t, "the second server after a visitor left", second.Lock(), typus.Conflict)
}

func TestTheLockGoesWithTheStore(t *testing.T) {
	path := template.SQLite(t)
	for range 2 {
		s, err := db.Open(t.Context(), path, schema)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Lock(); err != nil {
			t.Errorf("lock: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnyNumberOfServersShareAPostgresDatabase(t *testing.T) {
	dsn := template.Postgres(t)
	for range 2 {
		if err := open(t, dsn).Lock(); err != nil {
			t.Error(err)
		}
	}
}

func TestADatabaseFileIsItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new directory", "a b?c#d%41&e=ü.db")
	s := open(t, path)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, path + "-wal": 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		info, err := os.Stat(name)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

func TestAFileThatIsNoDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	letter := filepath.Join(dir, "letter.txt")
	if err := os.WriteFile(letter, []byte(strings.Repeat("Sehr geehrte Damen und Herren, ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{letter, dir, filepath.Join(letter, "typus.db")} {
		s, err := db.Open(t.Context(), path, schema)
		hasKind(t, path, err, typus.Invalid)
		if s != nil {
			s.Close()
		}
	}
	if text, _ := os.ReadFile(letter); !strings.HasPrefix(string(text), "Sehr geehrte") {
		t.Error("the file was written over")
	}
}

func TestAWrongPostgresAddressIsRefusedWithoutItsPassword(t *testing.T) {
	for address, kind := range map[string]typus.Kind{
		"postgres://typus:geheim@127.0.0.1:port/typus":         typus.Invalid,
		"postgres://typus:geheim@127.0.0.1:1/typus":            typus.Unavailable,
		"postgresql://typus:geheim@127.0.0.1/x?sslmode=wrong":  typus.Invalid,
		"postgres://typus:geheim@127.0.0.1:1/x?pool_max_conns": typus.Invalid,
	} {
		_, err := db.Open(t.Context(), address, schema)
		hasKind(t, address, err, kind)
		if err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("the password is shown: %v", err)
		}
	}
}

func TestAnUnknownDatabaseOrUserIsUnavailable(t *testing.T) {
	u := must[*url.URL](t)(url.Parse(template.Postgres(t)))
	u.Path = "/no_such_database"
	_, err := db.Open(context.Background(), u.String(), schema)
	hasKind(t, "an unknown database", err, typus.Unavailable)
}

func TestVersionsAreComparedByNumber(t *testing.T) {
	for version, want := range map[string]bool{
		"3.51.3": true, "3.51.10": true, "3.52.0": true, "4.0.0": true,
		"3.51.2": false, "3.9.9": false, "2.99.99": false, "3.51": false, "": false, "3.x.9": false,
	} {
		if got := db.AtLeast(version, 3, 51, 3); got != want {
			t.Errorf("%q is at least 3.51.3: %t", version, got)
		}
	}
}

func TestADamagedFileIsFound(t *testing.T) {
	path := template.SQLite(t)
	s := open(t, path)
	if err := s.QuickCheck(t.Context()); err != nil {
		t.Fatalf("a sound file: %v", err)
	}
	account := newAccount(t, s)
	for range 200 {
		write(t, s, func(tx *db.Tx) error { return addNote(t.Context(), tx, account, strings.Repeat("x", 500)) })
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("damage!!", 1024)), info.Size()-16<<10); err != nil {
		t.Fatal(err)
	}
	f.Close()
	hasKind(t, "a damaged file", open(t, path).QuickCheck(t.Context()), typus.Internal)
}

// A server looks for damage once, at its start, and the memory for it would stay with
// the connection for as long as it runs.
func TestTheSearchForDamageKeepsNoPagesInMemory(t *testing.T) {
	s := open(t, template.SQLite(t))
	account := newAccount(t, s)
	for range 200 {
		write(t, s, func(tx *db.Tx) error { return addNote(t.Context(), tx, account, strings.Repeat("x", 50_000)) })
	}
	before := db.Cached(s)
	if err := s.QuickCheck(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := db.Cached(s); after > before+1<<20 {
		t.Errorf("%d bytes are kept, and %d before", after, before)
	}
}

func TestAPostgreSQLServerIsLeftToCheckItself(t *testing.T) {
	if err := open(t, template.Postgres(t)).QuickCheck(t.Context()); err != nil {
		t.Error(err)
	}
}
