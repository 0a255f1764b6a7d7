package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// After a restore nothing gets an id that something else may have had after the backup: no
// account, no user, no key, and nothing else that has one.
func TestNoIDIsGivenTwiceAfterARestore(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		must[id](t, environ, "account", "create", "--name", "A")
		given := func() map[string]int64 {
			last := map[string]int64{}
			onSite(t, environ, func(s *site) error {
				return s.store.InTx(t.Context(), func(tx *store.Tx) error {
					for _, m := range store.MovedTables() {
						if !m.Counted() {
							continue
						}
						var err error
						if last[m.Name], err = tx.ReserveIDs(t.Context(), m.Name, 1, 0); err != nil {
							return err
						}
					}
					return nil
				})
			})
			return last
		}
		was := given()
		list := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(list, []byte("account 5000 1700000000000 1700000000001\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		must[struct{}](t, environ, "erasures", "apply", list)
		for table, last := range given() {
			if last < was[table]+1000 {
				t.Errorf("the next of %s gets the id %d, and one before may have had it", table, last+1)
			}
		}
		if next := must[id](t, environ, "account", "create", "--name", "B").ID; next <= 6000 {
			t.Errorf("the next account gets the id %d, and 5000 is on the list", next)
		}
	})
}

func TestAListOfErasuresIsAppliedWhereIDAndTimeAgree(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		account := must[id](t, environ, "account", "create", "--name", "A").ID
		s := beside(t, environ)
		defer s.store.Close()
		invite := func(name string) typus.Candidate {
			out, _, err := s.steps.Invite(t.Context(), account, assess.Invitation{Name: name, Email: name + "@example.com"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return out.Candidate
		}
		gone, other, stays := invite("gone"), invite("other"), invite("stays")
		line := func(c typus.Candidate, later int64) string {
			return itoa(c.ID) + " " + itoa(c.CreatedAt.UnixMilli()+later) + " " + itoa(c.CreatedAt.UnixMilli()+1) + "\n"
		}
		file := filepath.Join(t.TempDir(), "list")
		// Somebody else has had the id of other, and the last line was cut off.
		list := line(gone, 0) + line(other, 1) + "100000000000777 1700000000000 1700000000001\n" + strings.Fields(line(stays, 0))[0] + " 17"
		if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
		done := must[backup.Applied](t, environ, "erasures", "apply", file)
		if done.Erased != 1 || done.Known != 3 || done.LastID != 100000000000777+idsApart {
			t.Errorf("applied: %+v", done)
		}
		for c, want := range map[int64]bool{gone.ID: false, other.ID: true, stays.ID: true} {
			if _, err := s.store.Candidate(t.Context(), account, c); (err == nil) != want {
				t.Errorf("candidate %d: %v", c, err)
			}
		}
		if next := invite("next"); next.ID != done.LastID+1 {
			t.Errorf("the next id is %d", next.ID)
		}
		lines, err := s.store.AuditOf(t.Context(), account, gone.ID)
		if err != nil || len(lines) == 0 || lines[0].Action != typus.AuditCandidateErased && lines[len(lines)-1].Action != typus.AuditCandidateErased {
			t.Errorf("the audit log says %+v, %v", lines, err)
		}
		to := filepath.Join(t.TempDir(), "export")
		if code, _, errOut := command(t, environ, "erasures", "export", to); code != 0 {
			t.Errorf("exit %d: %s", code, errOut)
		}
		if text, err := os.ReadFile(to); err != nil || !strings.Contains(string(text), line(gone, 0)) {
			t.Errorf("exported %q, %v", text, err)
		}
		code, _, errOut := command(t, environ, "erasures", "export", to)
		oneSentence(t, code, 1, errOut, "is there already")
		code, _, errOut = command(t, environ, "erasures", "apply", to+".none")
		oneSentence(t, code, 2, errOut, "there is no list of erasures at")
		if err := os.WriteFile(to, []byte("1 2 3\nname,email\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errOut = command(t, environ, "erasures", "apply", to)
		oneSentence(t, code, 2, errOut, "line 2 of "+to)
	})
}

// Editors leave the end of the last line away, and a crash part of it: who is on it, is.
func TestTheLastLineOfAListCountsWithoutItsEnd(t *testing.T) {
	for _, cut := range []int{1, 2, 6} {
		b := newBackedUp(t)
		gone := b.invite(t, "gone")
		file := b.backup(t, "one.db")
		b.erase(t, gone)
		text, err := os.ReadFile(b.exported(t))
		if err != nil {
			t.Fatal(err)
		}
		other := *b
		other.database = filepath.Join(t.TempDir(), "typus.db")
		other.environ = []string{"TYPUS_DATABASE=" + other.database}
		secret, err := os.ReadFile(filepath.Join(filepath.Dir(b.database), "secret.key"))
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(filepath.Join(filepath.Dir(other.database), "secret.key"), secret, 0o600)
		os.WriteFile(other.database+".erasures", text[:len(text)-cut], 0o600)
		if done := other.restore(t, file); done.Erased != 1 || other.isThere(t, gone) {
			t.Errorf("cut by %d bytes: %+v", cut, done)
		}
		if list, err := os.ReadFile(other.database + ".erasures"); err != nil || strings.Count(string(list), "\n") != 1 || !strings.HasPrefix(string(list), string(text[:len(text)-cut])) && cut < 2 {
			t.Errorf("cut by %d bytes the list is %q then, %v", cut, list, err)
		}
	}
}

// exported is a file with the list of all erasures.
func (b *backedUp) exported(t *testing.T) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "list")
	if code, _, errOut := command(t, b.environ, "erasures", "export", to); code != 0 {
		t.Fatal(errOut)
	}
	return to
}

// A wrong id would have all that come after it begin behind it, or end the numbers.
func TestAListWithNumbersThatNobodyHadIsRefused(t *testing.T) {
	b := newBackedUp(t)
	file := filepath.Join(t.TempDir(), "list")
	for _, line := range []string{"9223372036854775807 1 1\n", "1000000000000000 1700000000000 1700000000001\n", "100000000000001 1700000000000 9223372036854775807\n"} {
		if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errOut := command(t, b.environ, "erasures", "apply", file)
		oneSentence(t, code, 2, errOut, "line 1 of "+file)
	}
}

// Who was logged in when a backup was made may have been removed from the team since. A
// position that was made later has an id in other systems, even if it is the first one, and
// a letter one in the address to which it is returned.
func TestApplyingAListEndsLoginsAndMovesIDsOn(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		must[id](t, environ, "account", "create", "--name", "A")
		database := strings.TrimPrefix(environ[0], "TYPUS_DATABASE=")
		s, err := store.Open(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		next := func() (int64, int64) {
			var position, letter int64
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				var err error
				if letter, err = tx.AddLetter(t.Context(), typus.Letter{AccountID: 1, Kind: typus.LetterPasswordReset, Language: "de", To: "kim@example.com", CreatedAt: typus.Clock(nil).Now()}); err != nil {
					return err
				}
				position, err = tx.AddPosition(t.Context(), typus.Position{AccountID: 1, Name: "Vertrieb", RoleProfile: "general_sales", CreatedAt: typus.Clock(nil).Now()})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return position, letter
		}
		now := typus.Clock(nil).Now()
		user := must[id](t, environ, "user", "create", "--account", "1", "--email", "kim@example.com", "--role", "owner").ID
		err = s.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.AddSession(t.Context(), typus.Session{Hash: "h", UserID: user, AccountID: 1, ConfirmedAt: now, CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(time.Hour)})
		})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		must[backup.Applied](t, environ, "erasures", "apply", file)
		if left, err := s.SessionsOf(t.Context(), 1, user); err != nil || len(left) != 0 {
			t.Errorf("the logins %v hold, %v", left, err)
		}
		if position, letter := next(); position <= 1000 || letter <= idsApart {
			t.Errorf("the first position has the id %d, the first letter %d", position, letter)
		}
	})
}

func TestAPostgreSQLDatabaseIsDumpedAndComesBack(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + storetest.Postgres(t), "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)}
	must[id](t, environ, "account", "create", "--name", "Muster GmbH")
	file := filepath.Join(t.TempDir(), "typus.dump")
	code, out, errOut := command(t, environ, "backup", file)
	if code != 0 || !strings.HasPrefix(out, file+" is a dump for pg_restore") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if left, _ := filepath.Glob(file + ".*"); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	code, _, errOut = command(t, environ, "backup", file)
	oneSentence(t, code, 1, errOut, "is there already")
	what, err := whatToDump(t.Context(), strings.TrimPrefix(environ[0], "TYPUS_DATABASE="))
	if err != nil {
		t.Fatal(err)
	}
	restore := programOf("pg_restore", what.major, os.Getenv("PATH"))
	sql, err := exec.Command(restore, "--file=-", file).Output()
	if err != nil || !strings.Contains(string(sql), "Muster GmbH") {
		t.Errorf("the dump does not hold the account: %v", err)
	}
	code, _, errOut = command(t, environ, "restore", file)
	oneSentence(t, code, 2, errOut, "pg_restore", "typus erasures apply FILE")
}

func TestWithoutPgDumpTheExactLineIsSaidWithoutThePassword(t *testing.T) {
	if program := programOf("pg_dump", "99", os.Getenv("PATH")); program != "" {
		t.Errorf("%s is of version 99", program)
	}
	address, err := db.ForDump("postgres://typus:geheim@db.example.com/typus?pool_max_conns=4")
	if err != nil {
		t.Fatal(err)
	}
	said := "typus: " + message(withoutDump("16", address, "/backups/it's.dump")) + "\n"
	oneSentence(t, 1, 1, said, "postgresql-client-16", "PGPASSWORD",
		`pg_dump '--format=custom' '--no-owner' '--no-privileges' '--no-password' '--file=/backups/it'\''s.dump' '--dbname=postgres://typus@db.example.com/typus'`)
}
