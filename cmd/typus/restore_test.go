package main

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
)

func TestWhatIsNoBackupOfThisInstallationIsRefusedInOneSentence(t *testing.T) {
	b := newBackedUp(t)
	b.invite(t, "somebody")
	good, err := os.ReadFile(b.backup(t, "good.db"))
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(good)
	for i := 5 * 4096; i < 6*4096; i++ {
		damaged[i] ^= 0x5a
	}
	written := func(name string, text []byte) string {
		path := filepath.Join(b.backups, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := written("newer.db", good)
	change(t, newer, `pragma user_version = 0; insert into schema_migrations (name, applied_at) values ('9999_future.sql', 1)`)
	shop := filepath.Join(b.backups, "shop.db")
	change(t, shop, `create table orders (id integer)`)
	plain := written("plain.db", good)
	change(t, plain, `pragma user_version = 0; delete from server_marks where name = 'backup'`)
	inUse := written("in-use.db", good)
	written("in-use.db-wal", []byte("frames"))
	twin := filepath.Join(t.TempDir(), "typus.db") // of another key
	if code, _, errOut := command(t, []string{"TYPUS_DATABASE=" + twin}, "account", "create", "--name", "A"); code != 0 {
		t.Fatal(errOut)
	}
	before := files(t, filepath.Dir(b.database))
	for name, c := range map[string]struct {
		file    string
		code    int
		words   []string
		environ []string
	}{
		"none":                {filepath.Join(b.backups, "none.db"), 2, []string{"there is no file", "none.db"}, nil},
		"a directory":         {b.backups, 2, []string{"is a directory"}, nil},
		"an empty file":       {written("empty.db", nil), 2, []string{"no SQLite database"}, nil},
		"a letter":            {written("letter.txt", bytes.Repeat([]byte("Sehr geehrte Damen und Herren"), 20)), 2, []string{"no SQLite database"}, nil},
		"cut in half":         {written("half.db", good[:len(good)/2]), 2, []string{"is cut off", "take another backup"}, nil},
		"damaged":             {written("damaged.db", damaged), 2, []string{"is damaged", "take another backup"}, nil},
		"another program's":   {shop, 2, []string{"another program's"}, nil},
		"no backup":           {plain, 2, []string{"not one that typus backup has made"}, nil},
		"in use":              {inUse, 2, []string{"in-use.db-wal", "take a file that typus backup has made"}, nil},
		"of a newer version":  {newer, 1, []string{"newer version of Typus", "9999_future.sql", "use that version"}, nil},
		"the database itself": {b.database, 2, []string{"not one that typus backup has made"}, nil},
		"of another key":      {filepath.Join(b.backups, "good.db"), 2, []string{"was made with the secret key of the fingerprint", "put the right one in its place"}, []string{"TYPUS_DATABASE=" + twin}},
		"without a key":       {filepath.Join(b.backups, "good.db"), 2, []string{"the secret key", "is missing at", "put it back"}, []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "new", "typus.db")}},
	} {
		t.Run(name, func(t *testing.T) {
			environ := c.environ
			if environ == nil {
				environ = b.environ
			}
			code, _, errOut := command(t, environ, "restore", c.file)
			oneSentence(t, code, c.code, errOut, c.words...)
			after := files(t, filepath.Dir(b.database))
			delete(after, "typus.db.lock")
			delete(before, "typus.db.lock")
			if !maps.Equal(before, after) {
				t.Errorf("before %v, after %v", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
			}
		})
	}
}

// On another machine nothing but the backup and the key is needed.
func TestABackupIsRestoredIntoAnEmptyDirectory(t *testing.T) {
	b := newBackedUp(t)
	somebody, gone := b.invite(t, "somebody"), b.invite(t, "gone")
	b.erase(t, gone)
	file := b.backup(t, "one.db")
	secret, err := os.ReadFile(filepath.Join(filepath.Dir(b.database), "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	other := *b
	other.database = filepath.Join(t.TempDir(), "new", "typus.db")
	other.environ = []string{"TYPUS_DATABASE=" + other.database, "TYPUS_SECRET_KEY=" + strings.TrimSpace(string(secret))}
	done := other.restore(t, file)
	if done.Aside != "" || done.Erased != 0 || done.Known != 1 || !other.isThere(t, somebody) || other.isThere(t, gone) {
		t.Errorf("restored: %+v", done)
	}
	for name := range files(t, filepath.Dir(other.database)) {
		if !slices.Contains([]string{"typus.db", "typus.db.lock", "typus.db.erasures"}, name) {
			t.Errorf("%s is left", name)
		}
	}
}

// The database that was there stays, with what was only in its log, and can be restored
// itself. Nothing of its log comes into its successor.
func TestTheDatabaseThatWasThereStaysBesideIt(t *testing.T) {
	b := newBackedUp(t)
	file := b.backup(t, "one.db")
	p := serve(t, b.environ)
	w := &walk{base: p.base, key: b.key, out: discard(), client: &http.Client{Timeout: time.Minute}, externalID: "crm-1"}
	if err := w.invite(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.Process.Kill()
	p.Wait()
	if info, err := os.Stat(b.database + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("the log is empty, the test says nothing: %v", err)
	}
	done := b.restore(t, file)
	if b.isThere(t, w.candidateID) || !strings.HasPrefix(done.Aside, b.database+".before-") {
		t.Errorf("restored: %+v", done)
	}
	if left, _ := filepath.Glob(done.Aside + "-*"); len(left) != 0 {
		t.Errorf("beside it lies %v", left)
	}
	if back := b.restore(t, done.Aside); !b.isThere(t, w.candidateID) || back.Aside == done.Aside {
		t.Errorf("going back: %+v", back)
	}
}

// A database that cannot be read any more is no reason not to restore: then it stays as it
// is, its log beside it.
func TestADamagedDatabaseIsReplaced(t *testing.T) {
	b := newBackedUp(t)
	somebody := b.invite(t, "somebody")
	file := b.backup(t, "one.db")
	garbage := bytes.Repeat([]byte("garbage "), 1000)
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.WriteFile(b.database+end, garbage, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done := b.restore(t, file)
	if !b.isThere(t, somebody) {
		t.Errorf("restored: %+v", done)
	}
	for _, end := range []string{"", "-wal"} {
		if text, err := os.ReadFile(done.Aside + end); err != nil || !bytes.Equal(text, garbage) {
			t.Errorf("%s%s: %v", done.Aside, end, err)
		}
	}
}

func TestAProgramThatHasTheDatabaseOpenStopsARestore(t *testing.T) {
	b := newBackedUp(t)
	file := b.backup(t, "one.db")
	somebody := b.invite(t, "somebody")
	b.opened(t, func(*site) {
		code, _, errOut := command(t, b.environ, "restore", file)
		oneSentence(t, code, 1, errOut, "another program has the database", "end it and try again")
	})
	if left, _ := filepath.Glob(b.database + ".*"); !b.isThere(t, somebody) || len(left) > 3 { // lock, backup.lock, erasures
		t.Errorf("left: %v", left)
	}
}

// Who was logged in when the backup was made may have been removed since.
func TestNobodyIsLoggedInAfterARestore(t *testing.T) {
	b := newBackedUp(t)
	must[id](t, b.environ, "user", "create", "--account", itoa(b.account), "--email", "ada@example.com", "--role", "owner")
	b.opened(t, func(s *site) {
		err := s.store.InTx(t.Context(), func(tx *store.Tx) error {
			now := time.Now()
			return tx.AddSession(t.Context(), typus.Session{Hash: "session", UserID: 1, AccountID: b.account, ConfirmedAt: now, CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(time.Hour)})
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	b.restore(t, b.backup(t, "one.db"))
	b.opened(t, func(s *site) {
		if v, err := s.store.SessionByToken(t.Context(), "session"); !typus.Is(err, typus.NotFound) {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

// A backup of before an upgrade is brought up, and those are erased from it who were erased
// after the upgrade.
func TestABackupOfAnOlderSchemaIsBroughtUp(t *testing.T) {
	b := newBackedUp(t)
	gone := b.invite(t, "gone")
	file := b.backup(t, "old.db")
	change(t, file, `pragma user_version = 0; drop index candidates_erased; delete from schema_migrations where name like '%tombstones.sql'`)
	b.erase(t, gone)
	done := b.restore(t, file)
	if len(done.Migrated) != 1 || done.Erased != 1 || b.isThere(t, gone) {
		t.Errorf("restored: %+v", done)
	}
}

// The key lies beside the link that names the database, whose file lies elsewhere.
func TestADatabaseBehindALinkIsRestored(t *testing.T) {
	b := newBackedUp(t)
	file := b.backup(t, "one.db")
	itself := filepath.Join(t.TempDir(), "typus.db")
	if err := os.Rename(b.database, itself); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(itself, b.database); err != nil {
		t.Fatal(err)
	}
	late := b.invite(t, "late")
	done := b.restore(t, file)
	if filepath.Dir(done.Aside) != filepath.Dir(itself) || b.isThere(t, late) {
		t.Errorf("restored: %+v", done)
	}
	if info, err := os.Lstat(b.database); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
}
